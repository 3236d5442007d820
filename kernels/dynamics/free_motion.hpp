// The effect of the velocity terms c on trees in second-order steps: the free motion of the trees over the step.
//
//   H u = g                              the velocity of the step without c and contact
//   q̇ = w,  M(q) ẇ = −c(q, w)            from (q, u) over h, to (q_f, u_f)          (1)
//   ū = (q_f ⊖ q)/h                      its mean velocity
//   g += M (ū − u)                       so that without contact and springs v = ū, q ⊞ h v = q_f
//   v⁺ = v + s (u_f − ū)                 the velocity at the end of the step        (2)
//   s = (vᵀMū / ūᵀMū)²                   in [0, 1]: c is quadratic in velocity, and vanishes where contact stops v
//   ū = u_f in steps whose bodies move first (kernels/step/move_first.hpp): they go on with the velocity of the end
//
// The weight is an impulse at the beginning of the step, as for single bodies; (1) keeps ½ wᵀMw. The weight followed by
// (1) is a symplectic method of first order, as far as (1) is exact, and does not gain energy from step to step (ADR
// 0505). (1) is integrated in n parts (tree_motion.hpp): n = ⌈4 h ω⌉, with ω the fastest spin of a body, doubled while
// a part changes the energy by more than kPartError; by a cheaper method where that is as good. For trees of a single
// body spin.hpp has the motion.
//
// A tree that rows hold (bound_trees.hpp) does not move as it would without forces: that motion would go along what the
// rows forbid, and the tree would lose energy. If they turn by at most kHeldTurn, such trees have an explicit c(q, v)
// instead. So have, up to the same turn, trees that run into a joint limit, trees whose
// dry friction is more than c, and trees whose springs and dampers take more of the velocity per step than c could add,
// H_kk ≥ (1 + 2 h Σ |ω|) M_kk; and trees that hardly turn (velocity_force.hpp).
//
//   symbol    variable     shape          unit
//   ū         mean         (nv)           [m/s], [rad/s]
//   u_f − ū   carry        (nv)           [m/s], [rad/s]
#pragma once

#include "kernels/dynamics/bound_trees.hpp"
#include "kernels/dynamics/energy.hpp"
#include "kernels/dynamics/motion_terms.hpp"
#include "kernels/dynamics/tree_motion.hpp"
#include "kernels/dynamics/velocity_force.hpp"
#include "kernels/linalg/small_cholesky.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

