// Steps whose bodies move before their velocities are solved, and stop where they touch: section 4 of Miller and
// Christensen 2003. A step of h is a sequence of parts:
//
//   1. all bodies move for t <= what is left of h with the velocity that they have         (12)
//      t: the time at which the first pair that was apart comes to φ = δ/2, or all that is left
//   2. contacts are the points with φ <= δ; their friction is that of their speed          (13)
//   3. the velocities are solved with the forces of t at the poses that were reached       (15), (17), (18)
//      what is nearer than δ/2 parts by γ of what is missing in a step                     (16), (19)
//
// and the next part begins, until h is over. After kMostParts parts bodies wait for the end of the step, which then has
// the bit kPartsOpen.
//
// t is found by advancing along the motion (sweep.hpp), so that no body passes another one; halving t then makes sure
// that nothing overlaps at the poses that are reached, as a linkage bends the paths of its bodies. A gap above δ/2 may
// close down to δ/2 in a step, where (19) keeps it as it was found: contacts then rest at δ/2 and nowhere else. All
// that concerns positions counts for the whole h, because what follows a short part may be a long one. ADR 0510.
//
//   symbol  variable          shape  unit
//   δ       contact_distance  1      [m]
//   γ       correction        1      [-]
//   t       part              1      [s]
#pragma once

#include "kernels/step/begin_step.hpp"
#include "kernels/step/meetings.hpp"
#include "kernels/step/next_state.hpp"
#include "kernels/step/parts_of_step.hpp"

