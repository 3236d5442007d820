// Rounds that find the end of a step: gaps and arms at q⁺ (`geometry = "end"`), and the points a at which the friction
// of patches acts (`contact = "patch"`).
//
//   round k   manifolds at q⁺ of the round before, with points next to those that carried
//             a = Σ p_k x_k / Σ p_k from its impulses;  φ = φ(q⁺) − h n·(J v + b)     (kernels/patch)
//             if its (v, λ) solves the problem with these rows: the answer stands; else solve, q⁺ = q ⊞ h v
//
// So what stands has the residual of kernels/problem/residual.hpp with J and φ at the q⁺ that is written and the ECP of
// the λ that is written. With `rotation = "linear"` the velocity terms, too, are those of the last round's spin. The
// first round of a step has the gaps and arms of its start, and all that meetings.hpp knows about bodies that pass one
// another. Rounds with geometry = "start" only change a.
//
// Rounds may be slow or not settle. After kPlainRounds a search goes on from several of them (motion_search.hpp) and
// says where the next one has its rows. An answer that solves such a problem is asked once more, where it ends itself.
// If none stands, one more round goes back to the best of them (best_round.hpp).
//
// Points of a pair have other indices in every round. The impulses of the last round go to the points that are nearest
// to where its bodies have taken its points; a point on the rim of a cap goes on as a point of the next manifold.
//
// Under laws whose contacts hover, pairs that only pass one another have no rows (passing_pairs.hpp).
#pragma once

#include "kernels/collision/cap_candidates.hpp"
#include "kernels/dynamics/linear_spin.hpp"
#include "kernels/patch/end_geometry.hpp"
#include "kernels/step/best_round.hpp"
#include "kernels/step/end_poses.hpp"
#include "kernels/step/motion_search.hpp"
#include "kernels/step/passing_pairs.hpp"
#include "kernels/step/rim_search.hpp"

