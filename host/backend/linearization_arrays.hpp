// The memory of a linearization, which outlives the call that made it.
#pragma once

#include <memory>

#include "host/model/linearization.hpp"
#include "kernels/launch/linearize_phases.hpp"

namespace stiction {

/// `Array<T>` is memory that kernels can write, made from a length; `device` is the cuda_device of FieldMemory.
template <template <class> class Array>
class LinearizationArrays {
 public:
  LinearizationArrays(int batch, int nv, int nu, int device)
      : nv_(static_cast<std::size_t>(nv)),
        nu_(static_cast<std::size_t>(nu)),
        device_(device),
        v_(static_cast<std::size_t>(batch) * nv_),
        A_(v_.size() * nv_),
        B_(v_.size() * nu_),
        status_(static_cast<std::size_t>(batch)) {}

  BatchLinearization view() { return {v_.data(), A_.data(), B_.data(), status_.data()}; }

  Linearization described(std::shared_ptr<void> owner) {
    return {std::move(owner),
            {v_.data(), ValueType::kFloat64, nv_, device_},
            {A_.data(), ValueType::kFloat64, nv_ * nv_, device_},
            {B_.data(), ValueType::kFloat64, nv_ * nu_, device_},
            {status_.data(), ValueType::kUint32, 1, device_}};
  }

 private:
  std::size_t nv_, nu_;
  int device_;
  Array<double> v_, A_, B_;
  Array<std::uint32_t> status_;
};

}  // namespace stiction
