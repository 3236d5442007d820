// The parts of steps whose bodies move first (move_first.hpp), as stages of a step: stages before those of other steps,
// and what begins and ends a part.
#pragma once

#include "kernels/step/move_first.hpp"
#include "kernels/step/step_site.hpp"

namespace stiction {

/// Starts the parts of a step, and says how long the forces of this one act.
template <class Real>
ST_FN void start_parts(Entry entry, StepSite<Real>& site) {
  StepProgress<Real>& progress = *site.progress;
  const bool first = moves_first(site.config);
  const double h = static_cast<double>(site.config.step_size), time = *site.env->time;
  if (entry == Entry::kCall || entry == Entry::kStep)
    progress.parts = {first ? h : 0.0, time + h};
  else if (entry == Entry::kPart)
    progress.parts.idle = !(progress.parts.left > 0.0);
  StepScratch<Real>& s = progress.scratch;
  if (entry != Entry::kMoved) s.h = site.config.step_size;
  s.impulse_step = first ? (progress.parts.left > 0.0 ? -1 : step_at(time - h, h)) : step_at(time, h);
}

/// The gaps where the motion begins of bodies that move before their velocities are solved.
template <class Team, class Real>
ST_BODY void gaps_stage(Team team, StepSite<Real>& site) {
  team.fence();
  StepProgress<Real>& progress = *site.progress;
  const bool moves = !progress.refused && !progress.parts.idle;
  if (moves) return find_start_gaps(team, site.model, progress.parts, progress.scratch, *site.env);
  team.once([&] { progress.parts.seeks = false; });
}

/// Where that motion leads.
template <class Team, class Real>
ST_BODY void go_stage(Team team, StepSite<Real>& site) {
  team.fence();
  StepProgress<Real>& progress = *site.progress;
  if (!progress.parts.seeks) return;
  move_for(team, site.model, site.config, static_cast<Real>(progress.parts.tried), progress.scratch, *site.env);
}

/// Shortens the motion where it leads too far, or leaves the bodies there: prepare and drift then run again.
template <class Team, class Real>
ST_BODY void stop_stage(Team team, StepSite<Real>& site) {
  team.fence();
  StepProgress<Real>& progress = *site.progress;
  if (!progress.parts.seeks) return;
  stop_at_contact(team, site.model, site.config, progress.parts, progress.scratch, *site.env);
}

/// Adds to the readout of a part what the parts before it said. Bodies that do not move on have no further part.
template <class Real>
ST_FN void join_parts(bool stays, StepSite<Real>& site) {
  PartsOfStep& parts = site.progress->parts;
  EnvView<Real>& env = *site.env;
  if (stays) parts.left = 0.0;
  *env.status |= parts.bits;
  if (parts.bits) *env.status &= ~status::kConverged;
  parts.iterations = *env.iterations += parts.iterations;
  if (parts.residual > *env.residual) *env.residual = parts.residual;
  parts.residual = *env.residual;
  *env.time = parts.left > 0.0 ? parts.end - parts.left : parts.end;
}

}  // namespace stiction
