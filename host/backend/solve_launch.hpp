// How a GPU's solves are launched: threads and shared memory, as asked for or by the sizes.
#pragma once

#include "kernels/launch/factor_memory.hpp"
#include "kernels/model/types.hpp"

namespace stiction {

/// Throws InputError if `memory` asks for shared memory that cannot be had. `factor_bytes`: of one environment, 0 where
/// the solver has no factor.
SolveLaunch choose_solve_launch(FactorMemory memory, SolverName solver, SolveWidth width, std::size_t factor_bytes,
                                const SharedMemory& gpu);

}  // namespace stiction
