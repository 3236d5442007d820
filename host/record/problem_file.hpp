// Raw problems from a file: HDF5 (host/record/hdf5_problem.hpp, fclib_problem.hpp) or text (text_problem.hpp).
#pragma once

#include <optional>
#include <string>

#include "host/record/problem_batch.hpp"

namespace stiction {

/// Reads the problems of a file. Without `kind` the file must tell what it holds; `contact` also accepts the Delassus
/// form if the file holds no other. `choose` may throw for problems that do not exist. Throws an InputError of one
/// line: the file, the place in it, and what is wrong.
ProblemBatch read_problems(const std::string& file, std::optional<ProblemKind> kind, const ChooseProblems& choose = {});

}  // namespace stiction
