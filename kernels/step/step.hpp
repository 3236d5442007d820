// One step of one environment where one thread runs all its stages: on the host.
#pragma once

#include "kernels/step/stages.hpp"

namespace stiction {

/// One stage. The host solves and explains in one call, with the solver that the configuration names.
template <Stage kStage, class Team, class Real>
void run_stage(Team team, Arena arena, Entry entry, StepSite<Real>& site) {
  if constexpr (kStage == Stage::kPrepare) prepare_stage(team, arena, entry, site);
  if constexpr (kStage == Stage::kDrift) drift_stage(team, site);
  if constexpr (kStage == Stage::kGaps) gaps_stage(team, site);
  if constexpr (kStage == Stage::kGo) go_stage(team, site);
  if constexpr (kStage == Stage::kStop) stop_stage(team, site);
  if constexpr (kStage == Stage::kCollide) collide_stage(team, site);
  if constexpr (kStage == Stage::kMeet) meet_stage(team, site);
  if constexpr (kStage == Stage::kArrive) arrive_stage(team, site);
  if constexpr (kStage == Stage::kMerge) merge_stage(team, site);
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

/// Calls part(entry) for each part of a step that another part precedes, and ahead(entry) before every part of one
/// whose bodies move first; `goes_on()`: there is another part.
template <class Real, class Part, class Ahead, class GoesOn>
void walk_parts(const StepConfig<Real>& config, Entry entry, Part part, Ahead ahead, GoesOn goes_on) {
  if (!moves_first(config)) return part(entry);
  do {
    ahead(entry);
    part(Entry::kMoved);
    entry = Entry::kPart;
  } while (goes_on());
}

/// Advances one environment by one step; around(stage, run) calls run() for every stage.
template <class Team, class Real, class Around>
void step_environment(Team team, Arena arena, Entry entry, StepSite<Real>& site, Around around) {
  const auto run = [&](Entry of_part) {
    return [&, of_part](auto stage) {
      around(decltype(stage)::kValue, [&] { run_stage<decltype(stage)::kValue>(team, arena, of_part, site); });
    };
  };
  const auto part = [&](Entry of_part) {
    walk_rounds(site, run(of_part));
    walk_part<StepPart::kEnd>(run(of_part));
  };
  const auto ahead = [&](Entry of_part) {
    walk_part<StepPart::kStart>(run(of_part));
    walk_part<StepPart::kAhead>(run(of_part));
    while (site.progress->parts.seeks) walk_part<StepPart::kTry>(run(of_part));
  };
  walk_parts(site.config, entry, part, ahead, [&] { return site.progress->parts.left > 0.0; });
}
template <class Team, class Real>
void step_environment(Team team, Arena arena, Entry entry, StepSite<Real>& site) {
  step_environment(team, arena, entry, site, [](Stage, auto run) { run(); });
}

}  // namespace stiction
