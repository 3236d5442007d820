#include "host/backend/gpu_bytes.hpp"

#include "host/backend/backend.hpp"
#include "host/backend/step_config.hpp"
#include "host/model/model.hpp"

namespace stiction {
namespace {

template <class Real>
GpuBytes bytes_of(const Scene& scene, const Capacity& capacity) {
  constexpr std::size_t kLanes = 32;  // of a narrow phase
  const ModelStorage<Real> storage(*scene.model);
  const StepConfig<Real> config = make_step_config<Real>(scene);
  return {gpu_environment_bytes(storage.view(), capacity, config),
          gpu_scratch(storage.view(), capacity, config).solve + kLanes * sizeof(CollisionScratch<Real>)};
}

}  // namespace

GpuBytes gpu_bytes(const Scene& scene, const Capacity& capacity, bool single) {
  return single ? bytes_of<float>(scene, capacity) : bytes_of<double>(scene, capacity);
}

}  // namespace stiction