namespace dynamics_detail {

/// Above this turn per step an explicit c may outweigh what springs and dampers hold [rad].
template <class Real>
constexpr Real kHeldTurn = Real(0.5);

/// If even the smallest parts change the energy by more than this, relative, the motion is not to be trusted [-].
template <class Real>
constexpr Real kLostMotion = Real(0.01);

/// Energy that the weight may add or hold back in one step, as a share of what the tree has or could gain by falling,
/// whichever is more. With this much, and with the errors of second order, the energy rises by one percent [-].
template <class Real>
constexpr Real kWeightGain = Real(0.0075);

/// True for a tree whose first joint is free.
template <class Real>
ST_FN bool begins_free(const ModelView<Real>& model, int tree) {
  return static_cast<JointType>(model.joint_type[model.dof_joint[model.tree_dof_adr[tree]]]) == JointType::kFree;
}

/// Work of the weight that comes half a step late, at the velocities in `spread`: a step of first order holds it back
/// until the tree falls again [J]. For a flying tree, without what its first body's motion adds.
template <class Real>
ST_FN Real late_work(const TreeMotion<Real>& tree, const Poses<Real>& poses, const Inertia<Real>& spread, Real h) {
  const ModelView<Real>& model = tree.model;
  const TreeRange<Real> range = tree_range(model, poses, tree.tree);
  const Vec3<Real> gravity = load3(model.gravity);
  const Spatial<Real> carrier = begins_free(model, tree.tree) ? spread.twist[range.root] : Spatial<Real>{};
  Real power = Real(0);
  for (int b = range.root; b < range.end; ++b) {
    const Spatial<Real>& V = spread.twist[b];
    const Vec3<Real> arm = load3(poses.body_com + 3 * b) - range.c;
    const Vec3<Real> velocity = V.lin - carrier.lin + cross(V.ang - carrier.ang, arm);
    power += model.body_mass[b] * (Real(1) - model.body_gravcomp[b]) * dot(gravity, velocity);
  }
  return Real(-0.5) * h * power;
}

/// Energy that the tree could gain by falling about its first joint [J].
template <class Real>
ST_FN Real largest_fall(const TreeMotion<Real>& tree, const Poses<Real>& poses) {
  const Real gravity = norm(load3(tree.model.gravity));
  const Vec3<Real> anchor = load3(poses.dof_anchor + 3 * tree.first);
  Real fall = Real(0);
  for (int b = tree.model.dof_body[tree.first]; b < tree.model.nbody && tree.model.body_tree[b] == tree.tree; ++b) {
    const Real carried = std::fabs(tree.model.body_mass[b] * (Real(1) - tree.model.body_gravcomp[b]));
    fall += carried * gravity * norm(load3(poses.body_com + 3 * b) - anchor);
  }
  return fall;
}

/// Energy that the step (1) adds to a passive tree with velocities qvel at the start [J].
template <class Real>
ST_FN Real added_energy(const TreeMotion<Real>& tree, const Poses<Real>& poses, const Inertia<Real>& inertia,
                        const LinkageMotion<Real>& linkage, const Real* qvel, Real energy) {
  const Vec3<Real> gravity = load3(tree.model.gravity);
  Real added = energy - static_cast<Real>(kinetic_energy(tree.model, inertia, qvel, tree.tree));
  for (int b = tree.model.dof_body[tree.first]; b < tree.model.nbody && tree.model.body_tree[b] == tree.tree; ++b) {
    const Real carried = tree.model.body_mass[b] * (Real(1) - tree.model.body_gravcomp[b]);
    added -= carried * dot(gravity, load3(linkage.poses.body_com + 3 * b) - load3(poses.body_com + 3 * b));
  }
  return added;
}

/// The fastest spin of a body of the tree at the velocities in `spread` [rad/s].
template <class Real>
ST_FN Real fastest_spin(const TreeMotion<Real>& tree, const Inertia<Real>& spread) {
  Real fastest = Real(0);
  for (int b = tree.model.dof_body[tree.first]; b < tree.model.nbody && tree.model.body_tree[b] == tree.tree; ++b)
    fastest = larger(fastest, norm(spread.twist[b].ang));
  return fastest;
}

/// Writes u = H⁻¹ g of the tree; false if H has no Cholesky factor.
template <class Real>
ST_FN bool write_start(const TreeMotion<Real>& tree, MotionTerms<Real>& terms) {
  LinkageMotion<Real>& m = terms.free;
  double* U = m.factor + terms.tree_adr[tree.tree];
  double* u = m.solution + tree.first;
  for (int i = 0; i < tree.n * tree.n; ++i) U[i] = terms.H[terms.tree_adr[tree.tree] + i];
  if (!factor_upper(U, tree.n)) return false;
  for (int k = 0; k < tree.n; ++k) u[k] = terms.g[tree.first + k];
  solve_upper(U, tree.n, u);
  for (int k = 0; k < tree.n; ++k) m.start[tree.first + k] = static_cast<Real>(u[k]);
  return true;
}

/// Explicit c: g −= h c(q, qvel)
template <class Real>
ST_FN void act_with(const TreeMotion<Real>& tree, const Poses<Real>& poses, Pointer<const Real> qvel, Real h,
                    Inertia<Real>& inertia, MotionTerms<Real>& terms) {
  tree_bias(tree.model, poses, qvel, tree.tree, inertia);
  for (int k = tree.first; k < tree.first + tree.n; ++k)
    terms.g[k] -= static_cast<double>(h) * static_cast<double>(inertia.bias[k]);
}

/// True if springs and dampers take more of the velocity than velocity terms could add.
template <class Real>
ST_FN bool is_held(const TreeMotion<Real>& tree, const Inertia<Real>& inertia, const MotionTerms<Real>& terms,
                   Real turn) {
  const Real* M = inertia.M + inertia.tree_adr[tree.tree];
  const double* H = terms.H + terms.tree_adr[tree.tree];
  const double share = static_cast<double>(Real(1) + Real(2) * turn);
  for (int k = 0; k < tree.n; ++k)
    if (!(H[k * tree.n + k] >= share * static_cast<double>(M[k * tree.n + k]))) return false;
  return true;
}

/// g += M (ū − u)
template <class Real>
ST_FN void add_change(const TreeMotion<Real>& tree, const Inertia<Real>& inertia, MotionTerms<Real>& terms) {
  const Real* M = inertia.M + inertia.tree_adr[tree.tree];
  const LinkageMotion<Real>& m = terms.free;
  const Real *mean = m.mean + tree.first, *start = m.start + tree.first;
  for (int k = 0; k < tree.n; ++k) {
    double change = 0.0;
    for (int i = 0; i < tree.n; ++i)
      change += static_cast<double>(M[k * tree.n + i]) * static_cast<double>(mean[i] - start[i]);
    terms.g[tree.first + k] += change;
  }
}

/// Rotational inertia of a tree that is one body: I about the centre of mass or the pivot, in body axes [kg m²].
template <class Real>
ST_FN Mat3<Real> turning_inertia(const ModelView<Real>& model, const Inertia<Real>& inertia, int tree) {
  if (!is_free_body(model, tree)) return pivoted_inertia(inertia, tree);
  const int first = model.tree_dof_adr[tree], root = model.dof_body[first];
  return flying_inertia(model, root, free_body_com(model, root), first + 3);
}

/// Writes g, mean and carry of a tree that is one body, from its spin (spin.hpp), unless it spins about a principal
/// axis. The centre of mass of a free body keeps its velocity, v_O + ω × R c.
template <class Real>
ST_FN void move_body(const TreeMotion<Real>& tree, const MotionInputs<Real>& in, const Inertia<Real>& inertia,
                     MotionTerms<Real>& terms) {
  LinkageMotion<Real>& m = terms.free;
  const bool flies = is_free_body(tree.model, tree.tree);
  const int turns = tree.first + (flies ? 3 : 0), root = tree.model.dof_body[tree.first];
  const Vec3<Real> com = flies ? free_body_com(tree.model, root) : Vec3<Real>{};
  const Mat3<Real> moments = turning_inertia(tree.model, inertia, tree.tree);
  if (!spin_changes(moments, load3(in.qvel + turns)) || !write_start(tree, terms)) return;
  const Vec3<Real> spin = load3(m.start + turns);
  const SpinMotion<Real> motion = spin_without_torque(moments, spin, in.step_size);
  const Vec3<Real> mean = in.order == StepOrder::kMoveFirst ? motion.end : motion.mean;
  store3(m.mean + turns, mean);
  store3(m.carry + turns, motion.end - mean);
  if (flies) {
    const Quat<Real> turned =
        normalise(load_quat(in.qpos + tree.model.joint_qpos_adr[tree.model.dof_joint[tree.first]] + 3));
    store3(m.mean + tree.first, load3(m.start + tree.first) - rotate(turned, cross(mean - spin, com)));
  }
  add_change(tree, inertia, terms);
}

/// (1) from `poses` and u, whose motion is in `spread`, with ½ uᵀMu = energy. Returns the largest relative change of
/// energy by a part; infinite if the motion could not be computed.
template <class Real>
ST_BODY Real follow_motion(const TreeMotion<Real>& tree, const Poses<Real>& poses, const MotionInputs<Real>& in,
                           Real energy, Inertia<Real>& spread, LinkageMotion<Real>& linkage) {
  const Real h = in.step_size, turn = h * fastest_spin(tree, spread), quarters = Real(4) * turn;
  const auto move = [&](const RungeKutta<Real>& method, int parts) {
    return move_in_parts(tree, poses, in.qpos, h, method, parts, energy, spread, linkage);
  };
  const auto start_anew = [&] { spread_velocity(tree.model, poses, linkage.start, tree.tree, spread); };
  if (turn <= kGentleTurn<Real>) {
    const Real error = move(heun_method<Real>(), 1);
    if (error <= kGentleError<Real>) return error;
    start_anew();
  }
  int parts = quarters < Real(kMostParts) ? larger(1, static_cast<int>(std::ceil(quarters))) : kMostParts;
  while (true) {
    const Real error = move(classic_method<Real>(), parts);
    if (error <= kPartError<Real> || parts >= kMostParts) return error;
    parts = smaller(2 * parts, kMostParts);
    start_anew();
  }
}

/// (1): writes g, mean and carry of one tree. Returns true if the motion goes too far for the order of the method. c is
/// explicit if H has no factor, and in a `gentle` step, with a turn up to kHeldTurn, also if (1) has no answer or runs
/// into a joint limit.
template <class Real>
ST_BODY bool move_freely(const TreeMotion<Real>& tree, const Poses<Real>& poses, const MotionInputs<Real>& in,
                         bool gentle, Inertia<Real>& inertia, MotionTerms<Real>& terms) {
  LinkageMotion<Real>& m = terms.free;
  const Real h = in.step_size;
  if (!write_start(tree, terms)) {
    act_with(tree, poses, in.qvel, h, inertia, terms);
    return true;
  }
  spread_velocity(tree.model, poses, m.start, tree.tree, inertia);
  const Real energy = energy_of_spread(tree.model, m.start, tree.tree, inertia);
  if (!(energy > Real(0))) return false;
  const Real error = follow_motion(tree, poses, in, energy, inertia, m);
  const bool moves = error < Real(INFINITY);
  if (!moves || (gentle && is_stopped(tree.model, tree.tree, m.qpos))) {
    for (int k = tree.first; k < tree.first + tree.n; ++k) m.mean[k] = Real(0);
    if (gentle) act_with(tree, poses, in.qvel, h, inertia, terms);
    return !moves;
  }
  if (in.order == StepOrder::kMoveFirst)
    for (int k = tree.first; k < tree.first + tree.n; ++k) m.mean[k] = m.qvel[k];
  else
    write_mean(tree, in.qpos, h, m);
  add_change(tree, inertia, terms);
  for (int k = tree.first; k < tree.first + tree.n; ++k) m.carry[k] = m.qvel[k] - m.mean[k];
  if (error > kLostMotion<Real>) return true;
  if (is_driven(tree.model, tree.tree)) return false;
  const Real gain =
      larger(late_work(tree, m.poses, inertia, h), added_energy(tree, poses, inertia, m, in.qvel, energy));
  return gain > kWeightGain<Real> * larger(energy, largest_fall(tree, poses));
}

/// True if dry friction is more than c at some dof: it stops what would move without forces.
template <class Real>
ST_FN bool is_dry(const TreeMotion<Real>& tree, const Poses<Real>& poses, const MotionInputs<Real>& in,
                  Inertia<Real>& inertia) {
  Real dry = Real(0);
  for (int k = tree.first; k < tree.first + tree.n; ++k) dry = larger(dry, tree.model.dof_frictionloss[k]);
  if (!(dry > Real(0))) return false;
  tree_bias(tree.model, poses, in.qvel, tree.tree, inertia);
  for (int k = tree.first; k < tree.first + tree.n; ++k)
    if (tree.model.dof_frictionloss[k] > std::fabs(inertia.bias[k])) return true;
  return false;
}

/// Writes g, mean and carry of one linkage that turns; true if the motion goes too far for the order of the method.
template <class Real>
ST_BODY bool move_linkage(const TreeMotion<Real>& tree, const Poses<Real>& poses, const MotionInputs<Real>& in,
                          Inertia<Real>& inertia, MotionTerms<Real>& terms) {
  const Real turn = turn_of_tree(tree.model, in.qvel, in.step_size, tree.tree);
  const bool gentle = turn <= kHeldTurn<Real>;
  const bool held = gentle && (is_bound(tree.model, tree.tree) || is_held(tree, inertia, terms, turn) ||
                               is_dry(tree, poses, in, inertia));
  if (!held) return move_freely(tree, poses, in, gentle, inertia, terms);
  act_with(tree, poses, in.qvel, in.step_size, inertia, terms);
  return false;
}

/// s of (2); for a free body it is computed from the spin alone.
template <class Real>
ST_FN Real carried_share(const TreeMotion<Real>& tree, const LinkageMotion<Real>& linkage, const Real* M,
                         const Real* qvel) {
  Real along = Real(0), square = Real(0);
  const int from = is_free_body(tree.model, tree.tree) ? 3 : 0;
  for (int i = from; i < tree.n; ++i)
    for (int k = from; k < tree.n; ++k) {
      const Real momentum = M[i * tree.n + k] * linkage.mean[tree.first + k];
      along += qvel[tree.first + i] * momentum;
      square += linkage.mean[tree.first + i] * momentum;
    }
  const Real share = square > Real(0) ? clamped(along / square, Real(0), Real(1)) : Real(0);
  return share * share;
}

/// (2): the spin at the end of the step from the mean spin of the step, with no more energy than contact left plus what
/// the free motion gives back.
template <class Real>
ST_FN Vec3<Real> carried_spin(const Mat3<Real>& moments, const LinkageMotion<Real>& linkage, int turns, Real share,
                              const Vec3<Real>& spin) {
  const Vec3<Real> start = load3(linkage.start + turns), mean = load3(linkage.mean + turns);
  const Vec3<Real> next = spin + share * load3(linkage.carry + turns);
  const Real given = larger(dot(start, moments * start) - dot(mean, moments * mean), Real(0));
  const Real most = dot(spin, moments * spin) + share * given, energy = dot(next, moments * next);
  return energy > most ? std::sqrt(most / energy) * next : next;
}

}  // namespace dynamics_detail

