// Raw problems of any kind to their function of host/api/solve_problems.hpp.
#pragma once

#include "host/api/solve_problems.hpp"
#include "host/record/problem_batch.hpp"

namespace stiction {

/// The answers; those of LCPs and MLCPs have z in `v` and nothing in what only the others have. Throws InputError.
ContactAnswers solve_batch(const ProblemBatch& problems, const SolveOptions& options);

}  // namespace stiction
