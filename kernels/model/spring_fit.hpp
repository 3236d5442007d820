// The weights of spring_weights.hpp for every dof of a model, and the commands of its actuators in between.
//
//   symbol  variable           shape  unit
//   σ, w    shift, next        (nv)   1
//   K, D    stiffness, damping (nv)   diagonals, [N/m] or [N m/rad], [N s/m] or [N m s/rad]
//   u_σ     ctrl               (nu)   for a position; u_{w−1/2} for a rate: velocities are those of mid-step
#pragma once

#include "kernels/model/arena.hpp"
#include "kernels/model/lengths.hpp"
#include "kernels/model/spring_weights.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

/// All arrays are null without a fit: the weights are then those of backward Euler, and no rate is read.
template <class Real>
struct SpringFit {
  Array<double> shift, next, stiffness, damping;  // (nv)
  Array<Real> ctrl;                               // (nu)

  ST_FN SpringWeights of_dof(int k) const {
    if (!shift) return {};
    return {shift[k], next[k]};
  }

  /// The weights of a length: the largest of those of its dofs.
  ST_FN SpringWeights of_length(const ModelView<Real>& model, int length) const {
    if (!shift) return {};
    SpringWeights most{0.0, 0.0};
    for_each_term(model, length, [&](int k, Real) {
      most.shift = larger(most.shift, shift[k]);
      most.next = larger(most.next, next[k]);
    });
    return most;
  }

  /// The commands that the actuators follow; `given`: those at the end of the step.
  ST_FN const Real* asked(const Real* given) const { return ctrl ? ctrl : given; }

  ST_FN double rate_of_dof(const Real* qvel, int k) const { return shift ? static_cast<double>(qvel[k]) : 0.0; }

  ST_FN double rate_of_length(const ModelView<Real>& model, const Real* qvel, int length) const {
    double rate = 0.0;
    if (!shift) return rate;
    for_each_term(model, length, [&](int k, Real c) { rate += static_cast<double>(c) * static_cast<double>(qvel[k]); });
    return rate;
  }
};

template <class Real>
ST_FN SpringFit<Real> take_spring_fit(const ModelView<Real>& model, Dynamics dynamics, Arena& arena) {
  SpringFit<Real> fit{};
  if (!fits_springs(dynamics)) return fit;
  fit.shift = arena.take<double>(model.nv);
  fit.next = arena.take<double>(model.nv);
  fit.stiffness = arena.take<double>(model.nv);
  fit.damping = arena.take<double>(model.nv);
  fit.ctrl = arena.take<Real>(model.nu);
  return fit;
}

/// What the forces of actuators depend on.
template <class Real>
struct ActuatorInputs {
  const Real *qpos, *qvel, *ctrl;  // (nq), (nv), (nu)
  Dynamics dynamics;
  SpringFit<Real> fit;
};

/// Slope and impulse of an actuator along gear ℓ.
template <class Real>
ST_FN SpringImpulse actuator_impulse(const ModelView<Real>& model, const Real* qvel, double h,
                                     const ActuatorLaw<Real>& law, int a, const SpringFit<Real>& fit) {
  const int length = model.actuator_length[a];
  const double rate = static_cast<double>(model.actuator_gear[a]) * fit.rate_of_length(model, qvel, length);
  return spring_impulse(fit.of_length(model, length), h, static_cast<double>(law.stiffness),
                        static_cast<double>(law.damping), static_cast<double>(law.force), rate);
}

/// Slope and impulse of the spring and damper of a tendon.
template <class Real>
ST_FN SpringImpulse tendon_impulse(const ModelView<Real>& model, const Real* qpos, const Real* qvel, double h, int t,
                                   const SpringFit<Real>& fit) {
  const int length = model.tendon_length[t];
  const TendonStretch<Real> pull = tendon_stretch(model, qpos, t);
  const double k = static_cast<double>(pull.stiffness);
  return spring_impulse(fit.of_length(model, length), h, k, static_cast<double>(model.tendon_damping[t]),
                        -k * static_cast<double>(pull.stretch), fit.rate_of_length(model, qvel, length));
}

}  // namespace stiction
