// A step cut into phases that are compiled and launched apart; one team an environment in each.
//
//   prepare                   ctrl, q -> X_WB, M, H, g, reach
//   up to kMaxAttempts times  find     X_WB -> contacts, rows: a SolveTask
//                             solve    SolveTask -> v, λ
//                             judge    did the motion stay within the reach? else find again
//   finish                    v, λ -> q⁺, readout
//
// Run one after the other they do what run_steps.hpp does, bit for bit. What crosses a boundary is StepProgress and SolveTask; the solver sees
// only the task, so that it is compiled once for every precision of the state.
#pragma once

#include "kernels/launch/run_steps.hpp"

namespace stiction {

/// One contact problem to solve, and where its answer goes.
struct SolveTask {
  bool wanted;  // false: this environment is done with the step
  ContactProblem<double> problem;
  WarmStart<double> warm;
  ContactSolution<double> solution;
  Arena arena;
  SolverReport<double> report;
};

/// What one environment carries from phase to phase.
template <class Real>
struct StepProgress {
  StepScratch<Real, double> scratch;
  std::uint32_t bits;  // of the steps of this call so far
  std::uint32_t full;  // capacities that this attempt filled
  int attempt;         // of this step
  int iterations;      // of all attempts
  bool finite;         // the state can be stepped
};

/// Everything that does not depend on contacts; `first` starts a call of several steps.
template <class Team, class Real>
ST_FN void prepare_phase(Team team, const BatchView<Real, double>& batch, int i, const StepConfig<Real>& config,
                         Arena arena, bool first, StepProgress<Real>& progress, SolveTask& task) {
  team.fence();
  const ModelView<Real> model = batch.env_model(i);
  const EnvView<Real, double> env = batch.env(i);
  const StepScratch<Real, double> s =
      take_step_scratch<Team, Real, double>(team, model, batch.capacity, config, arena);
  sample_command(team, model, config.command, *env.time + static_cast<double>(config.step_size), env);
  const bool finite = detail::state_is_finite(team, model, env);
  if (finite) {
    update_motion(team, model, env, config, s);
    start_contact_search(team, model, env, config, s);
  }
  team.once([&] {
    progress.scratch = s;
    progress.bits = first ? status::kConverged : progress.bits;
    progress.attempt = progress.iterations = 0;
    progress.finite = task.wanted = finite;
  });
}

/// Contacts within reach become a task.
template <class Team, class Real>
ST_FN void find_phase(Team team, const BatchView<Real, double>& batch, int i, const StepConfig<Real>& config,
                      StepProgress<Real>& progress, SolveTask& task) {
  team.fence();
  if (!task.wanted) return;
  const ModelView<Real> model = batch.env_model(i);
  const EnvView<Real, double> env = batch.env(i);
  const StepScratch<Real, double> s = progress.scratch;
  const std::uint32_t full = find_contacts(team, model, batch.capacity, config.step_size, s);
  build_contact_rows(team, model, s.poses, s.contacts, config.step_size, s.contact_rows);
  const WarmStart<double> warm = match_warm_start(team, env, s);
  team.once([&] {
    progress.full = full;
    task.problem = describe_problem(model, batch.capacity, config, s);
    task.warm = warm;
    task.solution = s.solution;
    task.arena = s.solver;
  });
}

/// Solves a task, if it is wanted.
template <class Team>
ST_FN void solve_phase(Team team, const SolverConfig& config, SolveTask& task) {
  team.fence();
  if (!task.wanted) return;
  ContactSolution<double> solution = task.solution;
  const SolverReport<double> report =
      solve_interior_point<Team, double, double>(team, task.problem, config, task.warm, task.arena, solution);
  team.once([&] { task.report = report; });
}

/// Keeps the answer if its motion stayed within the reach; else asks for another attempt with more reach.
template <class Team, class Real>
ST_FN void judge_phase(Team team, const BatchView<Real, double>& batch, int i, const StepConfig<Real>& config,
                       StepProgress<Real>& progress, SolveTask& task) {
  team.fence();
  if (!task.wanted) return;
  const ModelView<Real> model = batch.env_model(i);
  SolverReport<double> report = task.report;
  report.status |= progress.full;
  const bool covered = covers_motion(team, model, config.step_size, report, progress.scratch);
  const bool last = progress.attempt + 1 == kMaxAttempts;
  team.once([&] {
    progress.iterations += report.iterations;
    progress.attempt += 1;
    report.iterations = progress.iterations;
    if (!covered && last) report.status |= status::kReachExceeded;
    task.report = report;
    task.wanted = !covered && !last;
  });
}

/// The answer becomes the new state, or the state is kept.
template <class Team, class Real>
ST_FN void finish_phase(Team team, const BatchView<Real, double>& batch, int i, const StepConfig<Real>& config,
                        StepProgress<Real>& progress, const SolveTask& task) {
  team.fence();
  const ModelView<Real> model = batch.env_model(i);
  const EnvView<Real, double> env = batch.env(i);
  finish_step(team, model, batch.capacity, env, config, progress.finite, task.report, progress.scratch);
  team.once([&] {
    progress.bits = merge_status(progress.bits, *env.status);
    *env.status = progress.bits;
  });
}

}  // namespace stiction
