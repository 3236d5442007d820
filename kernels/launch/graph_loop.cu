// The kernel that decides a loop, and the loop's node. cudaGraphSetConditional is the driver's own, like printf of a
// kernel: ptxas leaves it open and no library of device code is linked for it.
#include "kernels/launch/cuda_graph_loop.hpp"
#include "kernels/launch/cuda_launch.cuh"

namespace stiction {
namespace {

#if CUDART_VERSION < 13000  // what CUDA 13 calls by the plain names
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

/// What a stream records: its graph so far, and the nodes that the next one waits for.
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
