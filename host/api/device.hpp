// Makes what computes on a device from the device's name.
#pragma once

#include <memory>

#include "host/api/simulator.hpp"
#include "host/api/solve_problems.hpp"
#include "host/backend/backend.hpp"
#include "host/backend/gpu_solver.hpp"

namespace stiction {

/// "auto" means a usable GPU, or the host if there is none. Throws InputError for a device that is unknown or not
/// usable here.
std::unique_ptr<Backend> make_backend(const Scene& scene, const Capacity& capacity, const SimulatorOptions& options);

/// The GPU of options.device, or null for the host. Throws InputError as make_backend does.
std::unique_ptr<GpuSolver> make_gpu_solver(const SolveOptions& options);

}  // namespace stiction
