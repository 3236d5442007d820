// The kernel that decides whether a loop continues, and the loop's node. cudaGraphSetConditional is part of the driver,
// like the printf of a kernel: ptxas leaves it unresolved, and no library of device code has to be linked for it.
#include "kernels/launch/cuda_graph_loop.hpp"
#include "kernels/launch/cuda_launch.cuh"

namespace stiction {
namespace {

#if CUDART_VERSION < 13000  // CUDA 13 has these functions under their names without a suffix
constexpr auto add_node = cudaGraphAddNode_v2;
constexpr auto read_recording = cudaStreamGetCaptureInfo_v3;
constexpr auto continue_after = cudaStreamUpdateCaptureDependencies_v2;
#else
constexpr auto add_node = cudaGraphAddNode;
constexpr auto read_recording = cudaStreamGetCaptureInfo;
constexpr auto continue_after = cudaStreamUpdateCaptureDependencies;
#endif

__global__ void decide_kernel(cudaGraphConditionalHandle condition, int* again) {
  cudaGraphSetConditional(condition, *again != 0 ? 1 : 0);
  *again = 0;
}

/// The recording of a stream: its graph so far, and the nodes that the next node has to wait for.
struct Recording {
  cudaGraph_t graph;
  const cudaGraphNode_t* last;
  std::size_t num_last;
};

Recording recording_of(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  Recording recording{};
  check_cuda(read_recording(stream, &status, nullptr, &recording.graph, &recording.last, nullptr, &recording.num_last),
             "recording a loop");
  if (status != cudaStreamCaptureStatusActive) throw CudaError(cudaErrorIllegalState, "recording a loop");
  return recording;
}

}  // namespace

void enqueue_decision(cudaGraphConditionalHandle condition, int* again, cudaStream_t stream) {
  launch({1, 1}, stream, decide_kernel, condition, again);
}

GraphLoop begin_loop(cudaStream_t stream, int* again) {
  GraphLoop loop{};
  check_cuda(
      cudaGraphConditionalHandleCreate(&loop.condition, recording_of(stream).graph, 0, cudaGraphCondAssignDefault),
      "recording a loop");
  enqueue_decision(loop.condition, again, stream);
  cudaGraphNodeParams described{};
  described.type = cudaGraphNodeTypeConditional;
  described.conditional.handle = loop.condition;
  described.conditional.type = cudaGraphCondTypeWhile;
  described.conditional.size = 1;
  const Recording before = recording_of(stream);
  cudaGraphNode_t node = nullptr;
  check_cuda(add_node(&node, before.graph, before.last, nullptr, before.num_last, &described), "recording a loop");
  check_cuda(continue_after(stream, &node, nullptr, 1, cudaStreamSetCaptureDependencies), "recording a loop");
  loop.body = described.conditional.phGraph_out[0];
  return loop;
}

}  // namespace stiction
