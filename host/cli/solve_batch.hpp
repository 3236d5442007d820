// Passes raw problems of any kind to their function in host/api/solve_problems.hpp.
#pragma once

#include "host/api/solve_problems.hpp"
#include "host/record/problem_batch.hpp"

namespace stiction {

/// The answers; for LCPs and MLCPs, z is in `v` and the fields that only other kinds have are empty. Throws InputError.
ContactAnswers solve_batch(const ProblemBatch& problems, const SolveOptions& options);

}  // namespace stiction
