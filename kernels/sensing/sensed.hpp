// What sensors read: the state, the poses and motions that belong to it, and the forces of the last step.
#pragma once

#include "kernels/dynamics/impulses.hpp"
#include "kernels/kinematics/body_motion.hpp"
#include "kernels/model/env_view.hpp"

namespace stiction {

/// What sensors need to know of the scene.
template <class Real>
struct SensorInputs {
  Dynamics dynamics;
  double step_size;            // h [s]
  ImpulseView<Real> impulses;  // of the scene
  int weld_row;                // place of the first weld's first row among all rows
};

template <class Real>
struct Sensed {
  const ModelView<Real>& model;
  const EnvView<Real>& env;
  const SensorInputs<Real>& in;
  const Poses<Real>& poses;
  const BodyMotion<Real>& motion;
};

/// A frame that is fixed to a body.
template <class Real>
struct SensorFrame {
  int body;         // -1: there is none
  Vec3<Real> pos;   // world [m]
  Quat<Real> quat;  // from the frame to the world
};

/// The frame of a sensor's object (side 0) or of its reference (side 1); without one, that of the world.
template <class Real>
ST_FN SensorFrame<Real> sensor_frame(const Sensed<Real>& at, int sensor, int side) {
  const int i = 2 * sensor + side, body = at.model.sensor_frame_body[i];
  if (body < 0) return {-1, {Real(0), Real(0), Real(0)}, {Real(1), Real(0), Real(0), Real(0)}};
  const bool inertial = at.model.sensor_frame_inertial[i] != 0;
  const Vec3<Real> pos = load3(inertial ? at.model.body_ipos + 3 * body : at.model.sensor_frame_pos + 3 * i);
  const Quat<Real> own = load_quat(inertial ? at.model.body_iquat + 4 * body : at.model.sensor_frame_quat + 4 * i);
  const Quat<Real> quat = load_quat(at.poses.body_quat + 4 * body);
  return {body, load3(at.poses.body_pos + 3 * body) + rotate(quat, pos), normalise(quat * own)};
}

/// How the origin of a frame moves.
template <class Real>
ST_FN PointMotion<Real> frame_motion(const Sensed<Real>& at, const SensorFrame<Real>& frame) {
  if (frame.body < 0) return {};
  return point_motion(at.model, at.poses, at.motion, frame.body, frame.pos);
}

/// A world vector in the axes of a frame.
template <class Real>
ST_FN Vec3<Real> in_axes_of(const SensorFrame<Real>& frame, const Vec3<Real>& world) {
  return transpose_mul(to_matrix(frame.quat), world);
}

/// True if `body` is `root` or hangs on it.
template <class Real>
ST_FN bool is_below(const ModelView<Real>& model, int body, int root) {
  while (body > root) body = model.body_parent[body];
  return body == root;
}

}  // namespace stiction
