// Answers to a batch of raw problems, in an HDF5 file that appears under its name only when it is complete.
//
//   /v (B, nv), /lambda (B, 3 nc or rows), /violation, /asymmetry (B), /direction (B, nv)     contact problems, QPs
//   /row_lambda, /row_farkas (B, rows)                                                        problems with such rows
//   as contact problems, but /v (B, 3 nc) holds the velocities u, and no /direction           Delassus problems
//   /z (B, n)                                                                                 LCPs, MLCPs
//   /status (B) uint32, /residual (B), /iterations (B) int32, /farkas as lambda or z          all
//   /problem (B) int32: their numbers in the file of the problems                             if not all were solved
//
// A certificate is NaN if there is none (host/api/solve_problems.hpp).
#pragma once

#include <string>
#include <vector>

#include "host/api/solve_problems.hpp"
#include "host/record/problem_batch.hpp"
#include "host/record/recorder.hpp"

namespace stiction {

/// Throws InputError, and leaves nothing on the disk, if `file` could not be written.
void check_answer_file(const std::string& file);

/// Writes FILE.partial and renames it; answers to LCPs have z in `v`. If it throws InputError, it leaves nothing
/// behind.
void write_answers(const std::string& file, const ProblemBatch& problems, const ContactAnswers& answers,
                   const std::vector<RecordingAttribute>& attributes);

}  // namespace stiction
