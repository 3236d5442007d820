// The derivatives of a batch's next steps, cut into phases as a step is (phases.hpp), whose first ones it shares.
//
//   prepare                   ctrl, q -> X_WB, M, H, g; reach -> selected pairs
//   up to kMaxAttempts times  collide, task    as in a step
//                             center   SolveTask -> v of the smoothed problem
//                             judge    did the motion stay within the reach?
//   begin                     v -> q⁺; NaN where there is none
//   for ±, for every column   displace  q ⊞ ±δ e -> X_WB, M, H, g
//                             collide
//                             respond   -> Δv, q⁺±, the column
#pragma once

#include "kernels/launch/phases.hpp"
#include "kernels/step/linearize.hpp"

namespace stiction {

/// Results of all environments.
struct BatchLinearization {
  double* v;              // (batch, nv)
  double* A;              // (batch, nv, nv)
  double* B;              // (batch, nv, nu)
  std::uint32_t* status;  // kConverged, or why there is none (batch)

  template <class Real>
  ST_FN LinearizationView env(const ModelView<Real>& model, int i) const {
    const std::ptrdiff_t at = i, nv = model.nv, nu = model.nu;
    return {v + nv * at, A + nv * nv * at, B + nv * nu * at};
  }
};

/// The sides of a column.
constexpr int kSides[] = {1, -1};

/// What one environment carries from phase to phase, beside StepProgress.
template <class Real>
struct LinearizeProgress {
  LinearizeScratch<Real> scratch;
  SmoothedMemory<double, double>* memory;
  double width;  // between the sides of a column
  bool valid;    // there is something to differentiate
};

/// Bytes of scratch that one environment needs beside that of a step.
template <class Real>
std::size_t linearize_scratch_bytes(const ModelView<Real>& model, const Capacity& capacity,
                                    const StepConfig<Real>& config) {
  Arena arena;
  StepScratch<Real, double> step;
  LinearizeScratch<Real> s;
  take_step_scratch(HostTeam<>{}, model, capacity, config, arena, step);
  take_linearize_scratch(model, capacity, config, step, Arena(), s);
  return s.solver.used() + smoothed_scratch<double, double>(solver_capacity(model, capacity, config));
}

/// The smoothed problem of a task, if it is wanted; `first`: of the first attempt.
template <class Team, class Real>
ST_BODY void center_phase(Team team, const BatchView<Real, double>& batch, int i, const StepConfig<Real>& config,
                          double smoothing, bool first, Arena arena, const StepProgress<Real>& progress,
                          SolveTask& task, LinearizeProgress<Real>& own) {
  team.fence();
  if (first) {
    const ModelView<Real> model = batch.env_model(i);
    team.once([&] { take_linearize_scratch(model, batch.capacity, config, progress.scratch, arena, own.scratch); });
  }
  if (!task.wanted) return;
  SmoothedMemory<double, double>* memory = nullptr;
  const std::uint32_t bits =
      solve_smoothed(team, task.problem, smoothing, own.scratch.solver, task.solution.v, &memory);
  team.once([&] {
    own.memory = memory;
    task.report = SolverReport<double>{};
    task.report.status = bits;
  });
}

/// v and q⁺ of the smoothed step, or NaN and why.
template <class Team, class Real>
ST_BODY void begin_phase(Team team, const BatchView<Real, double>& batch, int i, const StepConfig<Real>& config,
                         const StepProgress<Real>& progress, const SolveTask& task, const BatchLinearization& out,
                         LinearizeProgress<Real>& own) {
  team.fence();
  const ModelView<Real> model = batch.env_model(i);
  const LinearizationView view = out.env(model, i);
  const std::uint32_t bits = progress.refused ? progress.refused : task.report.status;
  const bool valid = bits == status::kConverged;
  clear_linearization(team, model, valid ? 0.0 : static_cast<double>(NAN), view);
  if (valid) start_columns(team, model, batch.env(i), config, own.scratch, view);
  team.once([&] {
    own.valid = valid;
    out.status[i] = valid ? bits : bits & ~status::kConverged;
  });
}

/// One side of a column, up to where contacts are.
template <class Team, class Real>
ST_BODY void displace_phase(Team team, const BatchView<Real, double>& batch, int i, const StepConfig<Real>& config,
                            int column, int sign, StepProgress<Real>& progress, LinearizeProgress<Real>& own) {
  team.fence();
  const bool valid = own.valid;
  team.once([&] {
    progress.range = NarrowRange::kReach;
    progress.collides = valid;
  });
  if (!valid) return;
  const ModelView<Real> model = batch.env_model(i);
  const double width = start_column_side(team, model, batch.env(i), config, column, sign, own.scratch);
  team.once([&] { own.width = width; });
}

/// The same side's part of the column.
template <class Team, class Real>
ST_BODY void respond_phase(Team team, const BatchView<Real, double>& batch, int i, const StepConfig<Real>& config,
                           int column, int sign, const BatchLinearization& out, LinearizeProgress<Real>& own) {
  team.fence();
  if (!own.valid) return;
  const ModelView<Real> model = batch.env_model(i);
  add_column_side(team, model, batch.capacity, config, column, sign, own.width, *own.memory, own.scratch,
                  out.env(model, i));
}

/// All phases of one environment one after the other; `step` and `own`: arenas.
template <class Team, class Real>
ST_APART void linearize_environment(const Team& team, const BatchView<Real, double>& batch, int i,
                                    const StepConfig<Real>& config, double smoothing, const BatchLinearization& out,
                                    Arena step, Arena own) {
  StepProgress<Real> progress;
  SolveTask task;
  LinearizeProgress<Real> columns;
  prepare_phase(team, batch, i, config, step, true, progress, task);
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    collide_phase(team, batch, i, progress);
    task_phase(team, batch, i, config, progress, task);
    center_phase(team, batch, i, config, smoothing, attempt == 0, own, progress, task, columns);
    judge_phase(team, batch, i, config, progress, task);
  }
  begin_phase(team, batch, i, config, progress, task, out, columns);
  for (int column = 0; column < batch.model.nv + batch.model.nu; ++column)
    for (const int sign : kSides) {
      displace_phase(team, batch, i, config, column, sign, progress, columns);
      collide_phase(team, batch, i, progress);
      respond_phase(team, batch, i, config, column, sign, out, columns);
    }
}

}  // namespace stiction
