// What velocity terms c do to trees in second-order steps: their free motion over the step.
//
//   H u = g                              what the step would do without them
//   q̇ = w,  M(q) ẇ = −c(q, w)            from (q, u) over h, to (q_f, u_f)          (1)
//   ū = (q_f ⊖ q)/h                      its mean velocity
//   g += M (ū − u)                       so that without contact and springs v = ū, q ⊞ h v = q_f
//   v⁺ = v + s (u_f − ū)                 the velocity at the end of the step        (2)
//   s = (vᵀMū / ūᵀMū)²                   in [0, 1]: c is a square of velocities, and none is left where contact stops v
//
// The weight is an impulse at the beginning of the step, as for single bodies; (1) keeps ½ wᵀMw. Weight, then (1), is a
// symplectic method of first order as far as (1) is exact, and does not gain energy step by step (ADR 0505). (1) is
// integrated by the Runge-Kutta method of fourth order in n parts: n = ⌈4 h ω⌉, ω the fastest spin of a body, and twice
// as many while a part changes the energy by more than kPartError. Energy that a part gains is taken off again. Of
// single bodies spin.hpp has the motion.
//
// Where springs and dampers take more of the velocity in a step than velocity terms could add, H_kk ≥ (1 + 2 h Σ |ω|)
// M_kk, or dry friction holds a dof against c, an explicit c(q, v) is enough, up to kHeldTurn; and where a linkage
// hardly turns (velocity_force.hpp).
//
//   symbol    variable     shape          unit
//   q, w      qpos, qvel   (nq), (nv)     in (1) [m], [rad], [m/s], [rad/s]
//   ū         mean         (nv)           [m/s], [rad/s]
//   u_f − ū   carry        (nv)           [m/s], [rad/s]
//   M, c      stage        blocks, (nv)   along (1)
#pragma once

#include "kernels/dynamics/energy.hpp"
#include "kernels/dynamics/velocity_force.hpp"
#include "kernels/kinematics/move_joint.hpp"
#include "kernels/linalg/small_cholesky.hpp"

