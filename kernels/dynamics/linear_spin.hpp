// The velocity terms of free bodies that turn linearly (`rotation = "linear"`), as in Xie and Chakraborty (2016), (7):
//
//   M (v⁺ − v) = h F + J_Rᵀ p_vp + Jᵀ λ,   p_vp = −h ω⁺ × I ω⁺,   q⁺ = normalise(q + ½ h ω⁺ q)
//
// I has the axes of the start of the step, and ω⁺ is the spin that the step solves for: the rounds of a step put in the
// spin of the round before (kernels/step/end_rounds.hpp).
//
//   symbol  variable  shape    unit
//   ω⁺      spin      (3)      body axes at the start of the step [rad/s]
//   I       moments   (3, 3)   about the centre of mass, body axes [kg m²]
#pragma once

#include "kernels/dynamics/free_motion.hpp"

namespace stiction {

/// Writes g (nv) = base (nv) with p_vp of the velocities v (nv).
template <class Team, class Real, class Number>
ST_FN void add_linear_spin(Team team, const ModelView<Real>& model, const Inertia<Real>& inertia, const Number* v,
                           Real h, const double* base, double* g) {
  team.each(model.nv, [&](int k) { g[k] = base[k]; });
  team.each(model.ntree, [&](int tree) {
    if (!is_free_body(model, tree)) return;
    const int turns = model.tree_dof_adr[tree] + 3;
    const Mat3<Real> moments = dynamics_detail::turning_inertia(model, inertia, tree);
    const Vec3<Real> spin = {static_cast<Real>(v[turns]), static_cast<Real>(v[turns + 1]),
                             static_cast<Real>(v[turns + 2])};
    const Vec3<Real> torque = cross(spin, moments * spin);
    for (int i = 0; i < 3; ++i) g[turns + i] -= static_cast<double>(h * torque[i]);
  });
}

}  // namespace stiction
