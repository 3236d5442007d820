// A stream of one's own.
#pragma once

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

}  // namespace stiction
