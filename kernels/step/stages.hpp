// A step, cut into stages that are compiled and launched separately; in each stage one team works on one environment.
// stages.inc has their order.
//
// Only StepProgress and SolveTask pass from stage to stage. The solver sees only the task, so that one compiled solver
// serves every precision of the state.
#pragma once

#include "kernels/dynamics/energy.hpp"
#include "kernels/step/begin_step.hpp"
#include "kernels/step/next_state.hpp"
#include "kernels/step/part_stages.hpp"
#include "kernels/step/pose_round.hpp"

namespace stiction {

/// The part of the step that a stage belongs to.
enum class StepPart { kStart, kAhead, kTry, kRound, kEnd };

enum class Stage {
#define ST_STAGE(enumerator, name, part) enumerator,
#include "kernels/step/stages.inc"
#undef ST_STAGE
};

constexpr const char* kStageNames[] = {
#define ST_STAGE(enumerator, name, part) #name,
#include "kernels/step/stages.inc"
#undef ST_STAGE
};
constexpr int kStages = sizeof(kStageNames) / sizeof(kStageNames[0]);

/// A stage as a type, for code that is compiled per stage.
template <Stage kStage>
struct StageTag {
  static constexpr Stage kValue = kStage;
};

/// Calls run(StageTag) for the stages of one part, in their order.
template <StepPart kPart, class Run>
void walk_part(Run run) {
#define ST_STAGE(enumerator, name, part) \
  if constexpr (StepPart::part == kPart) run(StageTag<Stage::enumerator>{});
#include "kernels/step/stages.inc"
#undef ST_STAGE
}

/// Poses, masses and forces where the step begins. A host thread takes all steps of a call in a row: scratch,
/// parameters and the poses of an accepted answer are then those of the step before.
template <class Team, class Real>
ST_BODY void prepare_stage(Team team, Arena arena, Entry entry, StepSite<Real>& site) {
  team.fence();
  StepProgress<Real>& progress = *site.progress;
  StepScratch<Real>& s = progress.scratch;
  const bool first = entry == Entry::kCall;
  const bool goes_on = Team::kLanes == 1 && !first;
  const bool known = goes_on && progress.known, arrived = goes_on && progress.arrived;
  if (!goes_on)
    team.once([&] {
      Arena rest = arena;
      take_step_scratch(team, site.model, site.capacity, site.config, rest, s);
    });
  team.once([&] { start_parts(entry, site); });
  if (progress.parts.idle) return team.once([&] { progress.collides = site.task->wanted = false; });
  sample_script(team, site.model, site.config, *site.env);
  const Dynamics dynamics = site.config.dynamics;
  const std::uint32_t refused = known ? check_state(team, site.model, dynamics, *site.env)
                                      : check_environment(team, site.model, dynamics, *site.env);
  if (!known && !refused) apply_parameters(team, site.model, dynamics, *site.env, s);
  if (arrived) adopt_poses(team, site.model, s);
  if (!refused) update_motion(team, site.model, site.config, arrived, *site.env, s);
  team.once([&] {
    progress.known = known || !refused;
    progress.arrived = false;
    progress.rounds = Rounds{};
    progress.full = 0;
    progress.bits = first ? status::kConverged : progress.bits;
    progress.refused = refused;
    progress.looked = progress.stands = false;
    progress.position_residual = 0.0;
    progress.collides = site.task->wanted = refused == 0;
    site.task->expected = *site.env->iterations;
    site.task->report = SolverReport<double>{};
  });
}

/// The motion without contact, and the pairs that it brings within reach.
template <class Team, class Real>
ST_BODY void drift_stage(Team team, StepSite<Real>& site) {
  team.fence();
  if (site.progress->refused || site.progress->parts.idle) return;
  StepScratch<Real>& s = site.progress->scratch;
  drift(team, site.model, *site.env, site.config, s);
  if (moves_first(site.config)) expect_present_motion(team, site.model, *site.env, s);
  start_contact_search(team, site.model, *site.env, site.config, s);
  const std::uint32_t full = select_pairs_in_reach(team, site.model, site.capacity, s);
  team.once([&] { site.progress->full = full; });
}

/// The narrow phase of the selected pairs, where the step begins.
template <class Team, class Real>
ST_BODY void collide_stage(Team team, StepSite<Real>& site) {
  team.fence();
  if (!site.progress->collides || !begins_anew(site.progress->rounds.reason)) return;
  StepScratch<Real>& s = site.progress->scratch;
  collide_slots(team, site.model, s.poses, s.motion.free_velocity, s.slots);
  if (moves_first(site.config)) keep_near_points(team, site.model, site.config.contact_distance, s.slots);
}

/// The narrow phase of the pairs that meet in the step, at the poses where they meet. In rounds that seek the end under
/// a law whose contacts hover, the pairs that only pass one another are left out.
template <class Team, class Real>
ST_BODY void meet_stage(Team team, StepSite<Real>& site) {
  team.fence();
  const RoundReason reason = site.progress->rounds.reason;
  if (!site.progress->collides || !(reason == RoundReason::kMeetings || reason == RoundReason::kEnd)) return;
  StepScratch<Real>& s = site.progress->scratch;
  if (reason == RoundReason::kMeetings) return collide_meetings(team, site.model, site.config, s);
  if (site.config.geometry == ContactGeometry::kEnd && hovers(site.config.law))
    leave_out_passing(team, site.model, site.config, s);
}

/// The narrow phase of the selected pairs where the last answer ends.
template <class Team, class Real>
ST_BODY void arrive_stage(Team team, StepSite<Real>& site) {
  team.fence();
  const Rounds& rounds = site.progress->rounds;
  if (!site.progress->collides || rounds.reason != RoundReason::kEnd) return;
  StepScratch<Real>& s = site.progress->scratch;
  const bool again = rounds.last == RoundReason::kEnd, back = again && rounds.is_back_from_end() &&
                                                              goes_back(site.config) &&
                                                              go_back_to_best_round(team, site.model, site.capacity, s);
  if (site.config.contact == ContactModel::kPatch && !back)
    move_friction(team, s.slots, end_contacts(s), s.contact_rows, s.patches, s.last_round.lambda.data());
  choose_motion(team, site.model, site.config, again, back, *site.env, s);
  if (site.config.geometry == ContactGeometry::kEnd) collide_at_end(team, site.model, site.config, s);
}

/// Drops the points that others of the same two bodies make superfluous. Pairs that have met have points of other poses
/// and keep them. A stage of its own, as the kernel of the next one has no registers left for it.
template <class Team, class Real>
ST_BODY void merge_stage(Team team, StepSite<Real>& site) {
  team.fence();
  const RoundReason reason = site.progress->rounds.reason;
  if (!site.config.merges_regions || !site.progress->collides || reason == RoundReason::kOverlap) return;
  StepScratch<Real>& s = site.progress->scratch;
  const bool anew = begins_anew(reason);
  const auto joins = [&](int slot) { return anew || step_detail::role_of(s.meetings, slot) != PairRole::kMet; };
  merge_regions(team, site.model, s.poses, s.motion.free_velocity, joins, s.slots);
}

/// Turns manifolds into a task for the solver. Without kSeeksEnd it holds no code of steps that seek their end: a GPU's
/// kernel for other steps then has few registers.
template <bool kSeeksEnd, class Team, class Real>
ST_BODY void task_stage(Team team, StepSite<Real>& site) {
  team.fence();
  if (!site.task->wanted) return;
  StepProgress<Real>& progress = *site.progress;
  if (progress.rounds.reason == RoundReason::kOverlap) return parting_task(team, site);
  StepScratch<Real>& s = progress.scratch;
  begin_round<kSeeksEnd>(team, site, s);
  WarmStart<double> warm;
  const std::uint32_t full = build_contacts<kSeeksEnd>(team, site, s, warm);
  const double penalty = site.task->report.penalty;
  team.once([&] {
    progress.full |= full;
    progress.scratch.taken = s.solution.v;
    site.task->problem = describe_problem(site.model, site.capacity, site.config, s);
    site.task->warm = warm;
    site.task->solution = s.solution;
    site.task->arena = s.solver;
    site.task->report = {};
    site.task->report.penalty = penalty;
    site.task->ray = s.ray;
    site.task->farkas = nullptr;
  });
}

/// Confirms the last round's answer if it solves the task; if not, the search for the ECPs goes on from it.
template <class Team, class Real>
ST_BODY void confirm_stage(Team team, StepSite<Real>& site) {
  team.fence();
  if (!site.task->wanted || site.progress->rounds.reason != RoundReason::kEnd) return;
  judge_answer(team, site);
  const bool open = site.task->report.status != status::kConverged;
  if (open && site.config.contact == ContactModel::kPatch) go_on_with_patches(team, site);
}

/// Keeps a certificate that is in the solver's scratch, if the task has room for it.
template <class Team>
ST_FN void keep_certificate(Team team, SolveTask& task) {
  const bool unbounded = task.report.status & status::kUnbounded;
  const double* certificate = task.report.certificate;
  double* kept = unbounded ? task.ray : task.farkas;
  if (!certificate) kept = nullptr;
  const ContactProblem<double>& p = task.problem;
  if (kept)
    team.each(unbounded ? p.nv : p.dimension * p.num_contacts + p.num_rows, [&](int k) { kept[k] = certificate[k]; });
  team.once([&] { task.report.certificate = kept; });
}

/// Solves a task that is wanted from its warm start. What this does not solve is left to solve_stage.
template <class Factor, class Team>
ST_BODY void solve_warm_stage(Team team, const SolverConfig& config, SolveTask& task) {
  solve_warm<Factor>(team, task.problem, config, task.warm, task.arena, task.solution, task.report);
}

/// Solves a task, if it is wanted; the factor lies in the near memory of its arena if it fits there.
template <SolverName kName, class Factor, class Team>
ST_BODY void solve_stage(Team team, const SolverConfig& config, SolveTask& task) {
  team.fence();
  if (!task.wanted || task.report.status == status::kConverged) return;
  const SolverReport<double> report =
      solve_parts<kName, Team, double, Factor>(team, task.problem, config, task.warm, task.arena, task.solution);
  team.once([&] { task.report = report; });
  keep_certificate(team, task);
}

/// Says why a task was not solved. Runs right after the solve, whose scratch it overwrites.
template <class Team>
ST_BODY void explain_stage(Team team, const SolverConfig& config, SolveTask& task) {
  team.fence();
  if (!task.wanted) return;
  SolverReport<double> report = task.report;
  if (report.status == status::kConverged) return;
  explain_unsolved<Team, double>(team, task.problem, config, task.arena, task.solution, &report);
  team.once([&] { task.report = report; });
  keep_certificate(team, task);
}

/// Where the answer takes the environment.
template <class Team, class Real>
ST_BODY void move_stage(Team team, StepSite<Real>& site) {
  team.fence();
  if (!site.task->wanted) return;
  StepScratch<Real>& s = site.progress->scratch;
  if (site.progress->rounds.reason == RoundReason::kOverlap) {
    add_velocity(team, site.model, s);
    team.once([&] { site.progress->scratch.taken = s.parting.v; });
  }
  impose_prescribed_motion(team, site.model, s);
  if (site.task->report.status & site.config.keeps_state) return;
  moves_first(site.config) ? stay(team, site.model, s, *site.env)
                           : move_on(team, site.model, site.config, s, *site.env);
}

/// Finds where near pairs end, and which of their contacts push bodies that do not meet. The latter is skipped if the
/// step has no solution, and in rounds that only find the end of the step or push overlaps apart.
template <class Team, class Real>
ST_BODY void look_stage(Team team, StepSite<Real>& site) {
  team.fence();
  const std::uint32_t bits = site.task->report.status;
  if (!site.task->wanted || moves_first(site.config)) return;
  const bool moved = !(bits & site.config.keeps_state);
  const Rounds& rounds = site.progress->rounds;
  const bool parts = rounds.reason == RoundReason::kOverlap, ends = rounds.reason == RoundReason::kEnd;
  const bool judged = !(bits & status::kInfeasible) && !rounds.as_found() && !parts && !ends;
  if (moved) look_at_end(team, site.model, site.config, judged, site.progress->scratch);
  team.once([&] { site.progress->looked = moved; });
}

/// Joins the report of the velocity and that of the round that pushed overlaps apart; the residual is the velocity's.
ST_FN SolverReport<double> join_reports(const SolverReport<double>& velocity, const SolverReport<double>& parting) {
  SolverReport<double> both = velocity;
  both.status = merge_status(velocity.status, parting.status);
  both.iterations = parting.iterations;  // those of earlier rounds are already counted
  if (parting.status & status::kInfeasible) both.violation = parting.violation;
  both.certificate = nullptr;
  return both;
}

/// The report of an answer that is not known to solve the problem of its own end.
ST_FN SolverReport<double> without_end(SolverReport<double> report, double residual) {
  report.status &= ~status::kConverged;
  report.residual = residual;
  return report;
}

/// The report of a solve, which is solved if it reaches the tolerance of the step, though not that of the solve.
ST_FN SolverReport<double> by_tolerance_of_step(SolverReport<double> report, double tolerance) {
  constexpr std::uint32_t kUnsolved = status::kIterationLimit | status::kStalled | status::kNoSolutionFound;
  if ((report.status & kUnsolved) && !(report.status & ~kUnsolved) && report.residual <= tolerance)
    report.status = status::kConverged;
  return report;
}

/// Keeps the answer, or prepares another round.
template <class Team, class Real>
ST_BODY void judge_stage(Team team, StepSite<Real>& site) {
  team.fence();
  if (!site.task->wanted) return;
  StepProgress<Real>& progress = *site.progress;
  StepScratch<Real>& s = progress.scratch;
  const bool parted = progress.rounds.reason == RoundReason::kOverlap;
  const SolverReport<double> solved = by_tolerance_of_step(site.task->report, site.config.tolerance);
  SolverReport<double> report = parted ? join_reports(progress.velocity_report, solved) : solved;
  const double position_residual = parted ? site.task->report.residual : 0.0;
  report.status |= progress.full;
  const RoundReason reason = find_reason(team, site.model, site.config, progress.rounds.reason, progress.looked,
                                         progress.stands, report, site.task->problem, s);
  Rounds rounds = progress.rounds;
  const bool again = count_round(reason, rounds, report);
  if (reason == RoundReason::kEnd && again) keep_round(team, site.model, site.capacity, s);
  if (reason == RoundReason::kEnd && !again) report = without_end(report, progress.end_residual);
  std::uint32_t full = 0;
  if (again && reason == RoundReason::kReach) full = select_pairs_in_reach(team, site.model, site.capacity, s);
  team.once([&] {
    progress.rounds = rounds;
    progress.full = full;
    progress.position_residual = position_residual;
    progress.stands = progress.stands && !begins_anew(rounds.reason);
    progress.collides = site.task->wanted = again;
    site.task->report = report;
  });
}

/// Makes the answer the new state, or keeps the state; time advances in both cases.
template <class Team, class Real>
ST_BODY void finish_stage(Team team, StepSite<Real>& site) {
  team.fence();
  StepProgress<Real>& progress = *site.progress;
  if (progress.parts.idle) return;
  SolverReport<double> report = site.task->report;
  const bool first = moves_first(site.config);
  if (!progress.refused && !(report.status & site.config.keeps_state))
    report.status = judge_end(team, site.model, site.config, report.status, progress.scratch);
  const std::uint32_t refused = progress.refused ? progress.refused : report.status & ~status::kConverged;
  const bool stays = progress.refused || (report.status & site.config.keeps_state);
  if (!stays) {
    accept_answer(team, site.model, site.capacity, site.config, report, progress.rounds.count,
                  progress.position_residual, progress.scratch, *site.env);
    // else the poses may be those of another round
    team.once([&] { progress.arrived = !seeks_end(site.config) && !first; });
  } else {
    place_scripted_bodies(team, site.config.mocap, progress.parts.end, *site.env);
    keep_state(team, refused, report.violation, *site.env);
    forget_acceleration(team, site.model, *site.env);
  }
  team.once([&] {
    join_parts(stays, site);
    progress.bits = merge_status(progress.bits, *site.env->status);
    *site.env->status = progress.bits;
  });
}

/// Shows the contacts that the next step would find, without forces, and the poses. The state stays. Runs after
/// prepare, drift, collide, merge and task.
template <class Team, class Real>
ST_BODY void show_stage(Team team, StepSite<Real>& site) {
  team.fence();
  StepScratch<Real>& s = site.progress->scratch;
  forget_acceleration(team, site.model, *site.env);
  if (site.progress->refused) {
    team.once([&] { *site.env->contact_count = *site.env->patch_count = 0; });
    return;
  }
  clear_solution(team, site.model, site.capacity, site.config, s);
  write_contacts(team, site.model, site.config.step_size, s, *site.env);
  team.once([&] { *site.env->patch_count = 0; });
  write_body_poses(team, site.model, s.poses, *site.env);
}

/// Poses of the bodies alone; needs no stage before it.
template <class Team, class Real>
ST_BODY void place_stage(Team team, const ModelView<Real>& model, Arena arena, EnvView<Real>& env) {
  team.fence();
  Poses<Real> poses = take_poses(model, arena);
  update_poses(team, model, env.qpos, env.mocap_pose, poses);
  write_body_poses(team, model, poses, env);
}

/// Energy of the environment in its present state; needs no stage before it.
template <class Team, class Real>
ST_BODY void energy_stage(Team team, const ModelView<Real>& model, Arena arena, EnvView<Real>& env) {
  team.fence();
  Poses<Real> poses = take_poses(model, arena);
  Inertia<Real> inertia = take_inertia(model, arena);
  update_poses(team, model, env.qpos, env.mocap_pose, poses);
  update_mass_and_weight(team, model, poses, inertia);
  measure_energy(team, model, poses, inertia, env.qpos, env.qvel, env.energy);
}

}  // namespace stiction
