// The contact problems of a run, recorded as it goes.
#pragma once

#include <string>

#include "host/cli/run_options.hpp"
#include "host/record/problem_recorder.hpp"

namespace stiction {

class RunProblems {
 public:
  /// Throws InputError if the file cannot be written.
  RunProblems(const ProblemPlan& plan, const Simulator& simulator, std::int64_t steps);

  /// Writes the problems of the coming step, if it is one of those to record; steps count from 1.
  void add(Simulator& simulator, std::int64_t step);
  void finish() { recorder_.finish(); }
  /// Says, for a message, what is left of an interrupted run.
  std::string describe_part() const;
  std::int64_t problems() const { return recorder_.problems(); }

 private:
  ProblemPlan plan_;
  std::int64_t steps_;
  ProblemRecorder recorder_;
};

}  // namespace stiction
