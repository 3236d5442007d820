// What the threads of a kernel load, counted as a GPU would issue it.
//
//   interval      what a team does between two of its barriers
//   longest       Σ over intervals: the loads of the thread that has the most
//   loads         of all threads; loads / longest is the number of busy lanes
//   warp loads    the k-th load of an instruction in an interval, by all lanes of a warp, is one
//   lines         of 128 B that a warp load touches
//   needed        lines that its bytes would fill if they lay together; bytes that several lanes load count once
//   asked         bytes that its lanes load, all together
//   read, written sectors of 32 B that a block reads or writes for the first time in a launch
//
// Loads from the thread's own stack, which are registers or local memory on a GPU, and kernel parameters do not count.
// Shared memory counts as loads, but has no lines and no sectors. A load of more than 16 B counts as several.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace emulated_gpu {

/// An access of one thread to memory that all threads see.
struct Metered {
  const void* instruction;
  const char* at;
  std::size_t bytes;
  bool writes, shared;
};

/// True if EMULATED_GPU_METER names a file, to which the counts of all kernels are written in the end.
bool is_metered();

// They do nothing unless is_metered().
void meter_kernel(const std::string& name, int threads, std::size_t shared_bytes);
void meter_block();
void meter_access(int thread, const Metered& access);
/// The threads of a team have met at a barrier, or have ended.
void meter_interval(const std::vector<int>& team);
void meter_barriers(std::uint64_t sum, std::uint64_t most);

}  // namespace emulated_gpu
