// The memory of an environment on a GPU, known without one.
#pragma once

#include "host/backend/array_bytes.hpp"
#include "kernels/launch/run_steps.hpp"
#include "kernels/team/host_team.hpp"

namespace stiction {

/// Bytes of scratch: of an environment, and of one that is being solved. Multiples of 64.
struct GpuScratch {
  std::size_t own, solve;
};

template <class Real>
GpuScratch gpu_scratch(const ModelView<Real>& model, const Capacity& capacity, const StepConfig<Real>& config) {
  const HostTeam<PhaseOrder::kForward, 32> warp;  // lays memory out as a warp does
  const auto whole_lines = [](std::size_t bytes) {
    return (bytes + Arena::kAlignment - 1) / Arena::kAlignment * Arena::kAlignment;
  };
  return {whole_lines(own_scratch_bytes(warp, model, capacity, config)),
          whole_lines(solve_scratch_bytes(warp, model, capacity, config))};
}

/// All bytes that one environment takes, besides what those at work share.
template <class Real>
std::size_t gpu_environment_bytes(const ModelView<Real>& model, const Capacity& capacity,
                                  const StepConfig<Real>& config) {
  return gpu_scratch(model, capacity, config).own + sizeof(StepProgress<Real>) + sizeof(SolveTask) + sizeof(int) +
         array_bytes<Real>(model, capacity);  // an int: its place in the order of solves
}

}  // namespace stiction
