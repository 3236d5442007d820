#include "host/backend/solve_launch.hpp"

#include <string>

#include "host/model/choices.hpp"
#include "host/model/error.hpp"

namespace stiction {

SolveLaunch choose_solve_launch(FactorMemory memory, SolverName solver, SolveWidth width, const NearBytes& factor,
                                const SharedMemory& gpu) {
  if (memory == FactorMemory::kShared && factor.most == 0)
    throw InputError("factor_memory: shared given, but the solver " + choice_name(solver_choice(), solver) +
                     " has no factor; leave it out");
  const SolveBlocks blocks = solve_blocks(width, TaskKernel::kSolve);
  const std::size_t shares = shares_of_a_block(blocks, factor.most);
  if (memory == FactorMemory::kShared && shares + kTeamShared > gpu.a_block)
    throw InputError("factor_memory: shared given, but the factors of a block (environments: " +
                     std::to_string(blocks.environments) + ") take " + std::to_string(shares) + " B and this GPU has " +
                     std::to_string(gpu.a_block - kTeamShared) +
                     " B for them; leave it out, or let more threads share a solve");
  return plan_solve_launch(memory, width, factor, gpu);
}

}  // namespace stiction
