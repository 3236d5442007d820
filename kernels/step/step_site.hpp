// What the stages of a step work on, and what passes from one to the next.
#pragma once

#include "kernels/step/parts_of_step.hpp"
#include "kernels/step/rounds.hpp"

namespace stiction {

/// One contact problem to solve, and where its answer goes.
struct SolveTask {
  bool wanted;   // false: this environment has finished its rounds
  int expected;  // iterations that the step before this one took
  ContactProblem<double> problem;
  WarmStart<double> warm;
  ContactSolution<double> solution;
  Arena arena;
  // certificates of the report are kept here, as the arena may go to another task
  Array<double> ray;            // (nv) the direction that shows an unbounded problem
  Array<double> farkas;         // (num_contacts dimension + num_rows) y of an infeasible one; null: nobody reads it
  SolverReport<double> report;  // kConverged once it is solved
};

/// What one environment carries from stage to stage.
template <class Real>
struct StepProgress {
  StepScratch<Real> scratch;
  Rounds rounds;
  PartsOfStep parts;
  SolverReport<double> velocity_report;  // report of the velocity, kept while overlaps are pushed apart
  double end_residual;                   // residual of the last answer in the problem of its own end
  double position_residual;              // residual of the round that pushed overlaps apart; 0: there was none
  bool known;                            // the parameters can be stepped with, and what follows from them is known
  bool arrived;                          // scratch.next is the state of the environment, at the poses of its bodies
  bool collides;                         // the narrow phase is wanted
  bool looked;                           // this round looked at where the answer takes the bodies
  bool stands;                           // the last round's answer solves the problem of its own end
  std::uint32_t refused;                 // why the environment cannot be stepped; 0: it can
  std::uint32_t full;                    // capacities that this round filled
  std::uint32_t bits;                    // status of the steps of this call so far
};

/// What a stage works on.
template <class Real>
struct StepSite {
  const ModelView<Real>& model;
  Array<EnvView<Real>> env;  // one each
  const Capacity& capacity;
  const StepConfig<Real>& config;
  Array<StepProgress<Real>> progress;
  Array<SolveTask> task;
};

/// Bits over several steps: OR of all, but converged only if every step was.
ST_FN std::uint32_t merge_status(std::uint32_t before, std::uint32_t now) {
  return ((before | now) & ~status::kConverged) | (before & now & status::kConverged);
}

}  // namespace stiction
