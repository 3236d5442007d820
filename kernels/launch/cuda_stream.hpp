// A CUDA stream, owned or borrowed.
#pragma once

#include "kernels/launch/cuda_check.hpp"

namespace stiction {

/// A new stream or a caller's. A new stream is not ordered with the default stream: copies for its kernels have to be
/// made in the stream itself.
class CudaStream {
 public:
  CudaStream() { check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream"); }
  /// A stream of the caller, which must live longer than this object.
  explicit CudaStream(cudaStream_t borrowed) : stream_(borrowed), owned_(false) {}
  /// Waits for everything enqueued, so that memory that the kernels use may be freed afterwards.
  ~CudaStream() {
    cudaStreamSynchronize(stream_);
    if (owned_) cudaStreamDestroy(stream_);
  }
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;

  cudaStream_t get() const { return stream_; }

  /// Returns once everything enqueued is done; throws if any of it failed.
  void wait(const std::string& what) const { check_cuda(cudaStreamSynchronize(stream_), what); }

 private:
  cudaStream_t stream_ = nullptr;
  bool owned_ = true;
};

}  // namespace stiction
