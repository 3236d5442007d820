// A CUDA stream, owned or borrowed.
#pragma once

#include "kernels/launch/cuda_check.hpp"

namespace stiction {

/// Whether what is enqueued in a stream is recorded for a CUDA graph, not run. Nobody can wait for such a stream.
inline bool is_captured(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  const cudaError_t code = cudaStreamIsCapturing(stream, &status);
  if (code == cudaErrorStreamCaptureImplicit) {  // the default stream, while a stream ordered with it is captured
    cudaGetLastError();
    return true;
  }
  return code == cudaSuccess && status != cudaStreamCaptureStatusNone;  // other errors are those of the stream's work
}

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
  bool is_borrowed() const { return !owned_; }

  /// Returns once everything enqueued is done; throws if any of it failed.
  void wait(const std::string& what) const { check_cuda(cudaStreamSynchronize(stream_), what); }

 private:
  cudaStream_t stream_ = nullptr;
  bool owned_ = true;
};

}  // namespace stiction
