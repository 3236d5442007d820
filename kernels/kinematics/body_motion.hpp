// Velocity and acceleration of every body, from the velocities and accelerations of the dofs.
//
//   V_B = V_P + Σ_k S_k q̇_k,    A_B = A_P + Σ_k (S_k q̈_k + V × S_k q̇_k)          over the dofs k of body B
//   ω, α    angular velocity and acceleration
//   v_p = v_c + ω × (p − c),    a_p = a_c + α × (p − c) + ω × v_p                of the point of the body at p
//
// (Featherstone 2008, table 5.1, in world axes about a point c: the origin of the first body of a tree, else that of
// the body.) Bodies that a script moves keep their velocities: their origin and their axes do not accelerate.
//   symbol  variable      shape  unit
//   V       twist         (nbody)  [rad/s], [m/s]
//   A       acceleration  (nbody)  [rad/s²], [m/s²]
#pragma once

#include "kernels/kinematics/inertia.hpp"

namespace stiction {

template <class Real>
struct BodyMotion {
  Array<Spatial<Real>> twist, acceleration;  // (nbody)
};

template <class Real>
ST_FN BodyMotion<Real> take_body_motion(const ModelView<Real>& model, Arena& arena) {
  BodyMotion<Real> motion;
  motion.twist = arena.take<Spatial<Real>>(model.nbody);
  motion.acceleration = arena.take<Spatial<Real>>(model.nbody);
  return motion;
}

namespace kinematics_detail {

/// The point about which a body's twist is written.
template <class Real>
ST_FN Vec3<Real> twist_point(const ModelView<Real>& model, const Poses<Real>& poses, int body) {
  const int tree = model.body_tree[body];
  const int origin = tree < 0 ? body : model.dof_body[model.tree_dof_adr[tree]];
  return load3(poses.body_pos + 3 * origin);
}

/// Twist and acceleration about c of a body without dofs.
template <class Real>
ST_FN void move_scripted(const ModelView<Real>& model, const Poses<Real>& poses, int body, const Vec3<Real>& c,
                         Spatial<Real>& V, Spatial<Real>& A) {
  scripted_velocity(model, poses, body, c, V.ang, V.lin);
  A = {};
  const int root = model.body_mocap_root[body];
  if (root > 0) A.lin = -cross(V.ang, load3(poses.mocap_twist + 6 * model.body_mocap[root]));
}

/// Twist and acceleration of the bodies of a tree, parents before children.
template <class Real>
ST_FN void move_tree(const ModelView<Real>& model, const Poses<Real>& poses, const Real* qvel, const Real* qacc,
                     int tree, BodyMotion<Real>& out) {
  const TreeRange<Real> range = tree_range(model, poses, tree);
  for (int b = range.root; b < range.end; ++b) {
    const int parent = model.body_parent[b];
    Spatial<Real> V = {}, A = {};
    if (model.body_tree[parent] == tree)
      V = out.twist[parent], A = out.acceleration[parent];
    else
      move_scripted(model, poses, parent, range.c, V, A);
    const int first = model.body_joint_adr[b];
    for (int j = first; j < first + model.body_joint_num[b]; ++j)
      A += joint_velocity(model, poses, qvel, j, range.c, V);
    if (qacc)
      for (int k = model.body_last_dof[b]; k >= 0 && model.dof_body[k] == b; k = model.dof_parent[k])
        A += qacc[k] * dof_twist(poses, k, range.c);
    out.twist[b] = V;
    out.acceleration[b] = A;
  }
}

}  // namespace kinematics_detail

/// Writes `out` from qvel (nv) and qacc (nv); without qacc its accelerations mean nothing.
template <class Team, class Real>
ST_FN void update_body_motion(Team team, const ModelView<Real>& model, const Poses<Real>& poses, const Real* qvel,
                              const Real* qacc, BodyMotion<Real>& out) {
  team.each(model.nbody, [&](int b) {
    if (model.body_tree[b] >= 0) return;
    const Vec3<Real> c = load3(poses.body_pos + 3 * b);
    kinematics_detail::move_scripted(model, poses, b, c, out.twist[b], out.acceleration[b]);
  });
  team.each(model.ntree, [&](int t) { kinematics_detail::move_tree(model, poses, qvel, qacc, t, out); });
}

/// How the point of a body that is at p moves, in world axes.
template <class Real>
struct PointMotion {
  Vec3<Real> angular, linear;          // ω [rad/s], v_p [m/s]
  Vec3<Real> angular_acc, linear_acc;  // α [rad/s²], a_p [m/s²]
};

template <class Real>
ST_FN PointMotion<Real> point_motion(const ModelView<Real>& model, const Poses<Real>& poses,
                                     const BodyMotion<Real>& motion, int body, const Vec3<Real>& p) {
  const Spatial<Real>&V = motion.twist[body], &A = motion.acceleration[body];
  const Vec3<Real> arm = p - kinematics_detail::twist_point(model, poses, body);
  const Vec3<Real> linear = V.lin + cross(V.ang, arm);
  return {V.ang, linear, A.ang, A.lin + cross(A.ang, arm) + cross(V.ang, linear)};
}

/// I ω of a body about its centre of mass, world axes; ω may be any vector.
template <class Real>
ST_FN Vec3<Real> turn_inertia(const ModelView<Real>& model, const Poses<Real>& poses, int body,
                              const Vec3<Real>& omega) {
  const Mat3<Real> R = to_matrix(load_quat(poses.body_quat + 4 * body) * load_quat(model.body_iquat + 4 * body));
  const Vec3<Real> local = transpose_mul(R, omega);
  const Real* I = model.body_inertia + 3 * body;
  return R * Vec3<Real>{I[0] * local.x, I[1] * local.y, I[2] * local.z};
}

}  // namespace stiction
