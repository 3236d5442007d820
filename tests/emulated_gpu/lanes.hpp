// The threads of a block, on one thread of the processor: each has a stack of its own and runs until it waits at a
// barrier; the next one in the chosen order goes on.
//
// Held against the rules: a barrier that some of its threads never reach, or reach by another call, is a fault.
#pragma once

#include <vector_types.h>

#include <cstdint>
#include <functional>

namespace emulated_gpu {

/// The thread that runs.
struct Caller {
  int thread = 0, block = 0;    // its index in the block, and the block's
  int threads = 0, blocks = 0;  // of its block, and of the grid
  int row = 0;                  // threads of a row of its block
  bool in_kernel = false;       // what it touches is checked
  std::uint32_t fences = 0;     // that it has passed
  const char *stack_begin = nullptr, *stack_end = nullptr;
};
extern Caller caller;

inline uint3 thread_index() {
  return {static_cast<unsigned>(caller.thread % caller.row), static_cast<unsigned>(caller.thread / caller.row), 0};
}
inline uint3 block_index() { return {static_cast<unsigned>(caller.block), 0, 0}; }
inline dim3 block_size() {
  return {static_cast<unsigned>(caller.row), static_cast<unsigned>(caller.threads / caller.row), 1};
}
inline dim3 grid_size() { return {static_cast<unsigned>(caller.blocks), 1, 1}; }

void block_barrier();
/// Waits until every thread of the block that has not ended waits here; true if all of them bring true. As the threads
/// may be at different places of the program, it orders no memory.
bool block_meeting(bool condition);
void warp_barrier(unsigned mask);
std::uint64_t shuffle(unsigned mask, std::uint64_t value, int source, int width);

/// Atomic: not ordered with others of its kind, and no race with them.
int exchange(int* at, int value);

/// A clock whose every reading is one cycle later.
long long read_clock();

/// From here on the calling thread is in its kernel.
void enter_kernel();

/// In which order the threads of a block go on after a barrier.
enum class Order { kForward, kBackward, kShuffled };

/// That which EMULATED_GPU_ORDER names.
Order chosen_order();

/// Barriers that a block passed: over all its blocks, and of the one that passed most.
struct Barriers {
  std::uint64_t sum = 0, most = 0;
};

/// The threads of a row of a block, and its rows.
struct BlockSize {
  int row, rows;
};

/// Runs `body` as every thread of every block.
Barriers run_blocks(int blocks, BlockSize size, Order order, const std::function<void()>& body);

/// True if two threads of the running block wait at the same barriers.
bool in_one_team(int thread, int other);

}  // namespace emulated_gpu
