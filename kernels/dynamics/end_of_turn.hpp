// The energy and the momentum of a linkage where its step ends.
//
//   p = E M(q) (v + u − ū),   v_c = p/m                                  u, ū: free_motion.hpp           (1)
//   T(q, v) = ½ vᵀM(q) v,   T(q⁺, v⁺) <= T_0                                                            (2)
//   T_0 = 1.02 (max(T(q, v⁰), T(q, u)) + max(T(q, v) − T(q, ū), 0))                                     (3)
//   v⁺ ← v_c + σ (v⁺ − v_c⁺),   σ² = min(1, (T_0 − ½ m ‖v_c‖²)/(T(q⁺, v⁺) − ½ m ‖v_c⁺‖²))                (4)
//
// A contact that sets light links turning gives them a velocity at the M of the start, and knows no velocity terms of
// what it sets in motion. Joints that keep this velocity through a turn end at another M, and so with another momentum
// and another energy, of which nothing is the source. (4) gives a tree that flies the momentum of the answer, E: rows
// of the free joint that move, and takes away energy beyond (2); v_c⁺: the velocity that v⁺ at q⁺ gives the centre of
// mass. A step whose energy had to be taken away (σ < 1) is beyond the order of the method. So is one that turns by
// more than kBlindTurn and in which rows give more energy than the tree had: rows are linear. What rows and scripted
// bodies add counts, by the second term of (3). For trees with an explicit c(q, v), p = E (M v + h c) and T_0 = 1.25
// max(T(q, v⁰), T(q, v)): how much of v is the work of forces is not known there. Trees with actuators or springs keep
// their energy, as in free_motion.hpp; above kBlindTurn their v_c stays within T_0.
#pragma once

#include "kernels/dynamics/energy.hpp"
#include "kernels/dynamics/free_motion.hpp"

