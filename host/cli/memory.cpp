#include "host/cli/memory.hpp"

#include <vector>

#include "host/backend/array_bytes.hpp"
#include "host/backend/backend.hpp"
#include "host/backend/capacity.hpp"
#include "host/backend/thread_pool.hpp"

namespace stiction {
namespace {

template <class T>
std::size_t bytes_of(const std::vector<T>& values) {
  return values.size() * sizeof(T);
}

}  // namespace

std::size_t model_bytes(const Model& model) {
  std::size_t bytes = 0;
#define ST_INT(name, length) bytes += bytes_of(model.name);
#define ST_REAL(name, length) bytes += bytes_of(model.name);
#include "kernels/model/model_fields.inc"
#undef ST_INT
#undef ST_REAL
  return bytes;
}

std::size_t env_bytes(const Scene& scene, Dtype dtype) {
  const Capacity capacity = choose_capacity(scene);
  return dtype == Dtype::kFloat64 ? array_bytes<double>(*scene.model, capacity)
                                  : array_bytes<float>(*scene.model, capacity);
}

void check_memory(const Scene& scene, const SimulatorOptions& options) {
  const auto available = available_bytes();
  if (!available || options.device.starts_with("cuda")) return;  // a GPU's memory is checked when it is allocated
  const bool single = options.dtype == Dtype::kFloat32;
  check_fitting(options.batch,
                host_batch_bytes(scene, choose_capacity(scene), single, host_threads(options.threads, options.batch)),
                *available);
}

}  // namespace stiction
