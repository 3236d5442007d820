// Whether a batch fits into memory, and how many environments would fit.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "host/model/out_of_memory.hpp"

namespace stiction {

/// Memory of a batch [bytes].
struct BatchBytes {
  std::size_t each;  // per environment
  std::size_t once;  // shared by all environments
};

/// Number of environments that fit into `free` bytes.
std::size_t count_fitting(const BatchBytes& bytes, std::size_t free);

/// Throws OutOfMemory unless `batch` environments fit into `free` bytes `where`, such as "on cuda:0". `what`: their
/// name in the message.
void check_fitting(int batch, const BatchBytes& bytes, std::size_t free, const std::string& where = "",
                   const std::string& what = "environments");

/// Memory that the system can give to this process [bytes]; none if the system does not tell.
std::optional<std::size_t> available_bytes();

/// The largest number of bytes up to `most`, to one part in 2^20, that the allocator would now give in one piece.
std::size_t allocatable_bytes(std::size_t most);

/// An empty vector with room for `each` numbers of every one of `batch` environments. Throws OutOfMemory if the host
/// has less.
std::vector<double> reserve_on_host(int batch, std::size_t each);

}  // namespace stiction