namespace stiction {

namespace dynamics_detail {

/// Joints that turn by less in all do not change M by much [rad].
template <class Real>
constexpr Real kKeptTurn = Real(0.1);

/// Above this turn rows that are linear say little of what happens [rad].
template <class Real>
constexpr Real kBlindTurn = Real(1);

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

/// T_0 of (3), where the step began with `before` (nv) and the answer is v (nv); `given`: true if rows gave more energy
/// than the tree had.
template <class Real>
ST_FN Real energy_at_hand(const ModelView<Real>& model, const Inertia<Real>& inertia, Pointer<const Real> before,
                          Pointer<const Real> v, int tree, const LinkageMotion<Real>& motion, bool& given) {
  const auto energy = [&](Pointer<const Real> velocity) {
    return static_cast<Real>(kinetic_energy(model, inertia, velocity, tree));
  };
  const bool free = has_free_motion(model, motion, tree);
  const Real answer = energy(v), unmoved = free ? energy(motion.mean) : Real(0);
  const Real had = free ? larger(energy(before), energy(motion.start)) : energy(before);
  given = answer > (Real(1) + kTurnedGain<Real>)*larger(had, unmoved);
  if (!free) return (Real(1) + kExplicitGain<Real>)*larger(had, answer);
  return (Real(1) + kTurnedGain<Real>)*(had + larger(answer - unmoved, Real(0)));
}

/// True if the tree flies: no row of M but those of its first joint's free motion holds its centre of mass.
template <class Real>
ST_FN bool flies(const ModelView<Real>& model, const PrescribedDofs& prescribed, int tree) {
  const int first = model.tree_dof_adr[tree];
  return begins_free(model, tree) && !is_frozen(prescribed, first) && !(model.dof_armature[first] > Real(0));
}

/// Mass [kg] of a tree, and after spread_velocity the velocity of its centre of mass [m/s].
template <class Real>
ST_FN Real mass_of_tree(const ModelView<Real>& model, const Poses<Real>& poses, const Inertia<Real>& spread, int tree,
                        Vec3<Real>& velocity) {
  const TreeRange<Real> range = tree_range(model, poses, tree);
  Real mass = Real(0);
  Vec3<Real> momentum = {};
  for (int b = range.root; b < range.end; ++b) {
    const Spatial<Real>& V = spread.twist[b];
    mass += model.body_mass[b];
    momentum = momentum + model.body_mass[b] * (V.lin + cross(V.ang, load3(poses.body_com + 3 * b) - range.c));
  }
  velocity = mass > Real(0) ? (Real(1) / mass) * momentum : Vec3<Real>{};
  return mass;
}

/// p of (1) [kg m/s] for the answer v (nv).
template <class Real>
ST_FN Vec3<Real> answered_momentum(const ModelView<Real>& model, const Inertia<Real>& inertia, Pointer<const Real> v,
                                   Real h, int tree, const LinkageMotion<Real>& motion) {
  const int first = model.tree_dof_adr[tree], n = model.tree_dof_num[tree];
  const bool free = has_free_motion(model, motion, tree);
  const Real* M = inertia.M + inertia.tree_adr[tree];
  Real p[3];
  for (int i = 0; i < 3; ++i) {
    p[i] = free ? Real(0) : h * inertia.bias[first + i];
    for (int k = 0; k < n; ++k) {
      const Real back = free ? motion.start[first + k] - motion.mean[first + k] : Real(0);
      p[i] += M[i * n + k] * (v[first + k] + back);
    }
  }
  return {p[0], p[1], p[2]};
}

/// The mass of a tree that flies, 0 for others [kg], and its v_c⁺ and v_c [m/s].
template <class Real>
struct Flight {
  Real mass;
  Vec3<Real> turned, kept;
};

/// Writes mass, v_c⁺ and v_c, after spread_velocity of v⁺.
template <class Real>
ST_FN Flight<Real> flight_of_tree(const ModelView<Real>& model, const Poses<Real>& end, Real h, int tree,
                                  const Inertia<Real>& inertia, const MotionTerms<Real>& terms) {
  Flight<Real> flight = {};
  if (!flies(model, terms.prescribed, tree)) return flight;
  flight.mass = mass_of_tree(model, end, inertia, tree, flight.turned);
  if (!(flight.mass > Real(0))) return flight;
  const Vec3<Real> p = answered_momentum(model, inertia, terms.free.stage_qvel, h, tree, terms.free);
  flight.kept = (Real(1) / flight.mass) * p;
  return flight;
}

/// σ of (4) after spread_velocity of v⁺ in qvel, for a tree that turned by `turn`; v_c keeps within T_0, too. Sets
/// kTurnedTooFar in `beyond`.
template <class Real>
ST_FN Real share_of_energy(const ModelView<Real>& model, const Inertia<Real>& inertia, Pointer<const Real> before,
                           Pointer<const Real> qvel, Real turn, bool driven, int tree, LinkageMotion<Real>& motion,
                           Flight<Real>& flight) {
  bool given = false;
  const Real most = energy_at_hand(model, inertia, before, motion.stage_qvel, tree, motion, given);
  const Real half = Real(0.5) * flight.mass, whole = half * norm_squared(flight.kept);
  const bool fast = whole > most;
  if (fast) flight.kept = std::sqrt(most / whole) * flight.kept;
  const Real left = larger(most - whole, Real(0));
  const Real turning = energy_of_spread(model, qvel, tree, inertia) - half * norm_squared(flight.turned);
  const bool over = !driven && turning > left, blind = !driven && given && turn > kBlindTurn<Real>;
  if (fast || over || blind) motion.beyond[tree] |= kTurnedTooFar;
  return over ? std::sqrt(left / turning) : Real(1);
}

/// (1) to (4) for one tree that turned by `turn`.
template <class Real>
ST_FN void end_turn(const ModelView<Real>& model, const Poses<Real>& end, Pointer<const Real> before, Real h, Real turn,
                    int tree, Inertia<Real>& inertia, MotionTerms<Real>& terms, Pointer<Real> qvel) {
  const bool driven = is_driven(model, tree);
  const bool bounded = turn > (driven ? kBlindTurn<Real> : kKeptTurn<Real>);
  if (!begins_free(model, tree) && (driven || !bounded)) return;
  spread_velocity(model, end, qvel, tree, inertia);
  Flight<Real> flight = flight_of_tree(model, end, h, tree, inertia, terms);
  const Real share =
      bounded ? share_of_energy(model, inertia, before, qvel, turn, driven, tree, terms.free, flight) : Real(1);
  const int first = model.tree_dof_adr[tree];
  for (int k = first; k < first + model.tree_dof_num[tree]; ++k) qvel[k] *= share;
  if (flight.mass > Real(0)) store3(qvel + first, load3(qvel + first) + flight.kept - share * flight.turned);
}

}  // namespace dynamics_detail

/// (1) to (4) for v⁺ in qvel (nv) at the poses `end`, where the step began with `before` (nv) and the answer is v (nv).
template <class Team, class Real>
ST_FN void end_turns(Team team, const ModelView<Real>& model, const Poses<Real>& end, Pointer<const Real> before,
                     Pointer<const double> v, Real h, Inertia<Real>& inertia, MotionTerms<Real>& terms,
                     Pointer<Real> qvel) {
  LinkageMotion<Real>& motion = terms.free;
  team.each(motion.trees, [&](int tree) {
    motion.beyond[tree] &= ~kTurnedTooFar;
    if (!is_linkage(model, tree)) return;
    const Real turn = turn_of_tree(model, qvel, h, tree);
    const bool turns =
        turn > dynamics_detail::kStillTurn<Real> || dynamics_detail::has_free_motion(model, motion, tree);
    if (!turns) return;
    const int first = model.tree_dof_adr[tree];
    for (int k = first; k < first + model.tree_dof_num[tree]; ++k) motion.stage_qvel[k] = static_cast<Real>(v[k]);
    dynamics_detail::end_turn(model, end, before, h, turn, tree, inertia, terms, qvel);
  });
}

}  // namespace stiction
