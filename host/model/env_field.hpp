// The arrays of all environments by name, and where one lies.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stiction {

/// The arrays of kernels/model/env_fields.inc.
enum class EnvField {
#define ST_ENV(type, name, length) name,
#include "kernels/model/env_fields.inc"
#undef ST_ENV
};

constexpr std::size_t kEnvFields = 0
#define ST_ENV(type, name, length) +1
#include "kernels/model/env_fields.inc"
#undef ST_ENV
    ;

/// The first of them are all that a step reads; the rest it writes only.
constexpr std::size_t kStateFields = static_cast<std::size_t>(EnvField::body_pose);

enum class ValueType { kFloat64, kFloat32, kInt32, kUint32 };

template <class T>
constexpr ValueType kValueType = ValueType::kFloat64;
template <>
inline constexpr ValueType kValueType<float> = ValueType::kFloat32;
template <>
inline constexpr ValueType kValueType<int> = ValueType::kInt32;
template <>
inline constexpr ValueType kValueType<std::uint32_t> = ValueType::kUint32;

/// The memory of an array, row-major (batch, length), aligned to 64 bytes; it stays where it is.
struct FieldMemory {
  void* data = nullptr;
  ValueType type = ValueType::kFloat64;
  std::size_t length = 0;  // values of one environment
  int cuda_device = -1;    // -1: host memory
};

}  // namespace stiction
