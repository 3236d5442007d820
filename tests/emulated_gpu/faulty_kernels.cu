// The kernels themselves.
#include <cstring>
#include <vector>

#include "kernels/launch/cuda_launch.cuh"
#include "kernels/launch/cuda_memory.hpp"
#include "kernels/team/team.hpp"
#include "tests/emulated_gpu/faulty_kernels.hpp"

namespace emulated_gpu {
namespace {

constexpr int kValues = 32;

__device__ int lane() { return static_cast<int>(threadIdx.x); }
__device__ int next_lane() { return (lane() + 1) % kValues; }

__global__ void exchange_without_barrier(int* values) {
  values[lane()] = lane();
  values[lane()] += values[next_lane()];
}

__global__ void exchange_with_barriers(int* values) {
  values[lane()] = lane();
  __syncwarp();
  const int other = values[next_lane()];
  __syncwarp();
  values[lane()] += other;
}

__global__ void exchange_by_shuffle(int* values) {  // which orders no memory
  values[lane()] = lane();
  __shfl_sync(0xffffffffu, 0, 0);
  values[lane()] += values[next_lane()];
}

__global__ void exchange_in_shared_memory(int* values) {
  __shared__ int shared[kValues];
  shared[lane()] = lane();
  values[lane()] = shared[next_lane()];
}

__global__ void exchange_in_launched_memory(int* values) {
  int* shared = reinterpret_cast<int*>(stiction::launched_memory());
  shared[lane()] = lane();
  values[lane()] = shared[next_lane()];
}

__global__ void exceed_launched_memory(int* values) {
  int* shared = reinterpret_cast<int*>(stiction::launched_memory());
  values[lane()] = shared[kValues + lane()] = 1;
}

__global__ void write_from_every_block(int* values) { values[0] = 1; }

__global__ void flag_from_every_block(int* values) { atomicExch(values, 1); }

__global__ void write_beyond_the_end(int* values) { values[kValues + lane()] = 1; }

__global__ void write_host_memory(int* values) { values[0] = 1; }

__global__ void write_unaligned(int* values) { *reinterpret_cast<double*>(reinterpret_cast<char*>(values) + 4) = 1.0; }

__global__ void leave_before_the_barrier(int* values) {
  if (lane() == 3) return;
  __syncthreads();
  values[lane()] = 1;
}

__global__ void wait_at_another_barrier(int* values) {
  lane() < 16 ? __syncwarp() : __syncthreads();
  values[lane()] = 1;
}

__global__ void shuffle_from_outside(int* values) {
  values[lane()] = __shfl_sync(0xffffu << (lane() / 16 * 16), 1, 20);
}

__global__ void exchange_at_a_meeting(int* values) {  // which orders no memory
  values[lane()] = lane();
  __syncthreads_and(1);
  values[lane()] += values[next_lane()];
}

__global__ void meet_at_a_barrier(int* values) {
  if (lane() < 16)
    __syncthreads_and(1);
  else
    __syncthreads();
  values[lane()] = 1;
}

__global__ void meet_those_that_have_not_ended(int* values) {
  if (lane() == 3) return;
  if (__syncthreads_and(lane() != 4) || !__syncthreads_and(1)) values[kValues] = 1;
}

/// Writes beyond the end if meanwhile another team is at another place.
__device__ void work_at(stiction::Meeting place, int* values) {
  const int own = static_cast<int>(place);
  if (lane() == 0) atomicExch(values, own);
  __syncwarp();
  if (lane() == 0 && atomicExch(values, own) != own) values[kValues] = 1;
  __syncwarp();
}

/// Teams with different numbers of iterations of different ways, and of tasks.
__global__ void keep_in_step(int* values) {
  using enum stiction::Meeting;
  const stiction::WarpTeam team;
  const int row = static_cast<int>(threadIdx.y);
  team.start_meetings();
  for (int task = 0; task < 2 + row; ++task) {
    team.meet_all();
    for (int i = 0; i < 1 + (row + task) % 3; ++i) {
      team.meet(kEvaluate), work_at(kEvaluate, values);
      if ((row + i) % 2 == 0) team.meet(kFactor), work_at(kFactor, values);
      team.meet(kSubstitute), work_at(kSubstitute, values);
    }
  }
}

struct Named {
  const char* name;
  void (*kernel)(int*);
  int blocks;
  std::size_t shared_bytes;
  int rows = 1;
};

constexpr Named kKernels[] = {
    {"exchange_without_barrier", exchange_without_barrier, 1, 0},
    {"exchange_with_barriers", exchange_with_barriers, 1, 0},
    {"exchange_by_shuffle", exchange_by_shuffle, 1, 0},
    {"exchange_in_shared_memory", exchange_in_shared_memory, 1, 0},
    {"exchange_in_launched_memory", exchange_in_launched_memory, 1, kValues * sizeof(int)},
    {"exceed_launched_memory", exceed_launched_memory, 1, kValues * sizeof(int)},
    {"write_from_every_block", write_from_every_block, 2, 0},
    {"flag_from_every_block", flag_from_every_block, 2, 0},
    {"write_beyond_the_end", write_beyond_the_end, 1, 0},
    {"write_host_memory", write_host_memory, 1, 0},
    {"write_unaligned", write_unaligned, 1, 0},
    {"leave_before_the_barrier", leave_before_the_barrier, 1, 0},
    {"wait_at_another_barrier", wait_at_another_barrier, 1, 0},
    {"shuffle_from_outside", shuffle_from_outside, 1, 0},
    {"exchange_at_a_meeting", exchange_at_a_meeting, 1, 0},
    {"meet_at_a_barrier", meet_at_a_barrier, 1, 0},
    {"meet_those_that_have_not_ended", meet_those_that_have_not_ended, 1, 0},
    {"keep_in_step", keep_in_step, 1, 0, 3},
};

}  // namespace

bool run_kernel_named(const char* name) {
  for (const Named& known : kKernels)
    if (std::strcmp(known.name, name) == 0) {
      const stiction::DeviceArray<int> on_gpu(kValues);
      std::vector<int> on_host(kValues);
      int* values = std::strcmp(name, "write_host_memory") == 0 ? on_host.data() : on_gpu.data();
      stiction::launch({known.blocks, kValues, known.shared_bytes, known.rows}, nullptr, known.kernel, values);
      cudaDeviceSynchronize();
      return true;
    }
  return false;
}

}  // namespace emulated_gpu