namespace stiction {

namespace detail {

constexpr int kMostParts = 64;

/// Beyond it an explicit c may outweigh what springs and dampers hold [rad].
template <class Real>
constexpr Real kHeldTurn = Real(0.5);

/// A dof that turns or shifts by less in a step may be stuck [rad], [m].
template <class Real>
constexpr Real kStuckTurn = Real(1e-6);

/// Change of energy in a part that asks for smaller ones, relative; 64 parts of it are below a percent in double.
template <class Real>
constexpr Real kPartError = sizeof(Real) == 8 ? Real(1e-4) : Real(1e-3);

/// Change of energy by the smallest parts from which on the motion is not to be trusted, relative.
template <class Real>
constexpr Real kLostMotion = Real(0.01);

/// Energy that weight may add in one step or hold back, of what the tree has or could fall, whichever is more: with it,
/// and the errors of second order, the energy rises by a percent.
template <class Real>
constexpr Real kWeightGain = Real(0.0075);

/// (1) of one tree from here on.
template <class Real, class Solve>
struct TreeMotion {
  const ModelView<Real>& model;
  const LinkageMotion<Real, Solve>& m;
  int tree, first, n;
};

/// a = −M⁻¹ c, of this configuration and velocity; M of `at` is given. False if M has no factor.
template <class Real, class Solve>
ST_FN bool write_acceleration(const TreeMotion<Real, Solve>& t, const Poses<Real>& poses, const Inertia<Real>& at,
                              const Real* qvel) {
  tree_bias(t.model, poses, qvel, t.tree, at);
  Solve* L = t.m.factor + at.tree_adr[t.tree];
  const Real* M = at.M + at.tree_adr[t.tree];
  for (int i = 0; i < t.n * t.n; ++i) L[i] = static_cast<Solve>(M[i]);
  if (!factor_lower(L, t.n)) return false;
  Solve* a = t.m.solution + t.first;
  for (int k = 0; k < t.n; ++k) a[k] = -static_cast<Solve>(at.bias[t.first + k]);
  solve_lower(L, t.n, a);
  return true;
}

/// `to` = from ⊞ h v, of the tree's joints.
template <class Real, class Solve>
ST_FN void move_tree(const TreeMotion<Real, Solve>& t, const Real* from, const Real* qvel, Real h, Real* to) {
  for (int k = t.first; k < t.first + t.n;) {
    const int j = t.model.dof_joint[k];
    const JointType type = static_cast<JointType>(t.model.joint_type[j]);
    const int at = t.model.joint_qpos_adr[j];
    const int values = type == JointType::kFree ? 7 : (type == JointType::kBall ? 4 : 1);
    for (int i = at; i < at + values; ++i) to[i] = from[i];
    integrate_joint(t.model, qvel, Dynamics::kDynamic, h, j, to);
    k += type == JointType::kFree ? 6 : (type == JointType::kBall ? 3 : 1);
  }
}

/// Poses and M of the stage at q.
template <class Real, class Solve>
ST_FN void place_tree(const TreeMotion<Real, Solve>& t, const Real* q) {
  const int root = t.model.dof_body[t.first];
  for (int b = root; b < t.model.nbody && t.model.body_tree[b] == t.tree; ++b)
    update_body(t.model, q, static_cast<const Real*>(nullptr), b, t.m.poses);
  tree_mass_and_weight(t.model, t.m.poses, t.tree, t.m.stage);
}

/// One part of (1) from qpos, qvel, whose acceleration is given. False where M has no factor.
template <class Real, class Solve>
ST_FN bool move_by_part(const TreeMotion<Real, Solve>& t, Real part) {
  const LinkageMotion<Real, Solve>& m = t.m;
  const Real reach[] = {Real(0.5), Real(0.5), Real(1)}, share[] = {Real(2), Real(2), Real(1)};
  const int end = t.first + t.n;
  for (int k = t.first; k < end; ++k) {
    m.stage_qvel[k] = m.rate_sum[k] = m.qvel[k];
    m.change_sum[k] = static_cast<Real>(m.solution[k]);
  }
  for (int stage = 0; stage < 3; ++stage) {
    const Real time = reach[stage] * part;
    move_tree(t, m.qpos, m.stage_qvel, time, m.stage_qpos);
    for (int k = t.first; k < end; ++k) m.stage_qvel[k] = m.qvel[k] + time * static_cast<Real>(m.solution[k]);
    place_tree(t, m.stage_qpos);
    if (!write_acceleration(t, m.poses, m.stage, m.stage_qvel)) return false;
    for (int k = t.first; k < end; ++k) {
      m.rate_sum[k] += share[stage] * m.stage_qvel[k];
      m.change_sum[k] += share[stage] * static_cast<Real>(m.solution[k]);
    }
  }
  const Real sixth = Real(1) / Real(6);
  for (int k = t.first; k < end; ++k) {
    m.rate_sum[k] *= sixth;
    m.mean[k] += part * m.rate_sum[k];
    m.qvel[k] += part * sixth * m.change_sum[k];
  }
  move_tree(t, m.qpos, m.rate_sum, part, m.stage_qpos);
  move_tree(t, m.stage_qpos, m.rate_sum, Real(0), m.qpos);
  return true;
}

/// (1) in n parts; `energy` is ½ uᵀMu. The largest relative change of energy by a part; infinite where there is no
/// motion.
template <class Real, class Solve>
ST_FN Real move_in_parts(const TreeMotion<Real, Solve>& t, const Poses<Real>& poses, const Inertia<Real>& inertia,
                         const Real* from, Real h, int parts, Real energy) {
  const LinkageMotion<Real, Solve>& m = t.m;
  move_tree(t, from, m.start, Real(0), m.qpos);
  for (int k = t.first; k < t.first + t.n; ++k) m.qvel[k] = m.start[k], m.mean[k] = Real(0);
  Real error = Real(0);
  for (int i = 0; i < parts; ++i) {
    const bool begins = i == 0;
    if (!write_acceleration(t, begins ? poses : m.poses, begins ? inertia : m.stage, m.qvel)) return Real(INFINITY);
    if (!move_by_part(t, h / Real(parts))) return Real(INFINITY);
    place_tree(t, m.qpos);
    const Real next = static_cast<Real>(kinetic_energy(t.model, m.stage, m.qvel, t.tree));
    if (!(next < Real(1e6) * energy)) return Real(INFINITY);
    error = larger(error, std::fabs(next - energy) / energy);
    const Real kept = next > energy ? std::sqrt(energy / next) : Real(1);
    for (int k = t.first; k < t.first + t.n; ++k) m.qvel[k] *= kept;
  }
  return error;
}

/// The rotation vector from q to `to`, with the whole turns that `turned` has [rad].
template <class Real>
ST_FN Vec3<Real> turn_between(const Real* q, const Real* to, const Vec3<Real>& turned) {
  return whole_rotation_vector(conjugate(normalise(load_quat(q))) * normalise(load_quat(to)), turned);
}

/// ū of the joints whose velocities do not add up: the motion whose ⊞ leads from q to qpos.
template <class Real, class Solve>
ST_FN void write_mean(const TreeMotion<Real, Solve>& t, const Real* from, Real h) {
  const LinkageMotion<Real, Solve>& m = t.m;
  const Real rate = Real(1) / h;
  for (int k = t.first; k < t.first + t.n; ++k) m.mean[k] *= rate;
  for (int k = t.first; k < t.first + t.n; ++k) {
    const int j = t.model.dof_joint[k], at = t.model.joint_qpos_adr[j];
    const JointType type = static_cast<JointType>(t.model.joint_type[j]);
    if (k != t.model.joint_dof_adr[j] || (type != JointType::kBall && type != JointType::kFree)) continue;
    const int dof = type == JointType::kFree ? k + 3 : k, quat = type == JointType::kFree ? at + 3 : at;
    const Vec3<Real> spin = rate * turn_between(from + quat, m.qpos + quat, h * load3(m.mean + dof));
    store3(m.mean + dof, spin);
    if (type == JointType::kBall) continue;
    const Vec3<Real> com = centre_of_free_joint(t.model, Dynamics::kDynamic, j);
    const Quat<Real> before = normalise(load_quat(from + quat)), after = normalise(load_quat(m.qpos + quat));
    const Vec3<Real> arm = rotate(before, com);
    const Vec3<Real> moved = load3(m.qpos + at) + rotate(after, com) - load3(from + at) - arm;
    store3(m.mean + k, rate * moved - cross(rotate(before, spin), arm));
  }
}

/// True if only weight moves the tree: then its energy says whether the step is right.
template <class Real>
ST_FN bool is_passive(const ModelView<Real>& model, int tree) {
  const int first = model.tree_dof_adr[tree];
  for (int k = first; k < first + model.tree_dof_num[tree]; ++k)
    if (model.dof_actuated[k] || model.joint_stiffness[model.dof_joint[k]] > Real(0)) return false;
  return model.ntendon == 0;
}

/// Work of the weight that comes half a step late, with velocities qvel: what a step of first order holds back, until
/// the tree falls again. Of a flying tree without that of its centre of mass [J].
template <class Real, class Solve>
ST_FN Real late_work(const TreeMotion<Real, Solve>& t, const Real* weight, const Real* qvel, Real h) {
  const bool flies = static_cast<JointType>(t.model.joint_type[t.model.dof_joint[t.first]]) == JointType::kFree;
  Real power = Real(0);
  for (int k = t.first + (flies ? 6 : 0); k < t.first + t.n; ++k) power += weight[k] * qvel[k];
  return Real(-0.5) * h * power;
}

/// What the tree could fall by about its first joint [J].
template <class Real, class Solve>
ST_FN Real largest_fall(const TreeMotion<Real, Solve>& t, const Poses<Real>& poses) {
  const Real gravity = norm(load3(t.model.gravity));
  const Vec3<Real> anchor = load3(poses.dof_anchor + 3 * t.first);
  Real fall = Real(0);
  for (int b = t.model.dof_body[t.first]; b < t.model.nbody && t.model.body_tree[b] == t.tree; ++b) {
    const Real carried = std::fabs(t.model.body_mass[b] * (Real(1) - t.model.body_gravcomp[b]));
    fall += carried * gravity * norm(load3(poses.body_com + 3 * b) - anchor);
  }
  return fall;
}

/// What the step of (1) adds to the energy of a passive tree, from qvel at the start [J].
template <class Real, class Solve>
ST_FN Real added_energy(const TreeMotion<Real, Solve>& t, const Poses<Real>& poses, const Inertia<Real>& inertia,
                        const Real* qvel, Real energy) {
  const Vec3<Real> gravity = load3(t.model.gravity);
  Real added = energy - static_cast<Real>(kinetic_energy(t.model, inertia, qvel, t.tree));
  for (int b = t.model.dof_body[t.first]; b < t.model.nbody && t.model.body_tree[b] == t.tree; ++b) {
    const Real carried = t.model.body_mass[b] * (Real(1) - t.model.body_gravcomp[b]);
    added -= carried * dot(gravity, load3(t.m.poses.body_com + 3 * b) - load3(poses.body_com + 3 * b));
  }
  return added;
}

/// The fastest spin of a body of the tree with velocities u [rad/s].
template <class Real, class Solve>
ST_FN Real fastest_spin(const TreeMotion<Real, Solve>& t, const Poses<Real>& poses, const Inertia<Real>& inertia) {
  tree_bias(t.model, poses, t.m.start, t.tree, inertia);
  Real fastest = Real(0);
  for (int b = t.model.dof_body[t.first]; b < t.model.nbody && t.model.body_tree[b] == t.tree; ++b)
    fastest = larger(fastest, norm(inertia.twist[b].ang));
  return fastest;
}

/// u = H⁻¹ g of the tree; false if H has no factor.
template <class Real, class Solve>
ST_FN bool write_start(const TreeMotion<Real, Solve>& t, const MotionTerms<Real, Solve>& terms) {
  Solve* L = t.m.factor + terms.tree_adr[t.tree];
  Solve* u = t.m.solution + t.first;
  for (int i = 0; i < t.n * t.n; ++i) L[i] = terms.H[terms.tree_adr[t.tree] + i];
  if (!factor_lower(L, t.n)) return false;
  for (int k = 0; k < t.n; ++k) u[k] = terms.g[t.first + k];
  solve_lower(L, t.n, u);
  for (int k = 0; k < t.n; ++k) t.m.start[t.first + k] = static_cast<Real>(u[k]);
  return true;
}

/// g −= h c(q, qvel)
template <class Real, class Solve>
ST_FN void act_with(const TreeMotion<Real, Solve>& t, const Poses<Real>& poses, const Real* qvel, Real h,
                    const Inertia<Real>& inertia, const MotionTerms<Real, Solve>& terms) {
  tree_bias(t.model, poses, qvel, t.tree, inertia);
  for (int k = t.first; k < t.first + t.n; ++k)
    terms.g[k] -= static_cast<Solve>(h) * static_cast<Solve>(inertia.bias[k]);
}

/// True where springs and dampers take more than velocity terms could add.
template <class Real, class Solve>
ST_FN bool is_held(const TreeMotion<Real, Solve>& t, const Inertia<Real>& inertia,
                   const MotionTerms<Real, Solve>& terms, Real turn) {
  const Real* M = inertia.M + inertia.tree_adr[t.tree];
  const Solve* H = terms.H + terms.tree_adr[t.tree];
  const Solve share = static_cast<Solve>(Real(1) + Real(2) * turn);
  for (int k = 0; k < t.n; ++k)
    if (!(H[k * t.n + k] >= share * static_cast<Solve>(M[k * t.n + k]))) return false;
  return true;
}

/// g += M (ū − u)
template <class Real, class Solve>
ST_FN void add_change(const TreeMotion<Real, Solve>& t, const Inertia<Real>& inertia,
                      const MotionTerms<Real, Solve>& terms) {
  const Real* M = inertia.M + inertia.tree_adr[t.tree];
  const Real *mean = t.m.mean + t.first, *start = t.m.start + t.first;
  for (int k = 0; k < t.n; ++k) {
    Solve change = Solve(0);
    for (int i = 0; i < t.n; ++i) change += static_cast<Solve>(M[k * t.n + i]) * static_cast<Solve>(mean[i] - start[i]);
    terms.g[t.first + k] += change;
  }
}

/// The same of a tree that is one body, by its spin (spin.hpp), where that is about no principal axis. The centre of
/// mass of a free body keeps its velocity, v_O + ω × R c.
template <class Real, class Solve>
ST_FN void move_body(const TreeMotion<Real, Solve>& t, const MotionInputs<Real>& in, const Inertia<Real>& inertia,
                     const MotionTerms<Real, Solve>& terms) {
  const LinkageMotion<Real, Solve>& m = t.m;
  const bool flies = is_free_body(t.model, t.tree);
  const int turns = t.first + (flies ? 3 : 0), root = t.model.dof_body[t.first];
  const Vec3<Real> com = flies ? free_body_com(t.model, root) : Vec3<Real>{};
  const Mat3<Real> moments = flies ? flying_inertia(t.model, root, com, turns) : pivoted_inertia(inertia, t.tree);
  if (!spin_changes(moments, load3(in.qvel + turns)) || !write_start(t, terms)) return;
  const Vec3<Real> spin = load3(m.start + turns);
  const SpinMotion<Real> motion = spin_without_torque(moments, spin, in.step_size);
  store3(m.mean + turns, motion.mean);
  store3(m.carry + turns, motion.end - motion.mean);
  if (flies) {
    const Quat<Real> turned = normalise(load_quat(in.qpos + t.model.joint_qpos_adr[t.model.dof_joint[t.first]] + 3));
    store3(m.mean + t.first, load3(m.start + t.first) - rotate(turned, cross(motion.mean - spin, com)));
  }
  add_change(t, inertia, terms);
}

/// (1): g, mean and carry of one tree. Returns true if the step is beyond what its order can do; where M or H has no
/// factor, or velocities are out of range, c is explicit.
template <class Real, class Solve>
ST_APART bool move_freely(const TreeMotion<Real, Solve>& t, const Poses<Real>& poses, const MotionInputs<Real>& in,
                          const Inertia<Real>& inertia, const MotionTerms<Real, Solve>& terms) {
  const LinkageMotion<Real, Solve>& m = t.m;
  const Real h = in.step_size;
  if (!write_start(t, terms)) {
    act_with(t, poses, in.qvel, h, inertia, terms);
    return true;
  }
  const Real energy = static_cast<Real>(kinetic_energy(t.model, inertia, m.start, t.tree));
  if (!(energy > Real(0))) return false;
  const Real turn = Real(4) * h * fastest_spin(t, poses, inertia), most = Real(kMostParts);
  int parts = turn < most ? larger(1, static_cast<int>(std::ceil(turn))) : kMostParts;
  Real error = move_in_parts(t, poses, inertia, in.qpos, h, parts, energy);
  while (!(error <= kPartError<Real>)&&parts < kMostParts) {
    parts = smaller(2 * parts, kMostParts);
    error = move_in_parts(t, poses, inertia, in.qpos, h, parts, energy);
  }
  if (!(error < Real(INFINITY))) {
    act_with(t, poses, in.qvel, h, inertia, terms);
    for (int k = t.first; k < t.first + t.n; ++k) m.mean[k] = Real(0);
    return true;
  }
  write_mean(t, in.qpos, h);
  add_change(t, inertia, terms);
  for (int k = t.first; k < t.first + t.n; ++k) m.carry[k] = m.qvel[k] - m.mean[k];
  if (error > kLostMotion<Real>) return true;
  if (!is_passive(t.model, t.tree)) return false;
  const Real gain = larger(late_work(t, m.stage.weight, m.qvel, h), added_energy(t, poses, inertia, in.qvel, energy));
  return gain > kWeightGain<Real> * larger(energy, largest_fall(t, poses));
}

/// True where dry friction holds a dof against c, which a motion without forces would move.
template <class Real, class Solve>
ST_FN bool has_stuck_dof(const TreeMotion<Real, Solve>& t, const Poses<Real>& poses, const MotionInputs<Real>& in,
                         const Inertia<Real>& inertia) {
  Real dry = Real(0);
  for (int k = t.first; k < t.first + t.n; ++k) dry = larger(dry, t.model.dof_frictionloss[k]);
  if (!(dry > Real(0))) return false;
  tree_bias(t.model, poses, in.qvel, t.tree, inertia);
  for (int k = t.first; k < t.first + t.n; ++k) {
    const bool still = in.step_size * std::fabs(in.qvel[k]) <= kStuckTurn<Real>;
    if (still && t.model.dof_frictionloss[k] > std::fabs(inertia.bias[k])) return true;
  }
  return false;
}

/// Writes g, mean and carry of one linkage that turns; true if the step is beyond what its order can do.
template <class Real, class Solve>
ST_FN bool move_linkage(const TreeMotion<Real, Solve>& t, const Poses<Real>& poses, const MotionInputs<Real>& in,
                        const Inertia<Real>& inertia, const MotionTerms<Real, Solve>& terms) {
  const Real turn = turn_of_tree(t.model, in.qvel, in.step_size, t.tree);
  if (turn > kHeldTurn<Real> || !(is_held(t, inertia, terms, turn) || has_stuck_dof(t, poses, in, inertia)))
    return move_freely(t, poses, in, inertia, terms);
  act_with(t, poses, in.qvel, in.step_size, inertia, terms);
  return false;
}

/// s of (2); of a free body by its spin alone.
template <class Real, class Solve>
ST_FN Real carried_share(const TreeMotion<Real, Solve>& t, const Real* M, const Real* qvel) {
  Real along = Real(0), square = Real(0);
  const int from = is_free_body(t.model, t.tree) ? 3 : 0;
  for (int i = from; i < t.n; ++i)
    for (int k = from; k < t.n; ++k) {
      const Real momentum = M[i * t.n + k] * t.m.mean[t.first + k];
      along += qvel[t.first + i] * momentum;
      square += t.m.mean[t.first + i] * momentum;
    }
  const Real share = square > Real(0) ? clamped(along / square, Real(0), Real(1)) : Real(0);
  return share * share;
}

}  // namespace detail

/// Adds what c does to g.
template <class Team, class Real, class Solve>
ST_FN void add_free_motion(Team team, const ModelView<Real>& model, const Poses<Real>& poses,
                           const MotionInputs<Real>& in, const Inertia<Real>& inertia,
                           const MotionTerms<Real, Solve>& terms) {
  const LinkageMotion<Real, Solve>& m = terms.free;
  team.each(m.poses.body_pos ? model.nbody : 0, [&](int b) {
    if (model.body_tree[b] >= 0) return;
    store3(m.poses.body_pos + 3 * b, load3(poses.body_pos + 3 * b));
    store_quat(m.poses.body_quat + 4 * b, load_quat(poses.body_quat + 4 * b));
  });
  team.each(model.ntree, [&](int tree) {
    const detail::TreeMotion<Real, Solve> t{model, m, tree, model.tree_dof_adr[tree], model.tree_dof_num[tree]};
    for (int k = t.first; k < t.first + t.n; ++k) m.mean[k] = m.carry[k] = Real(0);
    m.beyond[tree] = 0;
    if (moves_freely(model, in.qvel, in.step_size, tree))
      m.beyond[tree] = detail::move_linkage(t, poses, in, inertia, terms) ? 1 : 0;
    else if (is_free_body(model, tree) || is_pivoted_body(model, tree))
      detail::move_body(t, in, inertia, terms);
  });
}

/// (2): qvel (nv) of the step that ended at qpos (nq) becomes that of its end. A free body's origin goes with its spin.
template <class Team, class Real, class Solve>
ST_FN void carry_free_motion(Team team, const ModelView<Real>& model, const Inertia<Real>& inertia,
                             const MotionTerms<Real, Solve>& terms, const Real* qpos, Real* qvel) {
  const LinkageMotion<Real, Solve>& m = terms.free;
  team.each(m.trees, [&](int tree) {
    const detail::TreeMotion<Real, Solve> t{model, m, tree, model.tree_dof_adr[tree], model.tree_dof_num[tree]};
    const Real share = detail::carried_share(t, inertia.M + inertia.tree_adr[tree], qvel);
    if (!(share > Real(0))) return;
    for (int k = t.first; k < t.first + t.n; ++k) qvel[k] += share * m.carry[k];
    if (!is_free_body(model, tree)) return;
    const Quat<Real> turned = load_quat(qpos + model.joint_qpos_adr[model.dof_joint[t.first]] + 3);
    const Vec3<Real> com = free_body_com(model, model.dof_body[t.first]);
    const Vec3<Real> moved = rotate(turned, cross(share * load3(m.carry + t.first + 3), com));
    store3(qvel + t.first, load3(qvel + t.first) - moved);
  });
}

/// The bit of steps that are beyond what their order can do.
template <class Team, class Real, class Solve>
ST_FN std::uint32_t free_motion_status(Team team, const LinkageMotion<Real, Solve>& motion) {
  return team.sum(motion.trees, 0, [&](int t) { return motion.beyond[t]; }) > 0 ? status::kBeyondOrder : 0;
}

}  // namespace stiction
