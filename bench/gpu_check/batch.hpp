// A batch without the simulator around it, so that a step costs what it costs on the device.
#pragma once

#include "bench/gpu_check/plan.hpp"
#include "host/backend/backend.hpp"

namespace stiction::gpu_check {

/// `options.batch` environments of `scene` without a state.
std::unique_ptr<Backend> make_batch(const Scene& scene, const SimulatorOptions& options);

/// The same at the start of the scene.
std::unique_ptr<Backend> start_batch(const Scene& scene, const SimulatorOptions& options);

/// Options of a batch on `device`; the host solves as a GPU does.
SimulatorOptions on(const std::string& device, int batch, Dtype dtype, int solve_threads = 0);

/// Figures of all environments after one step.
struct StepFigures {
  double contacts, rows, iterations;  // means
  double most_iterations;
  double worst_residual;
  double converged;  // share of the environments
};
StepFigures read_figures(const Backend& backend);

}  // namespace stiction::gpu_check
