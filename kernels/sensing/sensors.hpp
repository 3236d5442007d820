// Sensors at the present state, as MuJoCo's XML reference defines them; sensed.hpp and balance.hpp have their parts.
//
//   accelerometer  R_Wᵀ (a_p − g)                                      in the axes of the site
//   force, torque  f, τ of balance.hpp about the site                  in the axes of the site
//   touch          Σ max(f_n, 0) over the contacts of the site's body that are in its volume, or whose normal out of
//                  the body meets it
//   framelinvel    R_Rᵀ (v − v_R − ω_R × (p − p_R))                    relative to a frame R, if there is one
//   framelinacc    a_p − g                                             world axes
//   subtree        c = Σ m c_b / Σ m,  ċ = Σ m v_b / Σ m,  L = Σ I_b ω_b + m (c_b − c) × (v_b − ċ)
//   actuatorfrc    the actuator's law (kernels/model/lengths.hpp) at q⁺, v⁺ with the control or activation, in its
//   range
//
// a = (v⁺ − v)/h of the last step. Values that are not computed are NaN.
#pragma once

#include "kernels/dynamics/activation.hpp"
#include "kernels/kinematics/paths.hpp"
#include "kernels/model/lengths.hpp"
#include "kernels/sensing/balance.hpp"
#include "kernels/sensing/limits.hpp"
#include "kernels/sensing/volume.hpp"

