// What a linkage keeps where its step ends: v at q, with which the step was solved, is followed by v⁺ at q⁺.
//
//   p = Σ_b m_b J_b(q) v − Δg_free     momentum after the step; Δg: impulse of the velocity terms (free_motion.hpp)
//   v⁺ += (p − Σ_b m_b J_b(q⁺) v⁺)/m   on the free joint's translation, for trees on a free joint without armature
//
// so that momentum changes by impulses alone. Where a tree turns by τ⁺ = h Σ |v⁺ of rotational dofs| > 0.1 (> 1 if more
// than weight drives it), p and the energy stay within
//
//   T_0 = 1.02 (max(T(q, v⁰), T(q, u)) + max(T(q, v) − T(q, ū), 0))    or 1.25 max(T(q, v⁰), T(q, v)) with explicit c
//
// p by its length; the energy by scaling v⁺ about the centre of mass, if only weight drives the tree. Steps that lose
// energy or momentum by this are beyond the order of the method, and those with τ⁺ > 1 of trees that only weight drives
// with T(q, v) > 1.02 max(T(q, v⁰), T(q, u), T(q, ū)).
#pragma once

#include "host/reference/free_motion.hpp"

namespace stiction::reference {

/// A step: poses and velocity at its start, the velocity with which it was solved, poses at its end.
struct TurnedStep {
  const Kinematics& from;
  const Eigen::VectorXd& before;
  const Eigen::VectorXd& v;
  const Kinematics& to;
  double h;
};

/// The velocity v⁺ (nv) with which the step ends; sets `beyond` in motions.
Eigen::VectorXd end_velocity(const Model& model, const TurnedStep& step, FreeMotions& motions);

}  // namespace stiction::reference
