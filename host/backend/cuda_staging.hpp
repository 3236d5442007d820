// The memory through which values pass between host and GPU: a piece that is pinned on the host, and a piece of the
// same size on the GPU.
//
// Uploads take one part of it after the other, so that the host writes the next upload while earlier ones wait in the
// stream. When all of it has been taken, the host waits for the stream once and starts again at its beginning.
#pragma once

#include <algorithm>
#include <span>

#include "host/backend/pinned_memory.hpp"
#include "kernels/launch/cuda_memory.hpp"
#include "kernels/launch/cuda_stream.hpp"

namespace stiction {

/// A part of an upload: where the host writes it, and where kernels find it.
template <class T>
struct Staged {
  T *host, *gpu;
};

class CudaStaging {
 public:
  static constexpr std::size_t kAlignment = 8;  // of every part of an upload [bytes]

  /// `bytes`: a multiple of kAlignment.
  explicit CudaStaging(std::size_t bytes) : bytes_(bytes), host_(bytes), gpu_(bytes) {}

  std::size_t bytes() const { return bytes_; }

  /// Begins an upload whose parts, each rounded up to kAlignment, take at most `bytes`.
  void begin(std::size_t bytes, const CudaStream& stream) {
    if (bytes > bytes_ - taken_) {
      stream.wait("copying to the GPU");
      taken_ = 0;
    }
    first_ = taken_;
  }

  /// The next part of the upload.
  template <class T>
  Staged<T> take(std::size_t count) {
    const std::size_t at = taken_;
    taken_ += rounded(count * sizeof(T));
    return {reinterpret_cast<T*>(host_.data() + at), reinterpret_cast<T*>(gpu_.data() + at)};
  }

  /// Enqueues the upload of all its parts.
  void send(const CudaStream& stream) const {
    check_cuda(cudaMemcpyAsync(gpu_.data() + first_, host_.data() + first_, taken_ - first_, cudaMemcpyHostToDevice,
                               stream.get()),
               "copying to the GPU");
  }

  /// Calls use(part) for one part of GPU memory after the other, once it is on the host.
  template <class Use>
  void download(std::span<const char> from, const CudaStream& stream, Use use) {
    for (; !from.empty(); from = from.subspan(std::min(bytes_, from.size()))) {
      const std::span<const char> part = from.first(std::min(bytes_, from.size()));
      check_cuda(cudaMemcpyAsync(host_.data(), part.data(), part.size(), cudaMemcpyDeviceToHost, stream.get()),
                 "copying from the GPU");
      stream.wait("reading from the GPU");
      taken_ = 0;  // the stream has made all uploads
      use(std::span<const char>(host_.data(), part.size()));
    }
  }

  /// A part of an upload, once kernels have filled it on the GPU.
  std::span<const char> receive(const Staged<char>& part, std::size_t bytes, const CudaStream& stream) {
    check_cuda(cudaMemcpyAsync(part.host, part.gpu, bytes, cudaMemcpyDeviceToHost, stream.get()),
               "copying from the GPU");
    stream.wait("reading from the GPU");
    taken_ = 0;  // the stream has made all uploads
    return {part.host, bytes};
  }

  static constexpr std::size_t rounded(std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

 private:
  std::size_t bytes_;
  PinnedMemory host_;
  DeviceArray<char> gpu_;
  std::size_t first_ = 0, taken_ = 0;  // begin of the last upload, and what is taken [bytes]
};

}  // namespace stiction
