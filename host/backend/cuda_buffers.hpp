// Model and environments in GPU memory, with a copy of the environments on the host.
#pragma once

#include "host/backend/batch_buffers.hpp"
#include "kernels/launch/cuda_memory.hpp"
#include "kernels/launch/cuda_stream.hpp"

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
  }

  const ModelView<Real>& view() const { return view_; }

 private:
#define ST_INT(name, length) DeviceArray<int> name##_;
#define ST_REAL(name, length) DeviceArray<Real> name##_;
#include "kernels/model/model_fields.inc"
#undef ST_INT
#undef ST_REAL
  ModelView<Real> view_;
};

/// The arrays of all environments on the host and on the GPU. A field is copied, in the batch's stream, when the side
/// with the older values needs it. A host array is not touched while it is being uploaded: the GPU then counts as the
/// newer side, and the host waits for the stream before it reads or writes.
template <class Real>
class CudaEnvironments {
 public:
  CudaEnvironments(const ModelView<Real>& host_model, const ModelView<Real>& device_model, const Capacity& capacity,
                   int batch)
      : host_(host_model, capacity, batch) {
    view_.model = device_model;
    view_.capacity = capacity;
    const auto values = [&](EnvField field) { return static_cast<std::size_t>(batch) * host_.length(field); };
#define ST_ENV(type, name, length)                     \
  name##_ = DeviceArray<type>(values(EnvField::name)); \
  view_.name = name##_.data();
#include "kernels/model/env_fields.inc"
#undef ST_ENV
    for (Newer& newer : newer_) newer = Newer::kHost;
  }

  /// The fields in GPU memory; their addresses never change.
  const BatchView<Real>& device_view() const { return view_; }

  /// Enqueues the copies that make all fields current on the GPU, which may change them afterwards.
  void give_to_device(const CudaStream& stream) {
    for (std::size_t f = 0; f < kEnvFields; ++f) {
      if (newer_[f] == Newer::kHost) copy(static_cast<EnvField>(f), Direction::kUpload, stream);
      newer_[f] = Newer::kDevice;
    }
  }

  /// The memory of a field on the GPU, current in the order of the stream. From now on others may write to it.
  FieldMemory share(EnvField field, const CudaStream& stream) {
    Newer& newer = newer_[static_cast<std::size_t>(field)];
    if (newer == Newer::kHost) copy(field, Direction::kUpload, stream);
    newer = Newer::kDevice;
    shared_[static_cast<std::size_t>(field)] = true;
    FieldMemory memory = host_.memory(field);
    memory.data = device_data(field);
    return memory;
  }

  /// Enqueues the copy that makes a shared field current on the GPU.
  void publish(EnvField field, const CudaStream& stream) {
    const auto f = static_cast<std::size_t>(field);
    if (!shared_[f] || newer_[f] != Newer::kHost) return;
    copy(field, Direction::kUpload, stream);
    newer_[f] = Newer::kDevice;
  }

  /// Enqueues a copy from GPU memory over a whole field.
  void overwrite(EnvField field, const void* source, const CudaStream& stream) {
    switch (field) {
#define ST_ENV(type, name, length)                                     \
  case EnvField::name:                                                 \
    name##_.copy_from(static_cast<const type*>(source), stream.get()); \
    break;
#include "kernels/model/env_fields.inc"
#undef ST_ENV
    }
    newer_[static_cast<std::size_t>(field)] = Newer::kDevice;
  }

  std::size_t length(EnvField field) const { return host_.length(field); }

  std::vector<double> read(EnvField field, const CudaStream& stream) {
    bring_to_host(field, stream);
    return host_.read(field);
  }

  void write(EnvField field, int env, std::span<const double> values, const CudaStream& stream) {
    bring_to_host(field, stream);
    host_.write(field, env, values);
    newer_[static_cast<std::size_t>(field)] = Newer::kHost;
  }

 private:
  enum class Newer { kNeither, kHost, kDevice };
  enum class Direction { kUpload, kDownload };

  void bring_to_host(EnvField field, const CudaStream& stream) {
    Newer& newer = newer_[static_cast<std::size_t>(field)];
    if (newer != Newer::kDevice) return;
    copy(field, Direction::kDownload, stream);
    stream.wait("reading from the GPU");
    if (!shared_[static_cast<std::size_t>(field)]) newer = Newer::kNeither;
  }

  void* device_data(EnvField field) const {
    switch (field) {
#define ST_ENV(type, name, length) \
  case EnvField::name:             \
    return name##_.data();
#include "kernels/model/env_fields.inc"
#undef ST_ENV
    }
    return nullptr;
  }

  void copy(EnvField field, Direction direction, const CudaStream& stream) {
    switch (field) {
#define ST_ENV(type, name, length)                                                           \
  case EnvField::name:                                                                       \
    return direction == Direction::kUpload ? name##_.upload(host_.view().name, stream.get()) \
                                           : name##_.download(host_.view().name, stream.get());
#include "kernels/model/env_fields.inc"
#undef ST_ENV
    }
  }

  BatchBuffers<Real> host_;
  BatchView<Real> view_;
#define ST_ENV(type, name, length) DeviceArray<type> name##_;
#include "kernels/model/env_fields.inc"
#undef ST_ENV
  Newer newer_[kEnvFields];
  bool shared_[kEnvFields] = {};  // true: the memory was given out, and may have newer values on the GPU at any time
};

}  // namespace stiction
