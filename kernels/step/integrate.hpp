// q⁺ = q ⊞ h v, joint by joint (kernels/kinematics/move_joint.hpp).
#pragma once

#include "kernels/kinematics/move_joint.hpp"
#include "kernels/kinematics/poses.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

/// Moves qpos (nq) by qvel (nv) over h [s].
template <class Team, class Real>
ST_FN void integrate_positions(Team team, const ModelView<Real>& model, Pointer<const Real> qvel, Dynamics dynamics,
                               Rotation rotation, Real h, Pointer<Real> qpos) {
  team.each(model.njoint, [&](int j) { integrate_joint(model, qvel, dynamics, rotation, h, j, qpos); });
}

}  // namespace stiction
