// One step of one environment where one thread runs all its stages: on the host.
#pragma once

#include "kernels/step/stages.hpp"

namespace stiction {

/// One stage. The host solves and explains in one call, with the solver that the configuration names.
template <Stage kStage, class Team, class Real>
void run_stage(Team team, Arena arena, bool first, StepSite<Real>& site) {
  if constexpr (kStage == Stage::kPrepare) prepare_stage(team, arena, first, site);
  if constexpr (kStage == Stage::kDrift) drift_stage(team, site);
  if constexpr (kStage == Stage::kCollide) collide_stage(team, site);
  if constexpr (kStage == Stage::kMeet) meet_stage(team, site);
  if constexpr (kStage == Stage::kArrive) arrive_stage(team, site);
  if constexpr (kStage == Stage::kTask) task_stage<true>(team, site);
  if constexpr (kStage == Stage::kConfirm) confirm_stage(team, site);
  if constexpr (kStage == Stage::kSolve) {
    SolveTask& task = *site.task;
    if (task.report.status != status::kConverged)
      task.report =
          solve_problem<Team, double>(team, task.problem, site.config.solver, task.warm, task.arena, task.solution);
  }
  if constexpr (kStage == Stage::kMove) move_stage(team, site);
  if constexpr (kStage == Stage::kLook) look_stage(team, site);
  if constexpr (kStage == Stage::kJudge) judge_stage(team, site);
  if constexpr (kStage == Stage::kFinish) finish_stage(team, site);
}

/// Runs the stages up to the solution that stands, in as many rounds as it takes. run(StageTag) runs a stage.
template <class Real, class Run>
void walk_rounds(const StepSite<Real>& site, Run run) {
  walk_part<StepPart::kStart>(run);
  while (site.task->wanted) walk_part<StepPart::kRound>(run);
}

/// The same up to the velocity that stands: overlaps are not pushed apart.
template <class Real, class Run>
void walk_velocity_rounds(const StepSite<Real>& site, Run run) {
  walk_part<StepPart::kStart>(run);
  while (site.task->wanted && site.progress->rounds.reason != RoundReason::kOverlap) walk_part<StepPart::kRound>(run);
}

/// Advances one environment by one step; `first` starts a call of several.
template <class Team, class Real>
void step_environment(Team team, Arena arena, bool first, StepSite<Real>& site) {
  const auto run = [&](auto stage) { run_stage<decltype(stage)::kValue>(team, arena, first, site); };
  walk_rounds(site, run);
  walk_part<StepPart::kEnd>(run);
}

}  // namespace stiction
