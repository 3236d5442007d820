// The arrays of all environments in host memory, aligned to 64 bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <span>
#include <vector>

#include "host/backend/backend.hpp"
#include "host/backend/field_values.hpp"
#include "kernels/model/env_view.hpp"

namespace stiction {

/// Aligns the memory of a std::vector to cache lines.
template <class T>
struct AlignedAllocator {
  using value_type = T;
  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{64})); }
  void deallocate(T* p, std::size_t) { ::operator delete (p, std::align_val_t{64}); }
  friend bool operator==(const AlignedAllocator&, const AlignedAllocator&) { return true; }
};

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

template <class Real>
class BatchBuffers {
 public:
  BatchBuffers(const ModelView<Real>& model, const Capacity& capacity, int batch) {
#define ST_ENV(type, name, length)                                                       \
  name##_.resize(static_cast<std::size_t>(batch) * static_cast<std::size_t>(length));    \
  lengths_[static_cast<std::size_t>(EnvField::name)] = static_cast<std::size_t>(length); \
  view_.name = name##_.data();
#include "kernels/model/env_fields.inc"
#undef ST_ENV
    view_.model = model;
    view_.capacity = capacity;
  }

  const BatchView<Real>& view() const { return view_; }

  /// Number of values that one environment has in a field.
  std::size_t length(EnvField field) const { return lengths_[static_cast<std::size_t>(field)]; }

  FieldMemory memory(EnvField field) const {
    switch (field) {
#define ST_ENV(type, name, length) \
  case EnvField::name:             \
    return {view_.name, kValueType<type>, lengths_[static_cast<std::size_t>(field)]};
#include "kernels/model/env_fields.inc"
#undef ST_ENV
    }
    return {};
  }

  void overwrite(EnvField field, const void* source) {
    switch (field) {
#define ST_ENV(type, name, length)                                                 \
  case EnvField::name:                                                             \
    std::copy_n(static_cast<const type*>(source), name##_.size(), name##_.data()); \
    return;
#include "kernels/model/env_fields.inc"
#undef ST_ENV
    }
  }

  /// All values of a field, as double (batch, length).
  std::vector<double> read(EnvField field) const {
    switch (field) {
#define ST_ENV(type, name, length) \
  case EnvField::name:             \
    return {name##_.begin(), name##_.end()};
#include "kernels/model/env_fields.inc"
#undef ST_ENV
    }
    return {};
  }

  /// The values of some environments (ids, length).
  std::vector<double> read(EnvField field, std::span<const int> ids) const {
    const FieldMemory all = memory(field);
    const std::size_t bytes = all.length * bytes_of(all.type);
    std::vector<double> values;
    values.reserve(ids.size() * all.length);
    for (const int env : ids)
      append_values({static_cast<const char*>(all.data) + static_cast<std::size_t>(env) * bytes, bytes}, all.type,
                    values);
    return values;
  }

  /// As FieldWriter::write.
  void write(std::span<const int> ids, std::span<const FieldRows> rows) {
    for (const FieldRows& given : rows)
      for (std::size_t i = 0; i < ids.size(); ++i) write(given.field, ids[i], given.row(i, length(given.field)));
  }

 private:
  /// Overwrites the field of one environment.
  void write(EnvField field, int env, std::span<const double> values) {
    switch (field) {
#define ST_ENV(type, name, length)                                                                     \
  case EnvField::name: {                                                                               \
    const std::size_t first = static_cast<std::size_t>(env) * values.size();                           \
    for (std::size_t i = 0; i < values.size(); ++i) name##_[first + i] = static_cast<type>(values[i]); \
    break;                                                                                             \
  }
#include "kernels/model/env_fields.inc"
#undef ST_ENV
    }
  }

#define ST_ENV(type, name, length) AlignedVector<type> name##_;
#include "kernels/model/env_fields.inc"
#undef ST_ENV
  std::size_t lengths_[kEnvFields] = {};
  BatchView<Real> view_;
};

}  // namespace stiction
