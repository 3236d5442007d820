// The contact problems of a run, in a file that `stiction solve` reads (host/record/hdf5_problem.hpp): dense matrices
// with the step's other data, the start of its solver and the solver's answer, so that each problem can be solved again
// alone, to the last bit.
//
//   /contact   all that a file of contact problems may hold; step (B), env (B): the place in the run;
//              answer_v (B, nv), answer_lambda (B, dimension nc), answer_row_lambda (B, rows), answer_status (B),
//              answer_residual (B), answer_iterations (B): the solver's answer, NaN if it had none
//
// The B problems are in the order of the run; nc is the largest number of contacts of any problem; beyond a problem's
// `count` the padding is 0, and block −1. The datasets are compressed, because blocks are written as dense matrices.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "host/backend/step_problem.hpp"
#include "host/record/recorder.hpp"

namespace stiction {

class ProblemRecorder {
 public:
  /// Creates FILE.partial with these attributes. Throws InputError if `file` can not be written.
  ProblemRecorder(const std::string& file, const std::vector<RecordingAttribute>& attributes);
  /// Without `finish`: closes FILE.partial with the problems appended so far, and deletes it if there are none.
  ~ProblemRecorder();
  ProblemRecorder(const ProblemRecorder&) = delete;
  ProblemRecorder& operator=(const ProblemRecorder&) = delete;

  /// Appends the problem that ends in row `step` of the run. All problems are of one scene. Throws InputError if the
  /// disk is full or the model does not move.
  void append(std::int64_t step, const StepProblem& problem);
  /// Closes FILE.partial and renames it to FILE, which is replaced only now; without problems there is no file.
  void finish();

  std::int64_t problems() const;            // number of problems appended
  const std::string& partial_name() const;  // FILE.partial

 private:
  struct File;
  std::unique_ptr<File> file_;
};

}  // namespace stiction