namespace stiction {

/// Rounds whose rows are those of the end of the last answer, however they go.
constexpr int kPlainRounds = 4;
/// Rounds are slow if one leaves more than this share of the residual of the one before [-].
constexpr double kSlow = 0.2;

namespace step_detail {

/// Lists the points of a slot that carried in the last round, the one that carried most first.
template <class Real>
ST_FN void list_kept_points(const ModelView<Real>& model, const StepConfig<Real>& config, const StepScratch<Real>& s,
                            int slot, CollisionScratch<double>& scratch) {
  const Poses<double>& poses = end_poses(s);
  const int pair = s.slots.pair[slot], *geom = model.pair_geom + 2 * pair, rows = config.dimension;
  const bool patch = config.contact == ContactModel::kPatch;
  KeptPoints<double>&kept_A = scratch.kept_A.kept, &kept_B = scratch.kept_B.kept;
  kept_A.count = kept_B.count = 0;
  kept_A.crossings = kept_B.crossings = 0;
  kept_A.most = kept_B.most = patch ? kMaxManifold
                                    : most_points(static_cast<GeomType>(model.geom_type[geom[0]]),
                                                  static_cast<GeomType>(model.geom_type[geom[1]]));
  const LastRound& last = s.last_round;
  double before = double(INFINITY);
  int chosen = -1;
  const int first = first_of_pair(last, pair);
  while (kept_B.count < kMaxManifold) {
    int next = -1;
    for (int j = first; j < *last.count && pair_of_key(last.key[j]) == pair; ++j) {
      const double p = last.lambda[rows * j];
      const bool later = p < before || (p == before && j > chosen);
      if (p > 0.0 && s.end.fixed[j] && later && (next < 0 || p > last.lambda[rows * next])) next = j;
    }
    if (next < 0) return;
    before = last.lambda[rows * next], chosen = next;
    if (is_crossing(scratch.kept_A, scratch.kept_B, load3(s.end.place + 6 * next + 3)))
      kept_A.crossings |= 1u << kept_A.count;
    if (is_crossing(scratch.kept_B, scratch.kept_A, load3(s.end.place + 6 * next)))
      kept_B.crossings |= 1u << kept_B.count;
    kept_A.point[kept_A.count++] = carried_point(poses, s.end, next, 0, geom[0]);
    kept_B.point[kept_B.count++] = carried_point(poses, s.end, next, 1, geom[1]);
  }
}

/// Gives the contacts of a slot the impulses of the last round: each point's go to the point that is nearest to where
/// its second body has taken it; if contacts hover, to the middle of where both have, as contacts are there.
template <class Real>
ST_FN void match_points(const ModelView<Real>& model, const Poses<Real>& poses, bool hover, int slot,
                        StepScratch<Real>& s) {
  const int pair = s.slots.pair[slot], rows = s.contact_rows.dimension, *geom = model.pair_geom + 2 * pair;
  const LastRound& last = s.last_round;
  for_each_contact(s, slot, [&](int i) {
    for (int r = 0; r < rows; ++r) s.warm_lambda[rows * i + r] = 0.0;
  });
  for (int j = first_of_pair(last, pair); j < *last.count && pair_of_key(last.key[j]) == pair; ++j) {
    Vec3<Real> p = carried_point(poses, s.end, j, 1, geom[1]);
    if (hover) p = Real(0.5) * (carried_point(poses, s.end, j, 0, geom[0]) + p);
    int nearest = -1;
    Real least = Real(INFINITY);
    for_each_contact(s, slot, [&](int i) {
      const Real away = norm_squared(load3(s.contacts.position + 3 * i) - p);
      if (away < least) least = away, nearest = i;
    });
    if (nearest < 0) continue;
    for (int r = 0; r < rows; ++r) s.warm_lambda[rows * nearest + r] += last.lambda[rows * j + r];
  }
}

}  // namespace step_detail

/// Finds the motion to the poses of this round: the answer of the last one, where the search goes on, or the best
/// answer. `again`: the last round sought the end, too; `back`: its answer has given way to the best one.
template <class Team, class Real>
ST_FN void choose_motion(Team team, const ModelView<Real>& model, const StepConfig<Real>& config, bool again, bool back,
                         const EnvView<Real>& env, StepScratch<Real>& s) {
  if (!back) note_rims(team, model, again, s);
  if (again && !back) remember_round(team, model, end_contacts(s), s);
  team.once([&] {
    if (!again) {
      forget_rounds(s);
      for (int i = 0; i < 3; ++i) s.end.judged[i] = double(INFINITY);
    }
    s.end.searches[0] = again && !back && s.end.searches[1] && *s.end.search.rounds > 1 ? 1 : 0;
    s.end.searches[2] = back ? 1 : 0;
  });
  const bool searches = s.end.searches[0] != 0;
  if (searches) extrapolate_rounds(team, model, config.step_size, s);
  team.each(model.nv, [&](int k) { s.end.motion[k] = searches ? s.end.search.next[k] : s.solution.v[k]; });
  if (!searches && !back) return find_end_poses(team, model, config, env, s);
  NextState<Real>& next = s.next;
  team.each(model.nq, [&](int i) { next.qpos[i] = env.qpos[i]; });
  team.each(model.nv, [&](int k) { next.qvel[k] = static_cast<Real>(s.end.motion[k]); });
  integrate_positions(team, model, next.qvel, config.dynamics, config.rotation, config.step_size, next.qpos);
  update_poses(team, model, next.qpos, env.mocap_pose, next.poses);
  find_end_poses(team, model, config, env, s);
}

/// Notes the residual of an answer and decides whether the next round searches; `taken`: rounds of this kind.
template <class Real>
ST_FN void note_residual(double residual, bool solves, int taken, StepScratch<Real>& s) {
  double* judged = s.end.judged;
  judged[1] = judged[0], judged[0] = residual;
  const bool slow = taken >= kPlainRounds && residual > kSlow * judged[1];
  s.end.searches[1] = !solves && (slow || s.end.searches[0]) ? 1 : 0;
}

/// The narrow phase of all selected pairs where the motion of the round ends.
template <class Team, class Real>
ST_FN void collide_at_end(Team team, const ModelView<Real>& model, const StepConfig<Real>& config,
                          StepScratch<Real>& s) {
  keep_coordinates(team, model, s.poses, config.dynamics, s.next.poses);
  const Poses<double>& poses = end_poses(s);
  team.each(*s.slots.count, [&](int slot) {
    const int p = s.slots.pair[slot];
    CollisionScratch<double>& scratch = in_double(s.slots.scratch[slot % Team::kLanes]);
    KeptShape<double>&A = scratch.kept_A, &B = scratch.kept_B;
    static_cast<PlacedShape<double>&>(A) = shape_in_world(model, poses, model.pair_geom[2 * p]);
    static_cast<PlacedShape<double>&>(B) = shape_in_world(model, poses, model.pair_geom[2 * p + 1]);
    scratch.guess = {0.0, 0.0, 0.0};
    step_detail::list_kept_points(model, config, s, slot, scratch);
    step_detail::keep_rim(model, s, slot, 0, B, A, B.kept);
    step_detail::keep_rim(model, s, slot, 1, A, B, B.kept);
    const double farthest = static_cast<double>(s.slots.reach[slot] + model.pair_margin[p]);
    collide(A, B, farthest, scratch, end_manifold(slot, s));
    step_detail::note_flat(A, B, slot, s);
    round_manifold(slot, s);
    if (hovers(config.law)) step_detail::keep_left_out_at_end(model, slot, s);
    for (int i = 0; i < 6 * s.slots.manifold[slot].count; ++i) shift_of_point(s.slots, slot, 0)[i] = Real(0);
  });
}

/// Puts the spin of the last answer into the velocity terms, if they depend on it.
template <class Team, class Real>
ST_FN void update_spin(Team team, const ModelView<Real>& model, const StepConfig<Real>& config, StepScratch<Real>& s) {
  if (!s.end.force) return;
  const double* v = s.solution.v;
  add_linear_spin(team, model, s.inertia, v, config.step_size, s.end.force, s.motion.g);
}

namespace step_detail {

/// The same for the points of one slot and its normal.
template <class State, class Real>
ST_FN void keep_places_of(const ModelView<State>& model, const Poses<Real>& poses, const Manifold<Real>& manifold,
                          int fixed, int slot, StepScratch<State>& s) {
  const Vec3<Real> none = {Real(0), Real(0), Real(0)};
  store3(s.end.normal + 3 * slot, in_precision<double>(manifold.count > 0 ? manifold.point[0].normal : none));
  for_each_contact(s, slot, [&](int i) {
    s.end.fixed[i] = fixed;
    const ContactPoint<Real>& point = manifold.point[point_of_key(s.contacts.key[i])];
    for (int side = 0; side < 2; ++side) {
      const int g = model.pair_geom[2 * s.slots.pair[slot] + side];
      const Vec3<Real> arm = (side == 0 ? point.p_A : point.p_B) - load3(poses.geom_pos + 3 * g);
      store3(s.end.place + 6 * i + 3 * side, in_precision<double>(transpose_mul(geom_rotation(poses, g), arm)));
    }
  });
}

}  // namespace step_detail

/// Remembers where on their geoms the points of this round are, `at_end` or where the step begins; there a pair that
/// has met has the manifold of its meeting.
template <class Team, class Real>
ST_FN void keep_places(Team team, const ModelView<Real>& model, bool at_end, StepScratch<Real>& s) {
  team.each(*s.slots.count, [&](int slot) {
    const int fixed = at_end || step_detail::role_of(s.meetings, slot) != PairRole::kMet ? 1 : 0;
    if (at_end)
      step_detail::keep_places_of(model, end_poses(s), end_manifold(slot, s), fixed, slot, s);
    else
      step_detail::keep_places_of(model, s.poses, s.slots.manifold[slot], fixed, slot, s);
  });
}

/// How often velocity terms and velocity follow from one another: h ‖ω‖ is the error that each time leaves [-].
constexpr int kSpinTurns = 4;

namespace step_detail {

/// v of one block from the impulses: H v = g + Jᵀλ, where Jᵀλ is in `force`. v stays if H has no factor.
ST_FN void follow_impulses(const ContactProblem<double>& p, int block, const double* force, double* factor,
                           double* solution, double* v) {
  const int adr = p.block_adr[block], n = p.block_size[block];
  for (int i = 0; i < n * n; ++i) factor[i] = p.H[block][i];
  if (!factor_upper(factor, n)) return;
  for (int i = 0; i < n; ++i) solution[i] = p.g[adr + i] + force[adr + i];
  solve_upper(factor, n, solution);
  for (int i = 0; i < n; ++i) v[adr + i] = solution[i];
}

/// Replaces v by the one that follows from λ, so that momentum is kept to rounding; velocity terms that depend on v
/// follow from v, in turns.
template <class Team, class Real>
ST_FN void follow_all_impulses(Team team, const ModelView<Real>& model, const StepConfig<Real>& config,
                               const ContactProblem<double>& p, StepScratch<Real>& s) {
  JudgeScratch& scratch = s.end.judge;
  const int turns = s.end.force ? kSpinTurns : 1;
  for (int turn = 0; turn < turns; ++turn) {
    team.each(p.num_blocks, [&](int block) {
      follow_impulses(p, block, scratch.residual.contact_force, scratch.factor + s.inertia.tree_adr[block],
                      scratch.solution + p.block_adr[block], s.solution.v);
    });
    update_spin(team, model, config, s);
  }
}

}  // namespace step_detail

/// The residual of the last round's answer in this round's problem p; its λ at this round's contacts becomes the
/// solution's. If it is within the tolerance and the step has momentum, v becomes the one that follows from λ, unless
/// the residual then is not: λ of what sticks says less about v than v itself.
template <class Team, class Real>
ST_FN Residual<double> judge_last_answer(Team team, const ModelView<Real>& model, const StepConfig<Real>& config,
                                         const ContactProblem<double>& p, StepScratch<Real>& s) {
  const double tolerance = config.tolerance;
  JudgeScratch& scratch = s.end.judge;
  fill_facet_table(team, scratch.table);
  team.each(p.dimension * p.num_contacts, [&](int i) { s.solution.lambda[i] = s.warm_lambda[i]; });
  const Residual<double> found = compute_residual(team, p, scratch.table, s.solution, scratch.residual);
  if (!(found.total <= tolerance) || !has_momentum(config.dynamics)) return found;
  step_detail::follow_all_impulses(team, model, config, p, s);
  const Residual<double> followed = compute_residual(team, p, scratch.table, s.solution, scratch.residual);
  if (followed.total <= tolerance) return followed;
  team.each(p.nv, [&](int k) { s.solution.v[k] = s.last_round.v[k]; });
  update_spin(team, model, config, s);
  return found;
}

/// The last round's answer at this round's contacts.
template <class Team, class Real>
ST_FN WarmStart<double> match_places(Team team, const ModelView<Real>& model, const Poses<Real>& poses,
                                     const StepConfig<Real>& config, double penalty, StepScratch<Real>& s) {
  team.each(*s.slots.count, [&](int slot) { step_detail::match_points(model, poses, hovers(config.law), slot, s); });
  if (config.start) return {};
  WarmStart<double> warm;
  warm.v = s.last_round.v;
  warm.lambda = s.warm_lambda;
  warm.row_lambda = s.last_round.row_lambda;
  warm.penalty = penalty;
  return warm;
}

}  // namespace stiction
