// H and g by the scene's choice of dynamics.
#pragma once

#include "kernels/dynamics/dynamic.hpp"
#include "kernels/dynamics/fit_springs.hpp"
#include "kernels/dynamics/fluid.hpp"
#include "kernels/dynamics/free_motion.hpp"
#include "kernels/dynamics/free_velocity.hpp"
#include "kernels/dynamics/kinematic.hpp"
#include "kernels/dynamics/prescribed_dofs.hpp"
#include "kernels/dynamics/quasidynamic.hpp"
#include "kernels/dynamics/quasistatic.hpp"

namespace stiction {

/// Writes H, g, M_u and the prescribed velocities of the step, whose prescribed dofs are chosen (prescribed_dofs.hpp).
template <class Team, class Real>
ST_BODY void assemble_motion(Team team, const ModelView<Real>& model, const Poses<Real>& poses,
                             const MotionInputs<Real>& in, Dynamics dynamics, Inertia<Real>& inertia,
                             MotionTerms<Real>& terms) {
  if (fits_springs(dynamics)) fit_springs(team, model, in, inertia, terms);
  add_common_terms(team, model, poses, in, dynamics, inertia, terms);
  add_fluid(team, model, poses, in, terms);
  switch (dynamics) {
#define ST_DYNAMICS(enumerator, name, assemble, ...)  \
  case Dynamics::enumerator:                          \
    assemble(team, model, poses, in, inertia, terms); \
    break;
#include "kernels/dynamics/dynamics.inc"
#undef ST_DYNAMICS
  }
  if (terms.prescribed.chosen) leave_out_prescribed(team, model, in.step_size, terms);
}

/// The motion without contact: velocity terms of what moves freely join g, then the free velocity.
template <class Team, class Real>
ST_BODY void predict_motion(Team team, const ModelView<Real>& model, const Poses<Real>& poses,
                            const MotionInputs<Real>& in, Dynamics dynamics, Inertia<Real>& inertia,
                            MotionTerms<Real>& terms) {
  if (terms.free.carry) add_free_motion(team, model, poses, in, inertia, terms);
  predict_free_velocity(team, model, in, dynamics, terms);
  if (terms.prescribed.frozen) hold_frozen(team, model, terms);
}

}  // namespace stiction
