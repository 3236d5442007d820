// Kinematic: the commanded dofs follow exactly, forces balance on the others, nothing has momentum.
//
//   v_p = v̄,   v̄ = (ctrl − q)/h (position) or ctrl (velocity)                                   (1)
//
// (Trinkle, Berard & Pang 2005; Pang & Tedrake 2021, (1).) How the dofs p leave H and g: prescribed_dofs.hpp. H_ff
// holds the terms of springs and dampers, otherwise it is 0.
//
//   symbol  variable              shape  unit
//   v̄       prescribed.velocity   (nv)   [m/s], [rad/s]
#pragma once

#include "kernels/dynamics/motion_terms.hpp"

namespace stiction {

namespace dynamics_detail {

/// (1)
template <class Real>
ST_FN void write_prescribed_velocities(const ModelView<Real>& model, const MotionInputs<Real>& in,
                                       PrescribedDofs& prescribed) {
  for (int a = 0; a < model.nu; ++a) {
    if (!prescribes_motion(model, Dynamics::kKinematic, a)) continue;
    const ActuatorLaw<Real> law = actuator_law(model, in.qpos, in.ctrl, Dynamics::kKinematic, a);
    const Real rate = commanded_rate(model, law, in.step_size, a);
    for_each_term(model, model.actuator_length[a], [&](int k, Real c) {
      prescribed.velocity[k] = is_frozen(prescribed, k) ? 0.0 : static_cast<double>(rate / c);
    });
  }
}

}  // namespace dynamics_detail

template <class Team, class Real>
ST_FN void assemble_kinematic(Team team, const ModelView<Real>& model, const Poses<Real>&, const MotionInputs<Real>& in,
                              const Inertia<Real>&, MotionTerms<Real>& terms) {
  team.once([&] { dynamics_detail::write_prescribed_velocities(model, in, terms.prescribed); });
}

}  // namespace stiction
