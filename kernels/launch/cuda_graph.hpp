// Launches that are recorded once and replayed: one call of the driver in place of one call per kernel.
#pragma once

#include <utility>

#include "kernels/launch/cuda_stream.hpp"

namespace stiction {

/// Turns what `enqueue` enqueues in `stream` into nodes of `graph`, without running it. The nodes keep the values that
/// the kernels' arguments have now.
template <class Enqueue>
void record(const CudaStream& stream, cudaGraph_t graph, Enqueue enqueue) {
  // relaxed: the first launch of a kernel may load it, which the stricter modes forbid while recording
  constexpr cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  check_cuda(cudaStreamBeginCaptureToGraph(stream.get(), graph, nullptr, nullptr, 0, mode), "recording a step");
  cudaGraph_t recorded = nullptr;  // the same as `graph`, or null if the recording failed
  try {
    enqueue();
  } catch (...) {
    cudaStreamEndCapture(stream.get(), &recorded);
    throw;
  }
  check_cuda(cudaStreamEndCapture(stream.get(), &recorded), "recording a step");
}

class CudaGraph {
 public:
  CudaGraph() = default;
  /// Records what `enqueue` enqueues in `stream`, which may contain loops (cuda_graph_loop.hpp).
  template <class Enqueue>
  CudaGraph(const CudaStream& stream, Enqueue enqueue) : CudaGraph() {
    check_cuda(cudaGraphCreate(&recorded_, 0), "recording a step");
    record(stream, recorded_, enqueue);
    check_cuda(cudaGraphInstantiate(&executable_, recorded_, 0), "preparing a recorded step");
    check_cuda(cudaGraphUpload(executable_, stream.get()), "bringing a recorded step to the GPU");
  }
  ~CudaGraph() {
    if (executable_) cudaGraphExecDestroy(executable_);
    if (recorded_) cudaGraphDestroy(recorded_);
  }
  CudaGraph(CudaGraph&& other) noexcept
      : recorded_(std::exchange(other.recorded_, nullptr)), executable_(std::exchange(other.executable_, nullptr)) {}
  CudaGraph& operator=(CudaGraph&& other) noexcept {
    std::swap(recorded_, other.recorded_);
    std::swap(executable_, other.executable_);
    return *this;
  }

  void launch(const CudaStream& stream) const {
    check_cuda(cudaGraphLaunch(executable_, stream.get()), "launching a step");
  }

 private:
  cudaGraph_t recorded_ = nullptr;  // kept, because it owns the bodies of its loops
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace stiction
