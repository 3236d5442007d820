// The arrays of all environments by name, and the memory of one of them.
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

/// Number of fields that a step reads; these come first, and the fields after them are only written.
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

/// The memory of an array, row-major (batch, length), aligned to 64 bytes; its address does not change.
struct FieldMemory {
  void* data = nullptr;
  ValueType type = ValueType::kFloat64;
  std::size_t length = 0;  // values of one environment
  int cuda_device = -1;    // -1: host memory
};

}  // namespace stiction
