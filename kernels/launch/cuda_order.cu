// The order in which tasks are solved. What took many iterations in the last step often takes many again; begun last,
// it would keep the GPU waiting alone.
//
//   bucket of a task    min(floor(log2(iterations of the last step)), 5), 0 iterations count as 1
//   its place           wanted tasks of higher buckets + wanted tasks of its bucket with smaller numbers       (1)
//
// One block counts and places all tasks: thread t has the t-th range of them, and the tables of counts are joined so
// that places do not depend on which thread comes first.
#include "kernels/launch/cuda_launch.cuh"
#include "kernels/launch/cuda_solve.hpp"

namespace stiction {
namespace {

constexpr int kOrderThreads = 256, kBuckets = 6;

__device__ int bucket_of(const SolveTask& task) {
  int bucket = 0;
  for (int left = task.expected; left > 1 && bucket < kBuckets - 1; left /= 2) ++bucket;
  return bucket;
}

/// counts (kBuckets, kOrderThreads) of wanted tasks become those of the threads before, in the same bucket; totals
/// (kBuckets) gets all of a bucket. Thread b walks bucket b.
__device__ void place_counts(int* counts, int* totals) {
  const int b = static_cast<int>(threadIdx.x);
  if (b >= kBuckets) return;
  int sum = 0;
  for (int t = 0; t < kOrderThreads; ++t) {
    const int own = counts[b * kOrderThreads + t];
    counts[b * kOrderThreads + t] = sum, sum += own;
  }
  totals[b] = sum;
}

__global__ void order_kernel(const SolveTask* task, int count, int* order, int* ordered) {
  __shared__ int counts[kBuckets * kOrderThreads];
  __shared__ int totals[kBuckets];
  const int t = static_cast<int>(threadIdx.x), range = (count + kOrderThreads - 1) / kOrderThreads;
  const int first = smaller(t * range, count), end = smaller(first + range, count);
  for (int b = 0; b < kBuckets; ++b) counts[b * kOrderThreads + t] = 0;
  for (int i = first; i < end; ++i)
    if (task[i].wanted) ++counts[bucket_of(task[i]) * kOrderThreads + t];
  __syncthreads();
  place_counts(counts, totals);
  __syncthreads();
  int before[kBuckets], all = 0;
  for (int b = kBuckets - 1; b >= 0; --b) before[b] = all + counts[b * kOrderThreads + t], all += totals[b];
  for (int i = first; i < end; ++i)
    if (task[i].wanted) order[before[bucket_of(task[i])]++] = i;
  if (t == 0) *ordered = all;
}

}  // namespace

void enqueue_order(const SolveTask* task, int count, int* order, int* ordered, cudaStream_t stream) {
  launch({1, kOrderThreads}, stream, order_kernel, task, count, order, ordered);
}

}  // namespace stiction
