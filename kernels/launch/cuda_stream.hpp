// A stream of one's own, and launches recorded once and replayed: one call of the driver in place of one a kernel.
#pragma once

#include <utility>

#include "kernels/launch/cuda_check.hpp"

namespace stiction {

/// A new stream, not ordered with the default one: what is copied for its kernels is copied in it; or a caller's.
class CudaStream {
 public:
  CudaStream() { check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream"); }
  /// The caller's, which must live longer.
  explicit CudaStream(cudaStream_t borrowed) : stream_(borrowed), owned_(false) {}
  /// Waits for what is enqueued, so that memory which outlives the stream may then be freed.
  ~CudaStream() {
    cudaStreamSynchronize(stream_);
    if (owned_) cudaStreamDestroy(stream_);
  }
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;

  cudaStream_t get() const { return stream_; }

  /// Returns once everything enqueued is done; throws the error of what failed since.
  void wait(const std::string& what) const { check_cuda(cudaStreamSynchronize(stream_), what); }

 private:
  cudaStream_t stream_ = nullptr;
  bool owned_ = true;
};

class CudaGraph {
 public:
  CudaGraph() = default;
  /// Records what `enqueue` enqueues in `stream`, which does not run it. The kernels' arguments are kept as they are.
  template <class Enqueue>
  CudaGraph(const CudaStream& stream, Enqueue enqueue) {
    // relaxed: the first launch of a kernel may load it, which the stricter modes forbid while recording
    check_cuda(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeRelaxed), "recording a step");
    cudaGraph_t recorded = nullptr;
    try {
      enqueue();
    } catch (...) {
      cudaStreamEndCapture(stream.get(), &recorded);
      if (recorded) cudaGraphDestroy(recorded);
      throw;
    }
    check_cuda(cudaStreamEndCapture(stream.get(), &recorded), "recording a step");
    const cudaError_t error = cudaGraphInstantiate(&executable_, recorded, 0);
    cudaGraphDestroy(recorded);
    check_cuda(error, "preparing a recorded step");
    check_cuda(cudaGraphUpload(executable_, stream.get()), "bringing a recorded step to the GPU");
  }
  ~CudaGraph() {
    if (executable_) cudaGraphExecDestroy(executable_);
  }
  CudaGraph(CudaGraph&& other) noexcept : executable_(std::exchange(other.executable_, nullptr)) {}
  CudaGraph& operator=(CudaGraph&& other) noexcept {
    std::swap(executable_, other.executable_);
    return *this;
  }

  void launch(const CudaStream& stream) const {
    check_cuda(cudaGraphLaunch(executable_, stream.get()), "launching a step");
  }

 private:
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace stiction
