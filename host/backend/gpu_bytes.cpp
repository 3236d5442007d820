#include "host/backend/array_bytes.hpp"
#include "host/backend/backend.hpp"
#include "host/backend/step_config.hpp"
#include "host/model/model.hpp"
#include "kernels/launch/run_steps.hpp"
#include "kernels/team/host_team.hpp"

namespace stiction {
namespace {

using Warp = HostTeam<PhaseOrder::kForward, 32>;  // lays memory out as a warp does

std::size_t whole_lines(std::size_t bytes) {
  return (bytes + Arena::kAlignment - 1) / Arena::kAlignment * Arena::kAlignment;
}

template <class Real>
GpuBytes bytes_of(const Scene& scene, const Capacity& capacity) {
  const ModelStorage<Real> storage(*scene.model);
  const ModelView<Real>& model = storage.view();
  const StepConfig<Real> config = make_step_config<Real>(scene);
  return {whole_lines(own_scratch_bytes(Warp{}, model, capacity, config)) + sizeof(StepProgress<Real>) +
              sizeof(SolveTask) + array_bytes<Real>(model, capacity),
          whole_lines(solve_scratch_bytes(Warp{}, model, capacity, config)) +
              Warp::kLanes * sizeof(CollisionScratch<Real>)};
}

}  // namespace

GpuBytes gpu_bytes(const Scene& scene, const Capacity& capacity, bool single) {
  return single ? bytes_of<float>(scene, capacity) : bytes_of<double>(scene, capacity);
}

}  // namespace stiction
