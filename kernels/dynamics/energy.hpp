// Mechanical energy of an environment.
//
//   U = −Σ_B m_B (1 − gravcomp_B) g·c_B + Σ_j ½ k_j ‖q_j ⊖ q_rest,j‖² + Σ_t ½ k_t (ℓ_t − rest_t)²
//   T = ½ vᵀ M v                                           v: velocity of the last step; M includes the armature
//
//   symbol  variable  shape        unit
//   U, T    energy    (2)          [J]
//   c_B     body_com  (nbody, 3)   [m]
//
// All bodies count in U, also those that do not move; bodies that a script moves have no v and do not count in T.
// Springs are those of joints and tendons: what actuators and dampers do is work.
#pragma once

#include "kernels/dynamics/motion_terms.hpp"
#include "kernels/kinematics/paths.hpp"
#include "kernels/linalg/rotation.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

namespace dynamics_detail {

template <class Real>
ST_FN double weight_energy(const ModelView<Real>& model, const Poses<Real>& poses, int b) {
  const Real carried = model.body_mass[b] * (Real(1) - model.body_gravcomp[b]);
  return -static_cast<double>(carried * dot(load3(model.gravity), load3(poses.body_com + 3 * b)));
}

template <class Real>
ST_FN double joint_spring_energy(const ModelView<Real>& model, const Real* qpos, int j) {
  const Real k = model.joint_stiffness[j];
  if (!(k > Real(0))) return 0;
  const Real* q = qpos + model.joint_qpos_adr[j];
  const Real* rest = model.qpos_spring + model.joint_qpos_adr[j];
  const JointType type = static_cast<JointType>(model.joint_type[j]);
  const int slides = type == JointType::kFree ? 3 : (type == JointType::kBall ? 0 : 1);
  Real square = Real(0);
  for (int i = 0; i < slides; ++i) square += (q[i] - rest[i]) * (q[i] - rest[i]);
  if (type == JointType::kFree || type == JointType::kBall)
    square += norm_squared(turn_to_rest(q + slides, rest + slides));
  return 0.5 * static_cast<double>(k * square);
}

template <class Real>
ST_FN double tendon_spring_energy(const ModelView<Real>& model, const Poses<Real>& poses, const Real* qpos, int t) {
  const int length = model.tendon_length[t];
  const bool path = model.length_point_num[length] > 0;
  const Real value = path ? path_length(model, poses, length) : length_value(model, qpos, length);
  const Real stretch = value - clamped(value, model.tendon_rest[2 * t], model.tendon_rest[2 * t + 1]);
  return 0.5 * static_cast<double>(model.tendon_stiffness[t] * stretch * stretch);
}

/// ½ vᵀ M v of one tree.
template <class Real>
ST_FN double kinetic_energy(const ModelView<Real>& model, const Inertia<Real>& inertia, Pointer<const Real> qvel,
                            int t) {
  const int n = model.tree_dof_num[t];
  const Real* v = qvel + model.tree_dof_adr[t];
  const Real* M = inertia.M + inertia.tree_adr[t];
  Real sum = Real(0);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k) sum += v[i] * M[i * n + k] * v[k];
  return 0.5 * static_cast<double>(sum);
}

}  // namespace dynamics_detail

/// Writes U and T to `energy` (2), given poses and M.
template <class Team, class Real>
ST_FN void measure_energy(Team team, const ModelView<Real>& model, const Poses<Real>& poses,
                          const Inertia<Real>& inertia, Pointer<const Real> qpos, Pointer<const Real> qvel,
                          double* energy) {
  const double potential =
      team.sum(model.nbody, 0.0, [&](int b) { return dynamics_detail::weight_energy(model, poses, b); }) +
      team.sum(model.njoint, 0.0, [&](int j) { return dynamics_detail::joint_spring_energy(model, qpos, j); }) +
      team.sum(model.ntendon, 0.0, [&](int t) { return dynamics_detail::tendon_spring_energy(model, poses, qpos, t); });
  const double kinetic =
      team.sum(model.ntree, 0.0, [&](int t) { return dynamics_detail::kinetic_energy(model, inertia, qvel, t); });
  team.once([&] { energy[0] = potential, energy[1] = kinetic; });
}

}  // namespace stiction