namespace stiction {

/// Parts of a step, at most; the last one ends where it meets something.
constexpr int kMostParts = 16;
/// A part takes at least this share of a step, so that forces are finite [-].
constexpr double kLeastPart = 1e-6;
/// How often the motion of a part is shortened.
constexpr int kMostTries = 40;

/// Pairs are looked for along the motion that the bodies have, not along the one that forces would give them.
template <class Team, class Real>
ST_FN void expect_present_motion(Team team, const ModelView<Real>& model, const EnvView<Real>& env,
                                 StepScratch<Real>& s) {
  team.each(model.nv, [&](int k) { s.motion.free_velocity[k] = env.qvel[k]; });
}

/// Leaves only the points of manifolds that are contacts.
template <class Team, class Real>
ST_FN void keep_near_points(Team team, const ModelView<Real>& model, Real distance, PairSlots<Real>& slots) {
  team.each(*slots.count, [&](int slot) {
    Manifold<Real>& manifold = slots.manifold[slot];
    const Real farthest = distance + model.pair_margin[slots.pair[slot]];
    int kept = 0;
    for (int i = 0; i < manifold.count; ++i)
      if (manifold.point[i].gap <= farthest) manifold.point[kept++] = manifold.point[i];
    manifold.count = kept;
  });
}

/// Keeps the poses and takes the solved velocity.
template <class Team, class Real>
ST_FN void stay(Team team, const ModelView<Real>& model, StepScratch<Real>& s, EnvView<Real>& env) {
  team.each(model.nq, [&](int i) { s.next.qpos[i] = env.qpos[i]; });
  team.each(model.nv, [&](int k) { s.next.qvel[k] = static_cast<Real>(s.solution.v[k]); });
  team.each(*s.slots.count, [&](int slot) { s.meetings.end_gap[slot] = s.meetings.start_gap[slot]; });
  update_bodies(team, model, s.next.qpos, env.mocap_pose, s.next.poses);
  team.once([&] { s.next.geoms_placed = false; });
}

/// Where a motion of t [s] with the velocity qvel takes the environment.
template <class Team, class Real>
ST_BODY void move_for(Team team, const ModelView<Real>& model, const StepConfig<Real>& config, Real t,
                      StepScratch<Real>& s, EnvView<Real>& env) {
  NextState<Real>& next = s.next;
  place_scripted_bodies(team, config.mocap, *env.time + static_cast<double>(t), env);
  team.each(model.nq, [&](int i) { next.qpos[i] = env.qpos[i]; });
  team.each(model.nv, [&](int k) { next.qvel[k] = env.qvel[k]; });
  integrate_positions(team, model, next.qvel, config.dynamics, config.rotation, t, next.qpos);
  if (s.motion.prescribed.frozen) keep_frozen(team, model, env.qpos, s.motion.prescribed, next.qpos);
  carry_velocity(team, model, next.qpos, config.dynamics, config.rotation, t, next.qvel);
  update_bodies(team, model, next.qpos, env.mocap_pose, next.poses);
  update_geoms(team, model, next.poses);
}

namespace step_detail {

/// The gap at which a pair that begins at `gap` stops the bodies [m]. A contact has rows: it stops them only where its
/// sides turn into each other.
template <class Real>
ST_FN Real stopping_gap(const StepConfig<Real>& config, Real gap) {
  return gap > config.contact_distance ? gap_rule(config).target : Real(0.5) * gap;
}

/// The share of the motion of t [s], whose end is in s.next, at which a pair stops it; 2: it does not.
template <class Real>
ST_APART Real stopping_share(const ModelView<Real>& model, const StepConfig<Real>& config, Real t, int slot,
                             const StepScratch<Real>& s, CollisionScratch<Real>& scratch) {
  const int pair = s.slots.pair[slot];
  const Real gap = s.meetings.start_gap[slot], slack = Real(0.01) * config.contact_distance;
  if (!(gap > slack)) return Real(2);
  const Real moved = farthest_motion_of_pair(model, s, pair);
  const Real stop = stopping_gap(config, gap);
  if (gap - moved > stop) return Real(2);
  find_motions(model, s, t, slot, scratch);
  const Real share = find_meeting(model.pair_margin[pair] + stop + Real(0.95) * slack, slack, scratch);
  return share >= Real(0) ? share : Real(2);
}

/// True if the pair is deeper in overlap at the poses of s.next than where the motion began.
template <class Real>
ST_APART bool ends_deeper(const ModelView<Real>& model, int slot, const StepScratch<Real>& s,
                          CollisionScratch<Real>& scratch) {
  const int pair = s.slots.pair[slot];
  const Real gap = s.meetings.start_gap[slot], margin = model.pair_margin[pair];
  const Real moved = farthest_motion_of_pair(model, s, pair);
  if (gap > moved || !(gap >= Real(0))) return false;
  place_pair(model, s.next.poses, s.slots, slot, scratch);
  return distance_up_to(margin, scratch) < margin;
}

}  // namespace step_detail

/// The narrow phase where the motion of a part begins, which is first tried to its end.
template <class Team, class Real>
ST_BODY void find_start_gaps(Team team, const ModelView<Real>& model, PartsOfStep& parts, StepScratch<Real>& s,
                             EnvView<Real>& env) {
  team.each(model.nv, [&](int k) { s.solution.v[k] = static_cast<double>(env.qvel[k]); });
  collide_slots(team, model, s.poses, s.motion.free_velocity, s.slots);
  start_meetings(team, model, true, s);
  team.once([&] { parts.tried = parts.left, parts.tries = 0, parts.seeks = true; });
}

namespace step_detail {

/// The first share of the motion that was tried at which a pair stops it; 2: none does.
template <class Team, class Real>
ST_FN Real first_stop(Team team, const ModelView<Real>& model, const StepConfig<Real>& config, Real t,
                      StepScratch<Real>& s) {
  return Real(2) - team.max(*s.slots.count, Real(0), [&](int slot) {
    CollisionScratch<Real>& scratch = s.slots.scratch[slot % Team::kLanes];
    return Real(2) - stopping_share(model, config, t, slot, s, scratch);
  });
}

/// True if a pair ends deeper than it began.
template <class Team, class Real>
ST_FN bool any_ends_deeper(Team team, const ModelView<Real>& model, StepScratch<Real>& s) {
  return team.sum(*s.slots.count, 0, [&](int slot) {
    CollisionScratch<Real>& scratch = s.slots.scratch[slot % Team::kLanes];
    return ends_deeper(model, slot, s, scratch) ? 1 : 0;
  }) > 0;
}

/// Puts the bodies where s.next is, after a motion of t [s], and advances the time. What is left then is another part
/// unless it is shorter than `least` [s].
template <class Team, class Real>
ST_FN void arrive(Team team, const ModelView<Real>& model, Real t, Real least, PartsOfStep& parts, StepScratch<Real>& s,
                  EnvView<Real>& env) {
  team.each(model.nq, [&](int i) { env.qpos[i] = s.next.qpos[i]; });
  team.each(model.nv, [&](int k) { env.qvel[k] = s.next.qvel[k]; });
  team.once([&] {
    const double left = parts.left - static_cast<double>(t);
    const bool last = left <= static_cast<double>(least), full = !last && parts.count + 1 == kMostParts;
    parts.count += 1;
    parts.left = last || full ? 0.0 : left;
    parts.seeks = false;
    if (full) parts.bits = status::kPartsOpen;
    s.h = t;
    *env.time = parts.left > 0.0 ? parts.end - parts.left : parts.end;
  });
}

}  // namespace step_detail

/// Shortens the motion that was tried to where the first pair stops it, and then while a pair would end deeper than it
/// began. Where nothing shortens it, the bodies arrive.
template <class Team, class Real>
ST_BODY void stop_at_contact(Team team, const ModelView<Real>& model, const StepConfig<Real>& config,
                             PartsOfStep& parts, StepScratch<Real>& s, EnvView<Real>& env) {
  const Real t = static_cast<Real>(parts.tried), least = Real(kLeastPart) * config.step_size;
  const Real share = parts.tries == 0 ? step_detail::first_stop(team, model, config, t, s) : Real(2);
  const bool shortens = share < Real(1);
  const bool halves =
      !shortens && t > least && parts.tries < kMostTries && step_detail::any_ends_deeper(team, model, s);
  if (!shortens && !halves) return step_detail::arrive(team, model, t, least, parts, s, env);
  team.once([&] {
    parts.tries += 1;
    parts.tried = static_cast<double>(larger((shortens ? share : Real(0.5)) * t, least));
  });
}

}  // namespace stiction
