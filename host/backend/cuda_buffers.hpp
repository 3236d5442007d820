// Model and environments in GPU memory.
#pragma once

#include <algorithm>
#include <functional>
#include <numeric>

#include "host/backend/array_bytes.hpp"
#include "host/backend/backend.hpp"
#include "host/backend/cuda_staging.hpp"
#include "host/backend/field_values.hpp"
#include "kernels/launch/cuda_rows.hpp"

namespace stiction {

/// The model's arrays on the GPU.
template <class Real>
class CudaModel {
 public:
  explicit CudaModel(const Model& model) : view_(ModelStorage<Real>(model).view()) {
#define ST_INT(name, length)              \
  name##_ = DeviceArray<int>(model.name); \
  view_.name = name##_.data();
#define ST_REAL(name, length)                                                           \
  name##_ = DeviceArray<Real>(std::vector<Real>(model.name.begin(), model.name.end())); \
  view_.name = name##_.data();
#include "kernels/model/model_fields.inc"
#undef ST_INT
#undef ST_REAL
    vertices_ = DeviceArray<double>(as_stored(model.mesh_vert));
    normals_ = DeviceArray<double>(as_stored(model.mesh_face_normal));
    view_.mesh_vert_in_double = vertices_.data();
    view_.mesh_face_normal_in_double = normals_.data();
  }

  const ModelView<Real>& view() const { return view_; }

 private:
#define ST_INT(name, length) DeviceArray<int> name##_;
#define ST_REAL(name, length) DeviceArray<Real> name##_;
#include "kernels/model/model_fields.inc"
#undef ST_INT
#undef ST_REAL
  /// The values that Real keeps, in double.
  static std::vector<double> as_stored(const std::vector<double>& values) {
    const std::vector<Real> stored(values.begin(), values.end());
    return {stored.begin(), stored.end()};
  }

  DeviceArray<double> vertices_, normals_;  // of hulls
  ModelView<Real> view_;
};

/// The last place of every environment in `ids`, so that a kernel that writes to all of them at the same time has each
/// once.
inline std::vector<int> last_places(std::span<const int> ids) {
  std::vector<int> places(ids.size());
  std::iota(places.begin(), places.end(), 0);
  if (std::ranges::adjacent_find(ids, std::greater_equal()) == ids.end()) return places;
  const auto id = [&](int place) { return ids[static_cast<std::size_t>(place)]; };
  std::ranges::stable_sort(places, {}, id);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < places.size(); ++i)
    if (i + 1 == places.size() || id(places[i]) != id(places[i + 1])) places[kept++] = places[i];
  places.resize(kept);
  return places;
}

/// Bytes of staging of a batch: enough for a row of every field, and for few uploads and downloads where many
/// environments are written or read.
template <class Real>
std::size_t staging_bytes(const ModelView<Real>& model, const Capacity& capacity) {
  constexpr std::size_t kMany = std::size_t{4} << 20;
  constexpr std::size_t kBesideRows = kEnvFields * (sizeof(NewRows) + CudaStaging::kAlignment) + 64;
  return CudaStaging::rounded(kMany + kBesideRows + array_bytes<Real>(model, capacity));
}

/// The arrays of all environments, in GPU memory only. What the host writes and reads goes through the staging memory,
/// in the order of the batch's stream.
template <class Real>
class CudaEnvironments {
 public:
  /// Everything is zero once the device has been waited for.
  CudaEnvironments(const ModelView<Real>& model, const Capacity& capacity, int batch)
      : staging_(staging_bytes(model, capacity)), batch_(batch) {
    view_.model = model;
    view_.capacity = capacity;
#define ST_ENV(type, name, length) \
  view_.name = allocate<type>(EnvField::name, static_cast<std::size_t>(length), static_cast<std::size_t>(batch));
#include "kernels/model/env_fields.inc"
#undef ST_ENV
  }

  /// The fields in GPU memory; their addresses never change.
  const BatchView<Real>& device_view() const { return view_; }
  const FieldMemory& memory(EnvField field) const { return fields_[static_cast<std::size_t>(field)]; }

  /// Enqueues a copy from GPU memory over a whole field.
  void overwrite(EnvField field, const void* source, const CudaStream& stream) {
    memory_[static_cast<std::size_t>(field)].copy_from(static_cast<const char*>(source), stream.get());
  }

  /// All values of a field (batch, length).
  std::vector<double> read(EnvField field, const CudaStream& stream) {
    const DeviceArray<char>& from = memory_[static_cast<std::size_t>(field)];
    std::vector<double> values = reserve_on_host(batch_, memory(field).length);
    staging_.download({from.data(), from.size()}, stream,
                      [&](std::span<const char> part) { append_values(part, memory(field).type, values); });
    return values;
  }