namespace stiction {

namespace sensing_detail {

template <class Real>
ST_FN Real touch_force(const Sensed<Real>& at, int s) {
  const SensorFrame<Real> site = sensor_frame(at, s, 0);
  const int id = at.model.sensor_object[s];
  Real sum = Real(0);
  for (int i = 0; i < *at.env.contact_count; ++i) {
    const Vec3<Real> normal = load3(at.env.contact_frame + 9 * i);
    const Vec3<Real> point = in_axes_of(site, load3(at.env.contact_position + 3 * i) - site.pos);
    const Real force = at.env.contact_force[3 * i];
    for (int side = 0; side < 2; ++side) {
      if (at.model.geom_body[at.env.contact_geom[2 * i + side]] != site.body || !(force > Real(0))) continue;
      const Vec3<Real> outward = in_axes_of(site, side == 0 ? normal : -normal);
      const GeomType type = static_cast<GeomType>(at.model.site_type[id]);
      if (meets_volume(type, at.model.site_size + 3 * id, point, outward)) sum += force;
    }
  }
  return sum;
}

template <class Real>
ST_FN Real is_inside_site(const Sensed<Real>& at, int s) {
  const int id = at.model.sensor_object[s];
  const SensorFrame<Real> site = sensor_frame(at, s, 1);
  const Vec3<Real> point = in_axes_of(site, sensor_frame(at, s, 0).pos - site.pos);
  const Vec3<Real> still = {Real(0), Real(0), Real(0)};
  const GeomType type = static_cast<GeomType>(at.model.site_type[id]);
  return meets_volume(type, at.model.site_size + 3 * id, point, still) ? Real(1) : Real(0);
}

/// Rate of a length.
template <class Real>
ST_FN Real length_rate(const Sensed<Real>& at, int length) {
  Real rate = Real(0);
  for_each_term(at.model, length, [&](int dof, Real c) { rate += c * at.env.qvel[dof]; });
  return rate;
}

/// Force of an actuator, on its side of the gear.
template <class Real>
ST_FN Real actuator_force(const Sensed<Real>& at, int a) {
  const ModelView<Real>& model = at.model;
  const Real* qpos = at.env.qpos;
  const Real* drive = at.env.drive;
  const ActuatorLaw<Real> law = actuator_law(model, qpos, drive, at.in.dynamics, a);
  const Real rate = model.actuator_gear[a] * length_rate(at, model.actuator_length[a]);
  return allowed_force(model, a, law.force - law.damping * rate);
}

/// Sum of the forces of actuators on a dof.
template <class Real>
ST_FN Real actuators_on_dof(const Sensed<Real>& at, int dof) {
  Real sum = Real(0);
  for (int a = 0; a < at.model.nu; ++a)
    for_each_term(at.model, at.model.actuator_length[a], [&](int k, Real c) {
      if (k == dof) sum += at.model.actuator_gear[a] * c * actuator_force(at, a);
    });
  return sum;
}

/// Sum of the forces of actuators on a tendon.
template <class Real>
ST_FN Real actuators_on_length(const Sensed<Real>& at, int length) {
  Real sum = Real(0);
  for (int a = 0; a < at.model.nu; ++a)
    if (at.model.actuator_length[a] == length) sum += actuator_force(at, a);
  return sum;
}

/// Centre of mass of a subtree and its velocity.
template <class Real>
struct SubtreeMotion {
  Vec3<Real> com, velocity;  // [m], [m/s]
};

template <class Real>
ST_FN SubtreeMotion<Real> subtree_motion(const Sensed<Real>& at, int root) {
  SubtreeMotion<Real> sum = {};
  Real mass = Real(0);
  for (int b = root; b < at.model.nbody; ++b) {
    if (!is_below(at.model, b, root)) continue;
    const Vec3<Real> com = load3(at.poses.body_com + 3 * b);
    mass += at.model.body_mass[b];
    sum.com += at.model.body_mass[b] * com;
    sum.velocity += at.model.body_mass[b] * point_motion(at.model, at.poses, at.motion, b, com).linear;
  }
  if (!(mass > Real(0))) return {load3(at.poses.body_com + 3 * root), sum.velocity};
  return {(Real(1) / mass) * sum.com, (Real(1) / mass) * sum.velocity};
}

template <class Real>
ST_FN Vec3<Real> subtree_momentum(const Sensed<Real>& at, int root) {
  const SubtreeMotion<Real> whole = subtree_motion(at, root);
  Vec3<Real> sum = {Real(0), Real(0), Real(0)};
  for (int b = root; b < at.model.nbody; ++b) {
    if (!is_below(at.model, b, root)) continue;
    const Vec3<Real> com = load3(at.poses.body_com + 3 * b);
    const PointMotion<Real> moves = point_motion(at.model, at.poses, at.motion, b, com);
    sum += turn_inertia(at.model, at.poses, b, moves.angular) +
           at.model.body_mass[b] * cross(com - whole.com, moves.linear - whole.velocity);
  }
  return sum;
}

/// Sensors of one number.
template <class Real>
ST_FN Real read_number(const Sensed<Real>& at, SensorType type, int s) {
  const ModelView<Real>& model = at.model;
  const int id = model.sensor_object[s];
  const Real* qpos = at.env.qpos;
  switch (type) {
    case SensorType::kTouch:
      return touch_force(at, s);
    case SensorType::kInsideSite:
      return is_inside_site(at, s);
    case SensorType::kJointPos:
      return qpos[model.joint_qpos_adr[id]];
    case SensorType::kJointVel:
      return at.env.qvel[model.joint_dof_adr[id]];
    case SensorType::kJointLimitPos:
      return limit_state(at, id).distance;
    case SensorType::kJointLimitVel:
      return limit_state(at, id).rate;
    case SensorType::kJointLimitForce:
      return limit_force(at, id);
    case SensorType::kTendonPos:
      return length_value(model, qpos, id);
    case SensorType::kTendonVel:
      return length_rate(at, id);
    case SensorType::kActuatorPos:
      return model.actuator_gear[id] * length_value(model, qpos, model.actuator_length[id]);
    case SensorType::kActuatorVel:
      return model.actuator_gear[id] * length_rate(at, model.actuator_length[id]);
    case SensorType::kActuatorForce:
      return actuator_force(at, id);
    case SensorType::kJointActuatorForce:
      return actuators_on_dof(at, model.joint_dof_adr[id]);
    case SensorType::kTendonActuatorForce:
      return actuators_on_length(at, id);
    default:
      return static_cast<Real>(*at.env.time);  // kClock
  }
}

/// Sensors of four numbers.
template <class Real>
ST_FN Quat<Real> read_quat(const Sensed<Real>& at, SensorType type, int s) {
  if (type == SensorType::kBallQuat)
    return normalise(load_quat(at.env.qpos + at.model.joint_qpos_adr[at.model.sensor_object[s]]));
  return conjugate(sensor_frame(at, s, 1).quat) * sensor_frame(at, s, 0).quat;
}

/// Velocity of a frame relative to another, in the axes of the other.
template <class Real>
ST_FN Vec3<Real> relative_velocity(const Sensed<Real>& at, int s, bool turns) {
  const SensorFrame<Real> frame = sensor_frame(at, s, 0), reference = sensor_frame(at, s, 1);
  const PointMotion<Real> moves = frame_motion(at, frame), carries = frame_motion(at, reference);
  const Vec3<Real> linear = moves.linear - carries.linear - cross(carries.angular, frame.pos - reference.pos);
  return in_axes_of(reference, turns ? moves.angular - carries.angular : linear);
}

/// Sensors of three numbers that need accelerations.
template <class Real>
ST_FN Vec3<Real> read_acceleration(const Sensed<Real>& at, SensorType type, int s) {
  const SensorFrame<Real> frame = sensor_frame(at, s, 0);
  if (type == SensorType::kForce || type == SensorType::kTorque) {
    const Wrench<Real> wrench = wrench_from_parent(at, frame.body, frame.pos);
    return in_axes_of(frame, type == SensorType::kForce ? wrench.force : wrench.torque);
  }
  const PointMotion<Real> moves = frame_motion(at, frame);
  if (type == SensorType::kFrameAngAcc) return moves.angular_acc;
  const Vec3<Real> felt = moves.linear_acc - load3(at.model.gravity);
  return type == SensorType::kFrameLinAcc ? felt : in_axes_of(frame, felt);
}

/// Other sensors of three numbers.
template <class Real>
ST_FN Vec3<Real> read_vector(const Sensed<Real>& at, SensorType type, int s) {
  const int id = at.model.sensor_object[s];
  const SensorFrame<Real> frame = sensor_frame(at, s, 0), reference = sensor_frame(at, s, 1);
  const auto axis = [&](int i) { return in_axes_of(reference, to_matrix(frame.quat).column(i)); };
  switch (type) {
    case SensorType::kVelocimeter:
      return in_axes_of(frame, frame_motion(at, frame).linear);
    case SensorType::kGyro:
      return in_axes_of(frame, frame_motion(at, frame).angular);
    case SensorType::kMagnetometer:
      return in_axes_of(frame, load3(at.model.magnetic));
    case SensorType::kBallAngVel:
      return load3(at.env.qvel + at.model.joint_dof_adr[id]);
    case SensorType::kFramePos:
      return in_axes_of(reference, frame.pos - reference.pos);
    case SensorType::kFrameXAxis:
      return axis(0);
    case SensorType::kFrameYAxis:
      return axis(1);
    case SensorType::kFrameZAxis:
      return axis(2);
    case SensorType::kFrameLinVel:
    case SensorType::kFrameAngVel:
      return relative_velocity(at, s, type == SensorType::kFrameAngVel);
    case SensorType::kSubtreeCom:
      return subtree_motion(at, id).com;
    case SensorType::kSubtreeLinVel:
      return subtree_motion(at, id).velocity;
    case SensorType::kSubtreeAngMom:
      return subtree_momentum(at, id);
    default:
      return read_acceleration(at, type, s);
  }
}

template <class Real>
ST_FN Real cut_off(const ModelView<Real>& model, int s, Real value) {
  const Real most = model.sensor_cutoff[s];
  const SensorRange range = static_cast<SensorRange>(model.sensor_range[s]);
  if (!(most > Real(0)) || range == SensorRange::kUncut) return value;
  if (value > most) return most;
  return range == SensorRange::kReal && value < -most ? -most : value;
}

}  // namespace sensing_detail

/// True if the values of a sensor of this type mean something in these dynamics.
ST_FN constexpr bool is_computed(SensorType type, Dynamics dynamics) {
  switch (sensor_needs(type)) {
    case SensorNeeds::kState:
      return true;
    case SensorNeeds::kAcceleration:
      return has_momentum(dynamics);
    case SensorNeeds::kDrive:
      return !follows_exactly(dynamics);
    case SensorNeeds::kNever:
      break;
  }
  return false;
}

/// Writes the values of sensor s to `out` (sensor_dim).
template <class Real>
ST_FN void read_sensor(const Sensed<Real>& at, int s, Real* out) {
  using namespace sensing_detail;
  const SensorType type = static_cast<SensorType>(at.model.sensor_type[s]);
  const int dim = at.model.sensor_dim[s];
  if (!is_computed(type, at.in.dynamics)) {
    for (int i = 0; i < dim; ++i) out[i] = Real(NAN);
    return;
  }
  if (dim == 1)
    out[0] = read_number(at, type, s);
  else if (dim == 4)
    store_quat(out, read_quat(at, type, s));
  else
    store3(out, read_vector(at, type, s));
  for (int i = 0; i < dim; ++i) out[i] = cut_off(at.model, s, out[i]);
}

/// Writes env.sensordata at the present state; needs no stage before it. Lanes take trees, then sensors.
template <class Team, class Real>
ST_BODY void measure_sensors(Team team, const ModelView<Real>& model, const SensorInputs<Real>& in, Arena arena,
                             EnvView<Real>& env) {
  team.fence();
  Poses<Real> poses = take_poses(model, arena);
  BodyMotion<Real> motion = take_body_motion(model, arena);
  update_poses(team, model, env.qpos, env.mocap_pose, poses);
  update_scripted_velocities(team, model, env.mocap_velocity, poses);
  update_paths(team, model, poses, env);
  drive_actuators(team, model, static_cast<Real>(in.step_size), env);
  const Real* qvel = env.qvel;
  const Real* qacc = env.qacc;
  update_body_motion(team, model, poses, qvel, model.nqacc > 0 ? qacc : nullptr, motion);
  const Sensed<Real> at = {model, env, in, poses, motion};
  team.each(model.nsensor, [&](int s) { read_sensor(at, s, env.sensordata + model.sensor_adr[s]); });
}

}  // namespace stiction
