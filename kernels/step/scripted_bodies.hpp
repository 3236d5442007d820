// Bodies that a script moves: their pose is read from the table at every time, so that nothing drifts.
//
//   p(t), q(t)   linear between knots, q along the shortest arc at constant rate; constant outside
//   v(t), ω(t)   the table's velocity columns, linear between knots, zero outside;
//                without them (p(t + h) − p(t))/h and log(q(t + h) q(t)⁻¹)/h
//
// v is the velocity of the body's origin. v and ω are in world axes and enter contacts as the offset b.
#pragma once

#include "kernels/contact/general_rows.hpp"
#include "kernels/linalg/rotation.hpp"
#include "kernels/model/env_view.hpp"
#include "kernels/step/command.hpp"

namespace stiction {

namespace step_detail {

/// Two knots of a track and where t is between them.
struct KnotSpan {
  int from, to;
  double share;  // 0: at `from`, 1: at `to`
  bool outside;  // t is before the first knot or after the last
};

ST_FN KnotSpan find_span(const MocapView& script, int track, double t) {
  const int first = script.first[track], count = script.count[track];
  const int before = knot_before(script.time + first, count, t);
  if (before < 0) return {first, first, 0.0, true};
  const int from = first + before;
  if (before + 1 == count) return {from, from, 0.0, t > script.time[from]};
  return {from, from + 1, (t - script.time[from]) / (script.time[from + 1] - script.time[from]), false};
}

/// Rotation vector, in world axes, of the shortest turn from a to b [rad].
ST_FN Vec3<double> turn_between(const Quat<double>& a, const Quat<double>& b) {
  return rotation_vector(b * conjugate(a));
}

struct ScriptedPose {
  Vec3<double> position;
  Quat<double> turn;
};

ST_FN ScriptedPose scripted_pose(const MocapView& script, int track, double t) {
  const KnotSpan span = find_span(script, track, t);
  const double* from = script.pose + 7 * span.from;
  const double* to = script.pose + 7 * span.to;
  const Quat<double> start = load_quat(from + 3);
  const Vec3<double> turned = span.share * turn_between(start, load_quat(to + 3));
  return {load3(from) + span.share * (load3(to) - load3(from)), normalise(exp_quat(turned) * start)};
}

/// Linear, then angular velocity of a track during [t, t + h].
ST_FN void scripted_twist(const MocapView& script, int track, double t, double h, Vec3<double>& linear,
                          Vec3<double>& angular) {
  if (!script.has_velocity[track]) {
    const ScriptedPose now = scripted_pose(script, track, t), next = scripted_pose(script, track, t + h);
    linear = (1.0 / h) * (next.position - now.position);
    angular = (1.0 / h) * turn_between(now.turn, next.turn);
    return;
  }
  const KnotSpan span = find_span(script, track, t);
  const double* from = script.velocity + 6 * span.from;
  const double* to = script.velocity + 6 * span.to;
  const double moves = span.outside ? 0.0 : 1.0;
  linear = moves * (load3(from) + span.share * (load3(to) - load3(from)));
  angular = moves * (load3(from + 3) + span.share * (load3(to + 3) - load3(from + 3)));
}

}  // namespace step_detail

/// Writes the poses of scripted bodies at time t [s].
template <class Team, class Real>
ST_FN void place_scripted_bodies(Team team, const MocapView& script, double t, EnvView<Real>& env) {
  team.each(script.num_tracks, [&](int track) {
    const step_detail::ScriptedPose pose = step_detail::scripted_pose(script, track, t);
    Real* out = env.mocap_pose + 7 * script.mocap[track];
    const double values[7] = {pose.position.x, pose.position.y, pose.position.z, pose.turn.w,
                              pose.turn.x,     pose.turn.y,     pose.turn.z};
    for (int i = 0; i < 7; ++i) out[i] = static_cast<Real>(values[i]);
  });
}

/// Writes the velocities of scripted bodies during the step from t to t + h.
template <class Team, class Real>
ST_FN void move_scripted_bodies(Team team, const MocapView& script, double t, double h, EnvView<Real>& env) {
  team.each(script.num_tracks, [&](int track) {
    Vec3<double> linear, angular;
    step_detail::scripted_twist(script, track, t, h, linear, angular);
    Real* out = env.mocap_velocity + 6 * script.mocap[track];
    for (int i = 0; i < 3; ++i) {
      out[i] = static_cast<Real>(linear[i]);
      out[3 + i] = static_cast<Real>(angular[i]);
    }
  });
}

}  // namespace stiction
