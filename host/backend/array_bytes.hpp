// Bytes of the arrays that an environment keeps between steps.
#pragma once

#include "kernels/model/env_view.hpp"

namespace stiction {

/// Bytes of all arrays of kernels/model/env_fields.inc; `model` has the counts of a model.
template <class Real, class Counts>
std::size_t array_bytes(const Counts& model, const Capacity& capacity) {
  std::size_t bytes = 0;
#define ST_ENV(type, name, length) bytes += sizeof(type) * static_cast<std::size_t>(length);
#include "kernels/model/env_fields.inc"
#undef ST_ENV
  return bytes;
}

}  // namespace stiction
