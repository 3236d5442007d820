// How solves are launched on a GPU: threads and shared memory, as the user asks or as the sizes suggest.
#pragma once

#include "kernels/launch/factor_memory.hpp"
#include "kernels/model/types.hpp"

namespace stiction {

/// Throws InputError if `memory` asks for shared memory that the GPU does not have. `factor` is the size for one
/// environment, 0 if the solver has no factor.
SolveLaunch choose_solve_launch(FactorMemory memory, SolverName solver, SolveWidth width, const NearBytes& factor,
                                const SharedMemory& gpu);

}  // namespace stiction
