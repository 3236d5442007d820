// A step cut into phases that are compiled and launched apart; one team an environment in each.
//
//   prepare                   ctrl, q -> X_WB, M, H, g; reach -> selected pairs
//   up to kMaxAttempts times  collide  X_WB -> manifolds
//                             task     manifolds -> contacts, rows: a SolveTask
//                             solve    SolveTask -> v, λ
//                             explain  no solution: why, with a certificate
//                             judge    did the motion stay within the reach? else select again
//   advance                   v, λ -> q⁺, contact readout
//   collide                   X_WB⁺ -> manifolds
//   report                    deepest overlap, figures, status
//
//   or, in place of solve to report:
//   show                      contacts without forces and poses where the environment is; it stays there
//
// Run one after the other they do what run_steps.hpp does, bit for bit. What crosses a boundary is StepProgress and
// SolveTask; the solver sees only the task, so that it is compiled once for every precision of the state.
#pragma once

#include "kernels/dynamics/energy.hpp"
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
  NarrowRange range;      // of the narrow phase to come
  bool collides;          // the narrow phase is wanted
  int attempt;            // of this step
  int iterations;         // of all attempts
  std::uint32_t refused;  // why the environment can not be stepped; 0: it can
  std::uint32_t full;     // capacities that this attempt filled
  std::uint32_t bits;     // of the steps of this call so far
};

/// Everything that does not depend on contacts; `first` starts a call of several steps.
template <class Team, class Real>
ST_BODY void prepare_phase(Team team, const BatchView<Real, double>& batch, int i, const StepConfig<Real>& config,
                           Arena arena, bool first, StepProgress<Real>& progress, SolveTask& task) {
  team.fence();
  const ModelView<Real> model = batch.env_model(i);
  const EnvView<Real, double> env = batch.env(i);
  team.once([&] {
    Arena rest = arena;
    take_step_scratch(team, model, batch.capacity, config, rest, progress.scratch);
  });
  const StepScratch<Real, double>& s = progress.scratch;
  sample_script(team, model, config, env);
  const std::uint32_t refused = check_environment(team, model, config.dynamics, env);
  std::uint32_t full = 0;
  if (!refused) {
    update_motion(team, model, env, config, s);
    start_contact_search(team, model, env, config, s);
    full = select_pairs_in_reach(team, model, batch.capacity, config.step_size, s);
  }
  team.once([&] {
    progress.range = NarrowRange::kReach;
    progress.attempt = progress.iterations = 0;
    progress.full = full;
    progress.bits = first ? status::kConverged : progress.bits;
    progress.refused = refused;
    progress.collides = task.wanted = refused == 0;
    task.report = SolverReport<double>{};
  });
}

/// The narrow phase of the selected pairs, before the solve and after the motion.
template <class Team, class Real>
ST_BODY void collide_phase(Team team, const BatchView<Real, double>& batch, int i, const StepProgress<Real>& progress) {
  team.fence();
  if (!progress.collides) return;
  const ModelView<Real> model = batch.env_model(i);
  const StepScratch<Real, double>& s = progress.scratch;
  collide_slots(team, model, s.poses, s.motion.free_velocity, progress.range, s.slots);
}

/// Manifolds become a task.
template <class Team, class Real>
ST_BODY void task_phase(Team team, const BatchView<Real, double>& batch, int i, const StepConfig<Real>& config,
                        StepProgress<Real>& progress, SolveTask& task) {
  team.fence();
  if (!task.wanted) return;
  const ModelView<Real> model = batch.env_model(i);
  const EnvView<Real, double> env = batch.env(i);
  const StepScratch<Real, double>& s = progress.scratch;
  const std::uint32_t full = build_contacts(team, model, batch.capacity, config.step_size, s);
  const WarmStart<double> warm = match_warm_start(team, env, config, s);
  team.once([&] {
    progress.full |= full;
    task.problem = describe_problem(model, batch.capacity, config, s);
    task.warm = warm;
    task.solution = s.solution;
    task.arena = s.solver;
  });
}

/// Solves a task, if it is wanted; the factor lies in the near memory if it fits there.
template <SolverName kName, class Factor, class Team>
ST_BODY void solve_phase(Team team, const SolverConfig& config, NearMemory near, SolveTask& task) {
  team.fence();
  if (!task.wanted) return;
  const SolverReport<double> report = solve_parts<kName, Team, double, Factor>(team, task.problem, config, task.warm,
                                                                               task.arena.beside(near), task.solution);
  team.once([&] { task.report = report; });
}

