// Device memory that frees itself.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "kernels/launch/cuda_check.hpp"

namespace stiction {

template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  explicit DeviceArray(std::size_t count) : count_(count) {
    if (count > 0) check_cuda(cudaMalloc(&data_, count * sizeof(T)), "allocating GPU memory");
  }
  /// An array with these values. Kernels in a non-default stream may read them only after cudaDeviceSynchronize.
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    if (count_ > 0)
      check_cuda(cudaMemcpy(data_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice), "copying to the GPU");
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(DeviceArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }

  T* data() const { return static_cast<T*>(data_); }
  std::size_t size() const { return count_; }

  /// Zeroes all values. Kernels in a non-default stream may read them only after cudaDeviceSynchronize.
  void clear() {
    if (count_ > 0) check_cuda(cudaMemsetAsync(data_, 0, count_ * sizeof(T), nullptr), "clearing GPU memory");
  }
  /// Enqueues a copy of all values from the host, which must not change or free them until it is made.
  void upload(const T* from, cudaStream_t stream) {
    if (count_ > 0)
      check_cuda(cudaMemcpyAsync(data_, from, count_ * sizeof(T), cudaMemcpyHostToDevice, stream),
                 "copying to the GPU");
  }
  /// Enqueues a copy of all values to the host.
  void download(T* to, cudaStream_t stream) const {
    if (count_ > 0)
      check_cuda(cudaMemcpyAsync(to, data_, count_ * sizeof(T), cudaMemcpyDeviceToHost, stream),
                 "copying from the GPU");
  }
  /// Enqueues a copy of all values from other GPU memory.
  void copy_from(const T* from, cudaStream_t stream) {
    if (count_ > 0)
      check_cuda(cudaMemcpyAsync(data_, from, count_ * sizeof(T), cudaMemcpyDeviceToDevice, stream),
                 "copying on the GPU");
  }

 private:
  void* data_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace stiction
