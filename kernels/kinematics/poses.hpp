// Forward kinematics: configuration -> poses of bodies and geoms, and the axis of every dof.
//
//   X_WB = X_WP X_PB Π_joints X_J(q)          parents come before children; one lane computes one tree
//
// A point p that moves with body B has the velocity Σ_k (ang_k × (p − anchor_k) + lin_k) v_k over the dofs k that
// move B. Hinge and ball: ang = axis. Slide: lin = axis. Free: three dofs with lin along the world's axes, then three
// with ang along the body's axes through its origin.
#pragma once

#include "kernels/linalg/rotation.hpp"
#include "kernels/model/arena.hpp"
#include "kernels/model/model_view.hpp"
#include "kernels/team/array.hpp"
#include "kernels/team/team.hpp"

namespace stiction {

/// World poses of one environment.
template <class Real>
struct Poses {
  Array<Real> body_pos;     // p_WB [m]                    (nbody, 3)
  Array<Real> body_quat;    // q_WB                        (nbody, 4)
  Array<Real> body_com;     // centre of mass [m]          (nbody, 3)
  Array<Real> geom_pos;     // p_WG [m]                    (ngeom, 3)
  Array<Real> geom_rot;     // R_WG row-major              (ngeom, 9)
  Array<Real> dof_anchor;   // [m]                         (nv, 3)
  Array<Real> dof_lin;      // [m/s per unit of velocity]  (nv, 3)
  Array<Real> dof_ang;      // [rad/s per unit]            (nv, 3)
  Array<Real> mocap_twist;  // velocity of scripted bodies in world axes: v of the origin [m/s], ω [rad/s]  (nmocap, 6)
  bool settled = false;     // bodies and geoms that nothing moves are in place
};

/// Takes memory for poses in any precision.
template <class Real, class Stored>
ST_FN Poses<Real> take_poses_in(const ModelView<Stored>& model, Arena& arena) {
  Poses<Real> poses;
  poses.body_pos = arena.take<Real>(3 * model.nbody);
  poses.body_quat = arena.take<Real>(4 * model.nbody);
  poses.body_com = arena.take<Real>(3 * model.nbody);
  poses.geom_pos = arena.take<Real>(3 * model.ngeom);
  poses.geom_rot = arena.take<Real>(9 * model.ngeom);
  poses.dof_anchor = arena.take<Real>(3 * model.nv);
  poses.dof_lin = arena.take<Real>(3 * model.nv);
  poses.dof_ang = arena.take<Real>(3 * model.nv);
  poses.mocap_twist = arena.take<Real>(6 * model.nmocap);
  return poses;
}

template <class Real>
ST_FN Poses<Real> take_poses(const ModelView<Real>& model, Arena& arena) {
  return take_poses_in<Real>(model, arena);
}

namespace kinematics_detail {

/// Pose of a body while its joints are applied one after the other.
template <class Real>
struct BodyPose {
  Vec3<Real> pos;
  Quat<Real> quat;
};

template <class Real>
ST_FN void write_dof(int dof, const Vec3<Real>& anchor, const Vec3<Real>& lin, const Vec3<Real>& ang,
                     Poses<Real>& poses) {
  store3(poses.dof_anchor + 3 * dof, anchor);
  store3(poses.dof_lin + 3 * dof, lin);
  store3(poses.dof_ang + 3 * dof, ang);
}

/// Applies joint j to the pose; writes the axes of hinges and slides (those of ball and free joints need the final
/// pose).
template <class Stored, class Real>
ST_FN void apply_joint(const ModelView<Stored>& model, const Real* qpos, int j, Poses<Real>& poses,
                       BodyPose<Real>& pose) {
  const Real* q = qpos + model.joint_qpos_adr[j];
  const int dof = model.joint_dof_adr[j];
  const JointType type = static_cast<JointType>(model.joint_type[j]);
  if (type == JointType::kFree) {
    pose = {load3(q), normalise(load_quat(q + 3))};
    return;
  }
  const Vec3<Real> local_anchor = in_precision<Real>(load3(model.joint_pos + 3 * j));
  const Vec3<Real> local_axis = in_precision<Real>(load3(model.joint_axis + 3 * j));
  const Mat3<Real> rotation = to_matrix(pose.quat);
  const Vec3<Real> anchor = pose.pos + rotation * local_anchor;
  const Vec3<Real> axis = rotation * local_axis;
  const Vec3<Real> zero = {Real(0), Real(0), Real(0)};
  if (type == JointType::kSlide) {
    write_dof(dof, anchor, axis, zero, poses);
    pose.pos += (q[0] - Real(model.qpos0[model.joint_qpos_adr[j]])) * axis;
    return;
  }
  if (type == JointType::kHinge) {
    write_dof(dof, anchor, zero, axis, poses);
    pose.quat = pose.quat * turn_about(local_axis, q[0] - Real(model.qpos0[model.joint_qpos_adr[j]]));
  } else {
    store3(poses.dof_anchor + 3 * dof, anchor);
    pose.quat = pose.quat * normalise(load_quat(q));
  }
  if (local_anchor.x != Real(0) || local_anchor.y != Real(0) || local_anchor.z != Real(0))
    pose.pos = anchor - rotate(pose.quat, local_anchor);
}

/// Writes the axes of a ball or free joint, which turn with the body.
template <class Stored, class Real>
ST_FN void write_body_axes(const ModelView<Stored>& model, int j, const BodyPose<Real>& pose, Poses<Real>& poses) {
  const Vec3<Real> zero = {Real(0), Real(0), Real(0)};
  const Mat3<Real> rotation = to_matrix(pose.quat);
  int dof = model.joint_dof_adr[j];
  Vec3<Real> anchor = pose.pos;
  if (static_cast<JointType>(model.joint_type[j]) == JointType::kFree) {
    for (int i = 0; i < 3; ++i, ++dof) {
      Vec3<Real> axis = zero;
      axis[i] = Real(1);
      write_dof(dof, anchor, axis, zero, poses);
    }
  } else {
    anchor = load3(poses.dof_anchor + 3 * dof);
  }
  for (int i = 0; i < 3; ++i, ++dof) write_dof(dof, anchor, zero, rotation.column(i), poses);
}

}  // namespace kinematics_detail

template <class Stored, class Real>
ST_FN void update_body(const ModelView<Stored>& model, Pointer<const Real> qpos, Pointer<const Stored> mocap_pose,
                       int b, Poses<Real>& poses) {
  using namespace kinematics_detail;
  BodyPose<Real> pose;
  const int mocap = model.body_mocap[b];
  if (b == 0) {
    pose = {{Real(0), Real(0), Real(0)}, {Real(1), Real(0), Real(0), Real(0)}};
  } else if (mocap >= 0) {
    pose = {in_precision<Real>(load3(mocap_pose + 7 * mocap)),
            normalise(in_precision<Real>(load_quat(mocap_pose + 7 * mocap + 3)))};
  } else {
    const int parent = model.body_parent[b];
    const Quat<Real> parent_quat = load_quat(poses.body_quat + 4 * parent);
    pose.pos =
        load3(poses.body_pos + 3 * parent) + rotate(parent_quat, in_precision<Real>(load3(model.body_pos + 3 * b)));
    pose.quat = parent_quat * in_precision<Real>(load_quat(model.body_quat + 4 * b));
  }
  const int first = model.body_joint_adr[b];
  const int joints = model.body_joint_num[b];
  for (int j = first; j < first + joints; ++j) apply_joint(model, qpos, j, poses, pose);
  pose.quat = renormalise(pose.quat);
  for (int j = first; j < first + joints; ++j) {
    const JointType type = static_cast<JointType>(model.joint_type[j]);
    if (type == JointType::kFree || type == JointType::kBall) write_body_axes(model, j, pose, poses);
  }
  store3(poses.body_pos + 3 * b, pose.pos);
  store_quat(poses.body_quat + 4 * b, pose.quat);
  store3(poses.body_com + 3 * b, pose.pos + rotate(pose.quat, in_precision<Real>(load3(model.body_ipos + 3 * b))));
}

/// The body whose joints or script move b, with nothing that moves between them; 0: nothing does.
template <class Stored>
ST_FN int carrier_of(const ModelView<Stored>& model, int b) {
  const int dof = model.body_last_dof[b];
  return dof >= 0 ? model.dof_body[dof] : model.body_mocap_root[b];
}

/// True if neither dofs nor a script move the body.
template <class Stored>
ST_FN bool is_fixed(const ModelView<Stored>& model, int body) {
  return model.body_last_dof[body] < 0 && model.body_mocap_root[body] == 0;
}

/// True if a body is where it was in these poses and stays there. Several lanes do not ask: they place all.
template <class Team, class Stored, class Real>
ST_FN bool is_settled(const ModelView<Stored>& model, const Poses<Real>& poses, int body) {
  return Team::kLanes == 1 && poses.settled && is_fixed(model, body);
}

/// Writes the poses of bodies and the axes of dofs from qpos (nq) and mocap_pose (nmocap, 7). They may have a higher
/// precision than the model.
template <class Team, class Stored, class Real>
ST_FN void update_bodies(Team team, const ModelView<Stored>& model, Pointer<const Real> qpos,
                         Pointer<const Stored> mocap_pose, Poses<Real>& poses) {
  team.once([&] {
    for (int b = 0; b < model.nbody; ++b)
      if (model.body_tree[b] < 0 && !is_settled<Team>(model, poses, b)) update_body(model, qpos, mocap_pose, b, poses);
  });
  team.each(model.ntree, [&](int tree) {
    const int root = model.dof_body[model.tree_dof_adr[tree]];
    for (int b = root; b < model.nbody && model.body_tree[b] == tree; ++b)
      update_body(model, qpos, mocap_pose, b, poses);
  });
}

/// The pose of a spare slot.
template <class Real>
ST_FN void place_nowhere(int geom, Poses<Real>& poses) {
  store3(poses.geom_pos + 3 * geom, {Real(0), Real(0), Real(0)});
  for (int i = 0; i < 9; ++i) poses.geom_rot[9 * geom + i] = i % 4 == 0 ? Real(1) : Real(0);
}

/// Writes the poses of geoms from those of their bodies. Spare slots lie at the world's origin.
template <class Team, class Stored, class Real>
ST_FN void update_geoms(Team team, const ModelView<Stored>& model, Poses<Real>& poses) {
  team.each(model.ngeom, [&](int g) {
    const int b = model.geom_body[g];
    if (is_settled<Team>(model, poses, b)) return;
    if (is_spare(model, g)) return place_nowhere(g, poses);
    const Quat<Real> body_quat = load_quat(poses.body_quat + 4 * b);
    store3(poses.geom_pos + 3 * g,
           load3(poses.body_pos + 3 * b) + rotate(body_quat, in_precision<Real>(load3(model.geom_pos + 3 * g))));
    const Mat3<Real> rotation =
        to_matrix(renormalise(body_quat * in_precision<Real>(load_quat(model.geom_quat + 4 * g))));
    for (int i = 0; i < 9; ++i) poses.geom_rot[9 * g + i] = rotation.m[i];
  });
  if constexpr (Team::kLanes == 1) poses.settled = true;
}

/// Writes all of `poses`.
template <class Team, class Stored, class Real>
ST_FN void update_poses(Team team, const ModelView<Stored>& model, Pointer<const Real> qpos,
                        Pointer<const Stored> mocap_pose, Poses<Real>& poses) {
  update_bodies(team, model, qpos, mocap_pose, poses);
  update_geoms(team, model, poses);
}

/// Copies the velocities of scripted bodies (nmocap, 6) for the step.
template <class Team, class Real>
ST_FN void update_scripted_velocities(Team team, const ModelView<Real>& model, Pointer<const Real> mocap_velocity,
                                      Poses<Real>& poses) {
  team.each(6 * model.nmocap, [&](int i) { poses.mocap_twist[i] = mocap_velocity[i]; });
}

/// Velocity of the world point p, fixed to the body that dof k moves, per unit of velocity k.
template <class Real>
ST_FN Vec3<Real> dof_point_velocity(const Poses<Real>& poses, int k, const Vec3<Real>& p) {
  const Vec3<Real> arm = p - load3(poses.dof_anchor + 3 * k);
  return cross(load3(poses.dof_ang + 3 * k), arm) + load3(poses.dof_lin + 3 * k);
}

/// Translational Jacobian J (3, n_tree) of the point p on `body`: rows x, y, z; one column per dof of its tree.
template <class Real>
ST_FN void point_jacobian(const ModelView<Real>& model, const Poses<Real>& poses, int body, const Vec3<Real>& p,
                          Real* J) {
  const int tree = model.body_tree[body];
  if (tree < 0) return;
  const int first = model.tree_dof_adr[tree], n = model.tree_dof_num[tree];
  for (int i = 0; i < 3 * n; ++i) J[i] = Real(0);
  for (int k = model.body_last_dof[body]; k >= 0; k = model.dof_parent[k]) {
    const Vec3<Real> column = dof_point_velocity(poses, k, p);
    for (int row = 0; row < 3; ++row) J[row * n + k - first] = column[row];
  }
}

/// Angular velocity of `body`, and velocity of its point that is at p in the world, for dof velocities v (nv).
template <class Stored, class Real, class Number>
ST_FN void body_velocity(const ModelView<Stored>& model, const Poses<Real>& poses, const Number* v, int body,
                         const Vec3<Real>& p, Vec3<Real>& angular, Vec3<Real>& linear) {
  angular = linear = {Real(0), Real(0), Real(0)};
  for (int k = model.body_last_dof[body]; k >= 0; k = model.dof_parent[k]) {
    const Real rate = static_cast<Real>(v[k]);
    angular += rate * load3(poses.dof_ang + 3 * k);
    linear += rate * dof_point_velocity(poses, k, p);
  }
}

/// The same of `body` relative to `other`. The dofs that move both are left out: they cancel.
template <class Stored, class Real, class Number>
ST_FN void relative_body_velocity(const ModelView<Stored>& model, const Poses<Real>& poses, const Number* v, int body,
                                  int other, const Vec3<Real>& p, Vec3<Real>& angular, Vec3<Real>& linear) {
  angular = linear = {Real(0), Real(0), Real(0)};
  int own = model.body_last_dof[body], its = model.body_last_dof[other];
  while (own != its) {  // a dof's parent has a lower number
    const bool moves_body = own > its;
    int& k = moves_body ? own : its;
    const Real rate = moves_body ? static_cast<Real>(v[k]) : -static_cast<Real>(v[k]);
    angular += rate * load3(poses.dof_ang + 3 * k);
    linear += rate * dof_point_velocity(poses, k, p);
    k = model.dof_parent[k];
  }
}

/// R_WG of geom g.
template <class Real>
ST_FN Mat3<Real> geom_rotation(const Poses<Real>& poses, int g) {
  Mat3<Real> rotation;
  for (int i = 0; i < 9; ++i) rotation.m[i] = poses.geom_rot[9 * g + i];
  return rotation;
}

/// Angular velocity of `body` due to its script, and velocity of its point that is at p in the world; zero without a
/// script.
template <class Stored, class Real>
ST_FN void scripted_velocity(const ModelView<Stored>& model, const Poses<Real>& poses, int body, const Vec3<Real>& p,
                             Vec3<Real>& angular, Vec3<Real>& linear) {
  angular = linear = {Real(0), Real(0), Real(0)};
  const int root = model.body_mocap_root[body];
  if (root == 0) return;
  const Real* twist = poses.mocap_twist + 6 * model.body_mocap[root];
  angular = load3(twist + 3);
  linear = load3(twist) + cross(angular, p - load3(poses.body_pos + 3 * root));
}

}  // namespace stiction