/// Says why a task was not solved; right after the solve, whose scratch it overwrites.
template <class Team>
ST_BODY void explain_phase(Team team, const SolverConfig& config, SolveTask& task) {
  team.fence();
  if (!task.wanted) return;
  SolverReport<double> report = task.report;
  if (report.status == status::kConverged) return;
  explain_unsolved<Team, double>(team, task.problem, config, task.arena, task.solution, &report);
  team.once([&] { task.report = report; });
}

/// Keeps the answer if its motion stayed within the reach; else prepares another attempt with more reach.
template <class Team, class Real>
ST_BODY void judge_phase(Team team, const BatchView<Real, double>& batch, int i, const StepConfig<Real>& config,
                         StepProgress<Real>& progress, SolveTask& task) {
  team.fence();
  if (!task.wanted) return;
  const ModelView<Real> model = batch.env_model(i);
  const StepScratch<Real, double>& s = progress.scratch;
  SolverReport<double> report = task.report;
  report.status |= progress.full;
  impose_prescribed_motion(team, model, s);
  const bool covered = covers_motion(team, model, config.step_size, report, s);
  const bool again = !covered && progress.attempt + 1 < kMaxAttempts;
  const std::uint32_t full = again ? select_pairs_in_reach(team, model, batch.capacity, config.step_size, s) : 0;
  team.once([&] {
    progress.attempt += 1;
    progress.iterations += report.iterations;
    progress.full = full;
    progress.collides = task.wanted = again;
    report.iterations = progress.iterations;
    if (!covered && !again) report.status |= status::kReachExceeded;
    task.report = report;
  });
}

/// The answer becomes the new state, or the state is kept.
template <class Team, class Real>
ST_BODY void advance_phase(Team team, const BatchView<Real, double>& batch, int i, const StepConfig<Real>& config,
                           StepProgress<Real>& progress, const SolveTask& task) {
  team.fence();
  const ModelView<Real> model = batch.env_model(i);
  const EnvView<Real, double> env = batch.env(i);
  const bool taken =
      advance_state(team, model, batch.capacity, config, progress.refused, task.report, progress.scratch, env);
  team.once([&] {
    progress.range = NarrowRange::kOverlap;
    progress.collides = taken;
  });
}

/// Contacts as the next step would find them, without forces, and poses. The state stays.
template <class Team, class Real>
ST_BODY void show_phase(Team team, const BatchView<Real, double>& batch, int i, const StepConfig<Real>& config,
                        const StepProgress<Real>& progress) {
  team.fence();
  const ModelView<Real> model = batch.env_model(i);
  const EnvView<Real, double> env = batch.env(i);
  if (progress.refused) {
    team.once([&] { *env.contact_count = 0; });
    return;
  }
  clear_solution(team, model, batch.capacity, config, progress.scratch);
  write_contacts(team, model, config.step_size, progress.scratch, env);
  write_body_poses(team, model, progress.scratch.poses, env);
}

/// Poses of the bodies alone; needs no phase before it.
template <class Team, class Real>
ST_BODY void place_phase(Team team, const BatchView<Real, double>& batch, int i, Arena arena) {
  team.fence();
  const ModelView<Real> model = batch.env_model(i);
  const EnvView<Real, double> env = batch.env(i);
  const Poses<Real> poses = take_poses(model, arena);
  update_poses(team, model, env.qpos, env.mocap_pose, poses);
  write_body_poses(team, model, poses, env);
}

/// Energy where the environment is; needs no phase before it.
template <class Team, class Real>
ST_BODY void energy_phase(Team team, const BatchView<Real, double>& batch, int i, Arena arena) {
  team.fence();
  const ModelView<Real> model = batch.env_model(i);
  const EnvView<Real, double> env = batch.env(i);
  const Poses<Real> poses = take_poses(model, arena);
  const Inertia<Real> inertia = take_inertia(model, arena);
  update_poses(team, model, env.qpos, env.mocap_pose, poses);
  update_mass_and_weight(team, model, poses, inertia);
  measure_energy(team, model, poses, inertia, env.qpos, env.qvel, env.energy);
}

/// Figures of a step that was taken, and the status of the steps so far.
template <class Team, class Real>
ST_BODY void report_phase(Team team, const BatchView<Real, double>& batch, int i, const StepConfig<Real>& config,
                          StepProgress<Real>& progress, const SolveTask& task) {
  team.fence();
  const ModelView<Real> model = batch.env_model(i);
  const EnvView<Real, double> env = batch.env(i);
  const StepScratch<Real, double>& s = progress.scratch;
  if (progress.collides) {
    const Real overlap = deepest_overlap(team, model, s.slots);
    write_report(team, batch.capacity, config, task.report, overlap, s, env);
  }
  team.once([&] {
    progress.bits = merge_status(progress.bits, *env.status);
    *env.status = progress.bits;
  });
}

}  // namespace stiction