/// Adds the effect of c to g.
template <class Team, class Real>
ST_FN void add_free_motion(Team team, const ModelView<Real>& model, const Poses<Real>& poses,
                           const MotionInputs<Real>& in, Inertia<Real>& inertia, MotionTerms<Real>& terms) {
  LinkageMotion<Real>& m = terms.free;
  team.each(m.poses.body_pos ? model.nbody : 0, [&](int b) {
    if (model.body_tree[b] >= 0) return;
    store3(m.poses.body_pos + 3 * b, load3(poses.body_pos + 3 * b));
    store_quat(m.poses.body_quat + 4 * b, load_quat(poses.body_quat + 4 * b));
  });
  team.each(model.ntree, [&](int tree) {
    const auto t = dynamics_detail::motion_of_tree(model, tree, terms.prescribed);
    for (int k = t.first; k < t.first + t.n; ++k) m.mean[k] = m.carry[k] = Real(0);
    m.beyond[tree] = 0;
    if (moves_freely(model, in.qvel, in.step_size, tree))
      m.beyond[tree] = dynamics_detail::move_linkage(t, poses, in, inertia, terms) ? kMovedTooFar : 0;
    else if (is_pivoted_body(model, tree) || (is_free_body(model, tree) && in.rotation == Rotation::kExact))
      dynamics_detail::move_body(t, in, inertia, terms);
  });
}

