// The energy of a linkage where its step ends.
//
//   T(q, v) = ½ vᵀM(q) v,   T(q⁺, v⁺) <= T_0                                                            (1)
//   T_0 = 1.02 (max(T(q, v⁰), T(q, u)) + max(T(q, v) − T(q, ū), 0))      u, ū: free_motion.hpp          (2)
//   v⁺ ← v_c + σ (v⁺ − v_c),   σ² = (T_0 − ½ m ‖v_c‖²)/(T(q⁺, v⁺) − ½ m ‖v_c‖²)    where (1) fails      (3)
//
// A contact that sets light links turning gives them a velocity at the M of the start, and knows no velocity terms of
// what it sets in motion. Joints that keep this velocity through a turn of more than kHeldTurn end at another M, and so
// with another energy, of which nothing is the source. (3) takes it away again; a tree that flies keeps the velocity
// v_c of its centre of mass. Such a step is beyond the order of the method. What rows and scripted bodies add counts,
// by the second term of (2). For trees with an explicit c(q, v), T_0 = 1.25 max(T(q, v⁰), T(q, v)): how much of v is
// the work of forces is not known there. Trees with actuators or springs are left alone, as by free_motion.hpp.
#pragma once

#include "kernels/dynamics/energy.hpp"
#include "kernels/dynamics/free_motion.hpp"

namespace stiction {

namespace dynamics_detail {

/// Energy that a turn may add, as a share of what the tree has [-].
template <class Real>
constexpr Real kTurnedGain = Real(0.02);

/// The same for a tree with an explicit c.
template <class Real>
constexpr Real kExplicitGain = Real(0.25);

/// True if ū is that of the motion without forces; false if c is explicit.
template <class Real>
ST_FN bool has_free_motion(const ModelView<Real>& model, const LinkageMotion<Real>& motion, int tree) {
  const int first = model.tree_dof_adr[tree];
  for (int k = first; k < first + model.tree_dof_num[tree]; ++k)
    if (motion.mean[k] != Real(0)) return true;
  return false;
}

/// T_0 of (2), where the step began with `before` (nv) and the answer is v (nv).
template <class Real>
ST_FN Real energy_at_hand(const ModelView<Real>& model, const Inertia<Real>& inertia, Pointer<const Real> before,
                          Pointer<const double> v, int tree, LinkageMotion<Real>& motion) {
  const auto energy = [&](Pointer<const Real> velocity) {
    return static_cast<Real>(kinetic_energy(model, inertia, velocity, tree));
  };
  const int first = model.tree_dof_adr[tree];
  for (int k = first; k < first + model.tree_dof_num[tree]; ++k) motion.stage_qvel[k] = static_cast<Real>(v[k]);
  const Real answer = energy(motion.stage_qvel);
  if (!has_free_motion(model, motion, tree)) return (Real(1) + kExplicitGain<Real>)*larger(energy(before), answer);
  const Real added = larger(answer - energy(motion.mean), Real(0));
  return (Real(1) + kTurnedGain<Real>)*(larger(energy(before), energy(motion.start)) + added);
}

/// ½ m ‖v_c‖² of a tree [J], after spread_velocity, and v_c [m/s].
template <class Real>
ST_FN Real energy_of_centre(const ModelView<Real>& model, const Poses<Real>& poses, const Inertia<Real>& spread,
                            int tree, Vec3<Real>& velocity) {
  const TreeRange<Real> range = tree_range(model, poses, tree);
  Real mass = Real(0);
  Vec3<Real> momentum = {};
  for (int b = range.root; b < range.end; ++b) {
    const Spatial<Real>& V = spread.twist[b];
    mass += model.body_mass[b];
    momentum = momentum + model.body_mass[b] * (V.lin + cross(V.ang, load3(poses.body_com + 3 * b) - range.c));
  }
  velocity = mass > Real(0) ? (Real(1) / mass) * momentum : Vec3<Real>{};
  return Real(0.5) * mass * dot(velocity, velocity);
}

/// (3) for one tree whose energy is `energy` after spread_velocity, and should be `most`.
template <class Real>
ST_FN void slow_down(const ModelView<Real>& model, const Poses<Real>& poses, const Inertia<Real>& spread, int tree,
                     Real energy, Real most, Pointer<Real> qvel) {
  const int first = model.tree_dof_adr[tree];
  const bool free = begins_free(model, tree);
  Vec3<Real> centre = {};
  const Real whole = free ? energy_of_centre(model, poses, spread, tree, centre) : Real(0);
  const Real share = std::sqrt(larger(most - whole, Real(0)) / (energy - whole));
  for (int k = first; k < first + model.tree_dof_num[tree]; ++k) qvel[k] *= share;
  if (free) store3(qvel + first, load3(qvel + first) + (Real(1) - share) * centre);
}

}  // namespace dynamics_detail

/// (1) to (3) for v⁺ in qvel (nv) at the poses `end`, where the step began with `before` (nv) and the answer is v (nv).
template <class Team, class Real>
ST_FN void bound_turned_energy(Team team, const ModelView<Real>& model, const Poses<Real>& end,
                               Pointer<const Real> before, Pointer<const double> v, Real h, Inertia<Real>& inertia,
                               LinkageMotion<Real>& motion, Pointer<Real> qvel) {
  using namespace dynamics_detail;
  team.each(motion.trees, [&](int tree) {
    motion.beyond[tree] &= ~kTurnedTooFar;
    if (!is_linkage(model, tree) || !(turn_of_tree(model, qvel, h, tree) > kHeldTurn<Real>)) return;
    if (is_driven(model, tree)) return;
    spread_velocity(model, end, qvel, tree, inertia);
    const Real energy = energy_of_spread(model, qvel, tree, inertia);
    const Real most = energy_at_hand(model, inertia, before, v, tree, motion);
    if (!(energy > most)) return;
    slow_down(model, end, inertia, tree, energy, most, qvel);
    motion.beyond[tree] |= kTurnedTooFar;
  });
}

}  // namespace stiction
