// The contact problem of a round: from manifolds to contacts, rows and the start of its solution, by the reason for the
// round (rounds.hpp).
#pragma once

#include "kernels/contact/kinetic_friction.hpp"
#include "kernels/patch/following_friction.hpp"
#include "kernels/step/step_site.hpp"

namespace stiction {

/// Turns the overlaps and violated limits that the velocity leaves into a task; its answer is a motion besides the
/// velocity.
template <class Team, class Real>
ST_BODY void parting_task(Team team, StepSite<Real>& site) {
  StepProgress<Real>& progress = *site.progress;
  StepScratch<Real>& s = progress.scratch;
  pose_parting(team, site.model, site.config.step_size, s, site.task->problem);
  team.once([&] {
    progress.velocity_report = site.task->report;
    site.task->warm = {s.parting.rest, s.warm_lambda, nullptr, 0.0, true};
    site.task->solution = parting_solution(s);
    site.task->report = {};
  });
}

/// Prepares what the reason for the round changes before its contacts are packed.
template <bool kSeeksEnd, class Team, class Real>
ST_FN void begin_round(Team team, const StepSite<Real>& site, StepScratch<Real>& s) {
  const Rounds& rounds = site.progress->rounds;
  if (kSeeksEnd && rounds.reason == RoundReason::kEnd) return update_spin(team, site.model, site.config, s);
  if (changes_pairs(rounds.reason)) {
    // suspects that meet carry again: their rounds start from the answer before they were left out
    if (rounds.last != RoundReason::kSuspects) keep_round(team, site.model, site.capacity, s);
  } else {
    tighten_bounds(team, s.slots, s.bounds);
    start_meetings(team, site.model, rounds.as_found(), s);
    if constexpr (Team::kLanes == 1)
      if (foresees_parting<Team>(site.config, s.reach) && !rounds.as_found())
        leave_out_parting(team, site.model, site.config.law, s);
  }
}

/// Where the solution of the round starts. `poses`: those of its rows.
template <bool kSeeksEnd, class Team, class Real>
ST_FN WarmStart<double> match_start(Team team, const StepSite<Real>& site, const Poses<Real>& poses,
                                    StepScratch<Real>& s) {
  const RoundReason reason = site.progress->rounds.reason;
  const double penalty = site.task->report.penalty;
  if (kSeeksEnd && reason == RoundReason::kEnd) return match_places(team, site.model, poses, site.config, penalty, s);
  return changes_pairs(reason) ? match_last_round(team, site.config, penalty, s)
                               : match_warm_start(team, *site.env, site.config, s);
}

/// Contacts -> rows with the friction that they have in this step.
template <bool kPatches, class Team, class Real, class Finer>
ST_FN void build_round_rows(Team team, const StepSite<Real>& site, const Poses<Finer>& poses,
                            const Contacts<Finer>& contacts, StepScratch<Real>& s) {
  const StepConfig<Real>& config = site.config;
  build_contact_rows<kPatches>(team, site.model, poses, contacts, s.motion.prescribed, config.step_size,
                               gap_rule(config), s.contact_rows);
  if (has_momentum(config.dynamics))
    choose_kinetic_friction<Team, Real>(team, site.model, site.env->qvel, config.threshold_speed, contacts,
                                        s.contact_rows);
}

/// Manifolds -> contacts, the start of the solve, and rows. Returns the status bit of a full capacity, else 0.
template <bool kSeeksEnd, class Team, class Real>
ST_FN std::uint32_t build_contacts(Team team, const StepSite<Real>& site, StepScratch<Real>& s,
                                   WarmStart<double>& warm) {
  const StepConfig<Real>& config = site.config;
  const bool seeks = kSeeksEnd && seeks_end(config),
             ends = kSeeksEnd && site.progress->rounds.reason == RoundReason::kEnd;
  const bool at_end = ends && config.geometry == ContactGeometry::kEnd;
  const Poses<Real>& poses = at_end ? s.next.poses : s.poses;
  if (at_end) build_equalities_at_end(team, site.model, *site.env, config, site.capacity, s);
  const std::uint32_t full = pack_contacts(team, site.model, site.capacity, s.slots, s.contacts);
  if (seeks) pack_fine_contacts(team, site.model, config.step_size, at_end, s);
  if (kSeeksEnd) warm = match_start<kSeeksEnd>(team, site, poses, s);
  const auto build = [&](const auto& its_poses, const auto* manifold, auto& contacts) {
    if (kSeeksEnd && config.contact == ContactModel::kPatch)
      place_friction(team, site.model, its_poses, s.slots, manifold, s.warm_lambda, config.dimension, s.patches,
                     contacts);
    build_round_rows<kSeeksEnd>(team, site, its_poses, contacts, s);
  };
  if (seeks || sizeof(Real) == sizeof(double))
    with_round_geometry(at_end, s, build);
  else
    build(s.poses, s.slots.manifold.data(), s.contacts);
  if (config.parts_overlaps) leave_overlaps(team, dead_band(config), config.step_size, s);
  if (seeks) keep_places(team, site.model, at_end, s);
  if (!kSeeksEnd) warm = match_start<kSeeksEnd>(team, site, poses, s);  // later, as lanes have few registers
  return full;
}

/// Asks whether the answer of the round before solves the problem of this one, which has the geometry of its end: then
/// the answer stands. The best answer is not solved anew, whether it stands or not.
template <class Team, class Real>
ST_BODY void judge_answer(Team team, StepSite<Real>& site) {
  StepProgress<Real>& progress = *site.progress;
  const Residual<double> residual =
      judge_last_answer(team, site.model, site.config, site.task->problem, progress.scratch);
  const bool solves = residual.total <= site.config.tolerance, stands = solves && !progress.scratch.end.searches[0];
  if (tells_of_end(site.config, progress.scratch))
    keep_best_round(team, site.model, site.capacity, residual.total, progress.scratch);
  team.once([&] {
    progress.stands = stands;
    const int taken = progress.rounds.taken[static_cast<int>(RoundReason::kEnd)];
    note_residual(residual.total, solves, taken, progress.scratch);
    progress.end_residual = residual.total;
    if (!stands && !progress.scratch.end.searches[2]) return;
    site.task->report.status = status::kConverged;
    site.task->report.residual = residual.total;
    site.task->report.violation = residual.violation;
  });
}

/// From this round on friction without torsion follows its load, in turns of so many rounds: where it slides, rounds
/// settle better without.
constexpr int kFollowAfter = 12, kFollowTurn = 6;

/// True for a round after `taken` others if friction without torsion follows its load in it.
ST_FN bool follows_in_round(int taken) {
  return taken >= kFollowAfter && (taken - kFollowAfter) / kFollowTurn % 2 == 0;
}

/// Changes the rows of a round whose last answer does not stand: friction where the search goes on, if there is one,
/// and friction that follows its load.
template <class Team, class Real>
ST_FN void go_on_with_patches(Team team, StepSite<Real>& site) {
  const StepConfig<Real>& config = site.config;
  StepScratch<Real>& s = site.progress->scratch;
  const double* lambda = s.warm_lambda;
  const int taken = site.progress->rounds.taken[static_cast<int>(RoundReason::kEnd)];
  const bool searches = s.end.searches[0] != 0;
  with_round_geometry(
      config.geometry == ContactGeometry::kEnd, s, [&](const auto& poses, const auto* /*manifold*/, auto& contacts) {
        const bool changes = taken >= kFollowAfter && any_follows_load(s.slots, contacts, s.contact_rows, lambda);
        if (changes && (taken - kFollowAfter) % kFollowTurn == 0) team.once([&] { forget_rounds(s); });
        if (searches) {
          advance_friction(team, site.model, contacts, s);
          build_round_rows<true>(team, site, poses, contacts, s);
        }
        if (changes && follows_in_round(taken))
          follow_loads(team, site.model, poses, s.slots, contacts, s.patches, s.motion.prescribed, lambda,
                       s.last_round.v, s.contact_rows);
      });
  if (searches && config.parts_overlaps) leave_overlaps(team, dead_band(config), config.step_size, s);
}

}  // namespace stiction