/// (2): turns qvel (nv), the mean velocity of the step that ended at qpos (nq), into the velocity at its end. The
/// origin of a free body moves with the body's spin.
template <class Team, class Real>
ST_FN void carry_free_motion(Team team, const ModelView<Real>& model, const Inertia<Real>& inertia,
                             const MotionTerms<Real>& terms, Pointer<const Real> qpos, Pointer<Real> qvel) {
  const LinkageMotion<Real>& m = terms.free;
  team.each(m.trees, [&](int tree) {
    const auto t = dynamics_detail::motion_of_tree(model, tree, terms.prescribed);
    const Real share = dynamics_detail::carried_share(t, m, inertia.M + inertia.tree_adr[tree], qvel);
    if (!(share > Real(0))) return;
    const bool flies = is_free_body(model, tree);
    if (!flies && !is_pivoted_body(model, tree)) {
      for (int k = t.first; k < t.first + t.n; ++k) qvel[k] += share * m.carry[k];
      return;
    }
    const int turns = t.first + (flies ? 3 : 0);
    const Mat3<Real> moments = dynamics_detail::turning_inertia(model, inertia, tree);
    const Vec3<Real> spin = load3(qvel + turns), next = dynamics_detail::carried_spin(moments, m, turns, share, spin);
    store3(qvel + turns, next);
    if (!flies) return;
    const Quat<Real> turned = load_quat(qpos + model.joint_qpos_adr[model.dof_joint[t.first]] + 3);
    const Vec3<Real> com = free_body_com(model, model.dof_body[t.first]);
    store3(qvel + t.first, load3(qvel + t.first) - rotate(turned, cross(next - spin, com)));
  });
}

/// The status bit of steps whose motion goes too far for the order of the method.
template <class Team, class Real>
ST_FN std::uint32_t free_motion_status(Team team, const LinkageMotion<Real>& motion) {
  return team.sum(motion.trees, 0, [&](int t) { return motion.beyond[t] != 0 ? 1 : 0; }) > 0 ? status::kBeyondOrder : 0;
}

}  // namespace stiction
