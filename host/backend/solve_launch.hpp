// How a GPU's solves are launched: threads and shared memory, as asked for or by the sizes.
#pragma once

#include "kernels/launch/factor_memory.hpp"
#include "kernels/model/traits.hpp"

namespace stiction {

/// Throws InputError if `memory` asks for shared memory that cannot be had. `factor`: of one environment, 0 where the
/// solver has none.
SolveLaunch choose_solve_launch(FactorMemory memory, SolverName solver, SolveWidth width, const NearBytes& factor,
                                const SharedMemory& gpu);

}  // namespace stiction
