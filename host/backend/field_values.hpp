// Values of a field in its own type, from double and back.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "host/model/env_field.hpp"

namespace stiction {

/// Calls f(zero) with a zero of a field's type.
template <class F>
auto with_type(ValueType type, F f) {
  switch (type) {
    case ValueType::kFloat32:
      return f(float{});
    case ValueType::kInt32:
      return f(int{});
    case ValueType::kUint32:
      return f(std::uint32_t{});
    case ValueType::kFloat64:
      break;
  }
  return f(double{});
}

inline std::size_t bytes_of(ValueType type) {
  return with_type(type, [](auto zero) { return sizeof zero; });
}

/// Stores values in a field's type at `to`.
inline void store_values(std::span<const double> values, ValueType type, char* to) {
  with_type(type, [&](auto zero) {
    using T = decltype(zero);
    std::ranges::transform(values, reinterpret_cast<T*>(to), [](double value) { return static_cast<T>(value); });
  });
}

/// Appends the values that lie in `from` in a field's type.
inline void append_values(std::span<const char> from, ValueType type, std::vector<double>& values) {
  with_type(type, [&](auto zero) {
    const auto* first = reinterpret_cast<const decltype(zero)*>(from.data());
    values.insert(values.end(), first, first + from.size() / sizeof zero);
  });
}

}  // namespace stiction
