// The derivatives of a batch's next steps, divided into stages like a step (kernels/step/stages.hpp). The first stages
// are those of a step.
//
//   prepare                   ctrl, q -> X_WB, M, H, g; reach -> selected pairs
//   rounds                    collide, merge, task    as in a step
//                             center   SolveTask -> v of the smoothed problem
//                             judge    did the motion stay within the reach?
//   begin                     v -> q⁺; NaN if there is no v
//   for ±, for every column   displace  q ⊞ ±δ e -> X_WB, M, H, g
//                             collide
//                             respond   -> Δv, q⁺±, the column
//
// A step that seeks its end is settled before `begin`, and finds its contacts where it responds (linearize_end.hpp).
#pragma once

#include "kernels/launch/run_steps.hpp"
#include "kernels/step/linearize_end.hpp"

namespace stiction {

/// Results of all environments.
struct BatchLinearization {
  double* v;              // (batch, nv)
  double* A;              // (batch, nv, nv)
  double* B;              // (batch, nv, nu)
  std::uint32_t* status;  // kConverged, or why there is no linearization (batch)

  template <class Real>
  ST_FN LinearizationView env(const ModelView<Real>& model, int i) const {
    const std::ptrdiff_t at = i, nv = model.nv, nu = model.nu;
    return {v + nv * at, A + nv * nv * at, B + nv * nu * at};
  }
};

/// The configuration for a linearization. It solves one problem, whose velocity also corrects overlaps and exceeded
/// limits: q⁺ is then the end of the step, and its derivatives are those of bodies that touch.
template <class Real>
StepConfig<Real> without_parting(StepConfig<Real> config) {
  config.parts_overlaps = false;
  return config;
}

/// The two sides of a column's central difference.
constexpr int kSides[] = {1, -1};

/// What one environment carries from stage to stage, besides StepProgress.
template <class Real>
struct LinearizeProgress {
  LinearizeScratch<Real> scratch;
  SmoothedMemory<double, double>* memory;
  double width;  // distance between the two sides of a column
  bool valid;    // true: there is a solution to differentiate
};

/// Bytes of scratch that one environment needs besides the scratch of a step.
template <class Real>
std::size_t linearize_scratch_bytes(const ModelView<Real>& model, const Capacity& capacity,
                                    const StepConfig<Real>& config) {
  Arena arena;
  StepScratch<Real> step;
  LinearizeScratch<Real> s;
  take_step_scratch(HostTeam<>{}, model, capacity, config, arena, step);
  take_linearize_scratch(model, capacity, config, step, Arena(), s);
  return s.solver.used() + smoothed_scratch<double, double>(solver_capacity(model, capacity, config));
}

/// Solves the smoothed problem of a task, if it is wanted; `first`: in the first round.
template <class Team, class Real>
ST_BODY void center_stage(Team team, double smoothing, bool first, Arena arena, StepSite<Real>& site,
                          LinearizeProgress<Real>& own) {
  team.fence();
  SolveTask& task = *site.task;
  if (first)
    team.once([&] {
      take_linearize_scratch(site.model, site.capacity, site.config, site.progress->scratch, arena, own.scratch);
    });
  if (!task.wanted) return;
  team.once([&] { task.problem.law = without_shift(task.problem.law); });
  SmoothedMemory<double, double>* memory = nullptr;
  const std::uint32_t bits =
      solve_smoothed(team, task.problem, smoothing, own.scratch.solver, task.solution.v, &memory);
  team.once([&] {
    own.memory = memory;
    task.report = SolverReport<double>{};
    task.report.residual = bits == status::kConverged ? 0.0 : double(INFINITY);
    task.report.status = bits;
  });
}

/// Moves the rows of a smoothed problem to the end of its step, if the step seeks it.
template <class Team, class Real>
ST_BODY void settle_stage(Team team, double smoothing, StepSite<Real>& site, LinearizeProgress<Real>& own) {
  team.fence();
  SolveTask& task = *site.task;
  if (site.progress->refused || !follows_answer(site.config) || task.report.status != status::kConverged) return;
  SmoothedMemory<double, double>* memory = own.memory;
  const std::uint32_t bits = settle_end(team, smoothing, site, &memory, own.scratch);
  team.once([&] {
    own.memory = memory;
    task.report.status = bits;
  });
}

/// Writes v and q⁺ of the smoothed step, or NaN and the reason.
template <class Team, class Real>
ST_BODY void begin_stage(Team team, const StepSite<Real>& site, int i, const BatchLinearization& out,
                         LinearizeProgress<Real>& own) {
  team.fence();
  const ModelView<Real>& model = site.model;
  LinearizationView view = out.env(model, i);
  const std::uint32_t bits = site.progress->refused ? site.progress->refused : site.task->report.status;
  const bool valid = bits == status::kConverged;
  clear_linearization(team, model, valid ? 0.0 : static_cast<double>(NAN), view);
  if (valid) start_columns(team, model, *site.env, site.config, own.scratch, view);
  team.once([&] {
    own.valid = valid;
    out.status[i] = valid ? bits : bits & ~status::kConverged;
  });
}

/// Starts one side of a column: all that comes before the search for contacts.
template <class Team, class Real>
ST_BODY void displace_stage(Team team, int column, int sign, StepSite<Real>& site, LinearizeProgress<Real>& own) {
  team.fence();
  const bool valid = own.valid;
  team.once([&] {
    site.progress->rounds.reason = RoundReason::kNone;
    site.progress->collides = valid && !follows_answer(site.config);
  });
  if (!valid) return;
  const double width = start_column_side(team, site.model, *site.env, site.config, column, sign, own.scratch);
  team.once([&] { own.width = width; });
}

/// Adds the part of the column that comes from this side.
template <class Team, class Real>
ST_BODY void respond_stage(Team team, StepSite<Real>& site, int i, int column, int sign, const BatchLinearization& out,
                           LinearizeProgress<Real>& own) {
  team.fence();
  if (!own.valid) return;
  LinearizationView view = out.env(site.model, i);
  if constexpr (kLinearizesEnd<Team>) {
    if (follows_answer(site.config)) {
      if (add_end_column_side(team, column, sign, own.width, site, *own.memory, own.scratch, view)) return;
      clear_linearization(team, site.model, static_cast<double>(NAN), view);
      team.once([&] {
        own.valid = false;
        out.status[i] = status::kEndOpen;
      });
      return;
    }
  }
  add_column_side(team, site.model, site.capacity, site.config, column, sign, own.width, *own.memory, own.scratch,
                  view);
}

/// Runs all stages of one environment one after the other; `step` and `own` are arenas.
template <class Team, class Real>
ST_APART void linearize_environment(const Team& team, const BatchView<Real>& batch, int i,
                                    const StepConfig<Real>& of_step, double smoothing, const BatchLinearization& out,
                                    Arena step, Arena own) {
  const StepConfig<Real> config = without_parting(of_step);
  const ModelView<Real> model = batch.env_model(i);
  EnvView<Real> env = batch.env(i);
  StepProgress<Real> progress;
  SolveTask task;
  LinearizeProgress<Real> columns;
  StepSite<Real> site{model, &env, batch.capacity, config, &progress, &task};
  prepare_stage(team, step, Entry::kCall, site);
  drift_stage(team, site);
  bool first = true;
  do {
    collide_stage(team, site);
    merge_stage(team, site);
    task_stage<kLinearizesEnd<Team>>(team, site);
    center_stage(team, smoothing, first, own, site, columns);
    judge_stage(team, site);
    first = false;
  } while (task.wanted);
  if constexpr (kLinearizesEnd<Team>) settle_stage(team, smoothing, site, columns);
  begin_stage(team, site, i, out, columns);
  for (int column = 0; column < model.nv + model.nu; ++column)
    for (const int sign : kSides) {
      displace_stage(team, column, sign, site, columns);
      collide_stage(team, site);
      respond_stage(team, site, i, column, sign, out, columns);
    }
}

}  // namespace stiction
