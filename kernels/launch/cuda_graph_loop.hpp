// A loop in a graph that is being recorded. The GPU decides when it ends; the host does not wait.
//
//   ... -> decide -> while condition { body -> decide } -> ...
//
//   decide    condition <- *again, then *again <- 0; by one thread, because no two may set a condition at the same time
//
// A driver older than CUDA 12.4 has no such loops and refuses the recording (docs/adr/0210-a-loop-in-the-graph.md); the
// host then launches the kernels one by one (docs/adr/0217-what-an-older-driver-runs.md).
#pragma once

#include "kernels/launch/cuda_graph.hpp"

namespace stiction {

/// A loop whose body is still empty.
struct GraphLoop {
  cudaGraphConditionalHandle condition;
  cudaGraph_t body;  // belongs to the graph that has the loop
};

/// Adds a loop to what `stream` records; the nodes that follow in the stream wait for its end.
GraphLoop begin_loop(cudaStream_t stream, int* again);

/// Enqueues the kernel `decide`.
void enqueue_decision(cudaGraphConditionalHandle condition, int* again, cudaStream_t stream);

/// Records a loop in `stream`: body(s), which enqueues kernels in stream s, runs as long as *again is not 0. `again` is
/// in GPU memory; the body may set it and need not clear it.
template <class Body>
void record_while(cudaStream_t stream, int* again, Body body) {
  const GraphLoop loop = begin_loop(stream, again);
  const CudaStream inside;  // a second stream, because the first is busy recording
  record(inside, loop.body, [&] {
    body(inside.get());
    enqueue_decision(loop.condition, again, inside.get());
  });
}

}  // namespace stiction
