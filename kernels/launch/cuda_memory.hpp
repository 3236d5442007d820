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
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) { upload(values.data()); }
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

  /// Copies all values from the host.
  void upload(const T* from) {
    if (count_ > 0)
      check_cuda(cudaMemcpy(data_, from, count_ * sizeof(T), cudaMemcpyHostToDevice), "copying to the GPU");
  }
  /// Copies all values to the host.
  void download(T* to) const {
    if (count_ > 0)
      check_cuda(cudaMemcpy(to, data_, count_ * sizeof(T), cudaMemcpyDeviceToHost), "copying from the GPU");
  }

 private:
  void* data_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace stiction