  /// The values of some environments (ids, length).
  std::vector<double> read_rows(EnvField name, std::span<const int> ids, const CudaStream& stream) {
    const FieldMemory& field = memory(name);
    const std::size_t bytes = field.length * bytes_of(field.type), each = bytes + sizeof(int);
    if (bytes == 0) return {};
    std::vector<double> values = reserve_on_host(static_cast<int>(ids.size()), field.length);
    std::vector<int> places(ids.size());
    std::iota(places.begin(), places.end(), 0);
    in_parts(places, (staging_.bytes() - 2 * CudaStaging::kAlignment) / each, [&](std::span<const int> part) {
      staging_.begin(part.size() * each + 2 * CudaStaging::kAlignment, stream);
      const EnvironmentList list = stage_list(ids, part);
      staging_.send(stream);
      const Staged<char> rows = staging_.take<char>(part.size() * bytes);
      enqueue_gather(static_cast<const std::uint32_t*>(field.data), static_cast<int>(bytes / sizeof(std::uint32_t)),
                     list, reinterpret_cast<std::uint32_t*>(rows.gpu), stream.get());
      append_values(staging_.receive(rows, part.size() * bytes, stream), field.type, values);
    });
    return values;
  }

  /// Enqueues that these environments get these rows; of an environment that is named twice the last row counts.
  void write(std::span<const int> ids, std::span<const FieldRows> rows, const CudaStream& stream) {
    std::size_t each = sizeof(int), once = 0;
    for (const FieldRows& given : rows) {
      const FieldMemory& field = memory(given.field);
      (given.is_for_all(field.length) ? once : each) += field.length * bytes_of(field.type);
      once += sizeof(NewRows) + CudaStaging::kAlignment;
    }
    const std::size_t bytes = once + CudaStaging::kAlignment;
    const std::vector<int> places = last_places(ids);
    in_parts(places, (staging_.bytes() - bytes) / each, [&](std::span<const int> part) {
      staging_.begin(bytes + part.size() * each, stream);
      write_part(ids, part, rows, stream);
    });
  }

  /// Calls use(list) for lists that together name each of these environments once.
  template <class Use>
  void visit(std::span<const int> ids, const CudaStream& stream, Use use) {
    const std::vector<int> places = last_places(ids);
    in_parts(places, staging_.bytes() / sizeof(int), [&](std::span<const int> part) {
      staging_.begin(CudaStaging::rounded(part.size() * sizeof(int)), stream);
      const EnvironmentList list = stage_list(ids, part);
      staging_.send(stream);
      use(list);
    });
  }

 private:
  template <class T>
  T* allocate(EnvField field, std::size_t length, std::size_t batch) {
    DeviceArray<char>& memory = memory_[static_cast<std::size_t>(field)];
    memory = DeviceArray<char>(batch * length * sizeof(T));
    memory.clear();
    fields_[static_cast<std::size_t>(field)] = {memory.data(), kValueType<T>, length};
    return reinterpret_cast<T*>(memory.data());
  }

  /// Calls f(part) for parts of at most `most` of these places.
  template <class F>
  static void in_parts(std::span<const int> places, std::size_t most, F f) {
    for (; !places.empty(); places = places.subspan(std::min(most, places.size())))
      f(places.first(std::min(most, places.size())));
  }

  /// The environments at some places of `ids`, as a part of an upload.
  EnvironmentList stage_list(std::span<const int> ids, std::span<const int> places) {
    const Staged<int> list = staging_.take<int>(places.size());
    std::ranges::transform(places, list.host, [&](int place) { return ids[static_cast<std::size_t>(place)]; });
    return {list.gpu, static_cast<int>(places.size())};
  }

  /// The rows at some places, as a part of an upload.
  NewRows stage_rows(const FieldRows& given, std::span<const int> places) {
    const FieldMemory& field = memory(given.field);
    const std::size_t bytes = field.length * bytes_of(field.type);
    const bool for_all = given.is_for_all(field.length);
    const Staged<char> to = staging_.take<char>(bytes * (for_all ? 1 : places.size()));
    for (std::size_t i = 0; i < (for_all ? 1 : places.size()); ++i)
      store_values(given.row(static_cast<std::size_t>(places[i]), field.length), field.type, to.host + i * bytes);
    const int words = static_cast<int>(bytes / sizeof(std::uint32_t));
    return {static_cast<std::uint32_t*>(field.data), reinterpret_cast<const std::uint32_t*>(to.gpu), words,
            for_all ? 0 : words};
  }

  void write_part(std::span<const int> ids, std::span<const int> places, std::span<const FieldRows> rows,
                  const CudaStream& stream) {
    const Staged<NewRows> arrays = staging_.take<NewRows>(rows.size());
    const EnvironmentList list = stage_list(ids, places);
    std::ranges::transform(rows, arrays.host, [&](const FieldRows& given) { return stage_rows(given, places); });
    staging_.send(stream);
    enqueue_rows(arrays.gpu, static_cast<int>(rows.size()), list, stream.get());
  }

  CudaStaging staging_;
  int batch_;
  DeviceArray<char> memory_[kEnvFields];
  FieldMemory fields_[kEnvFields];
  BatchView<Real> view_;
};

}  // namespace stiction
