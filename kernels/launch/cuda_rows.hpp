// Rows of arrays that go to a list of environments or come from it, in one kernel.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace stiction {

/// Environments by number, in GPU memory; each of them once where rows go to them.
struct EnvironmentList {
  const int* id;  // (count)
  int count;
};

/// The new rows of an array, in words of 4 bytes: one for each environment of a list, or one for all of them.
struct NewRows {
  std::uint32_t* array;       // (batch, words)
  const std::uint32_t* rows;  // (list, words), or (words)
  int words;                  // of a row
  int stride;                 // from the row of one environment to that of the next: words, or 0
};

/// Enqueues the copies of new rows of `count` arrays, no two of them the same, to the environments of a list.
void enqueue_rows(const NewRows* arrays, int count, const EnvironmentList& list, cudaStream_t stream);

/// Enqueues the copies of the rows of an array (batch, words) that the environments of a list have, to `rows` (list,
/// words); in words of 4 bytes.
void enqueue_gather(const std::uint32_t* array, int words, const EnvironmentList& list, std::uint32_t* rows,
                    cudaStream_t stream);

}  // namespace stiction
