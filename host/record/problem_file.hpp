// Raw problems from a file: HDF5 (host/record/hdf5_problem.hpp, fclib_problem.hpp) or text (text_problem.hpp).
#pragma once

#include <optional>
#include <string>

#include "host/record/problem_batch.hpp"

namespace stiction {

/// Without `kind` the file must say what it holds; `contact` also takes the Delassus form where the file holds no
/// other. `choose` may throw for problems that are not there. Throws InputError of one line: the file, where in it,
/// what is wrong.
ProblemBatch read_problems(const std::string& file, std::optional<ProblemKind> kind, const ChooseProblems& choose = {});

}  // namespace stiction
