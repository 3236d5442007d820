// Force and torque that a body's parent exerts on it: what moves the body and all that hangs on it, less what else
// acts.
//
//   f = Σ_b m_b (a_b − g) − Σ_e f_e
//   τ = Σ_b ((c_b − p) × m_b (a_b − g) + I_b α_b + ω_b × I_b ω_b) − Σ_e ((x_e − p) × f_e + τ_e)        about p
//
// b: the bodies of the subtree; e: contacts, welds and connects, impulses of the scene, applied wrenches, each on a
// body of the subtree. Inner forces of the subtree cancel. (Newton and Euler; Featherstone 2008, table 5.1.)
//   symbol  unit
//   f, τ    [N], [N m], world axes
//   a_b     [m/s²]  of the centre of mass c_b
#pragma once

#include "kernels/contact/general_rows.hpp"
#include "kernels/sensing/sensed.hpp"

namespace stiction {

/// A force, and its torque about the point p.
template <class Real>
struct Wrench {
  Vec3<Real> force, torque;  // [N], [N m]

  ST_FN void add(const Vec3<Real>& f, const Vec3<Real>& arm, const Vec3<Real>& t) {
    force += f;
    torque += cross(arm, f) + t;
  }
};

namespace sensing_detail {

/// Force and torque of contact i on its second geom, world axes.
template <class Real>
ST_FN Wrench<Real> contact_on_second(const EnvView<Real>& env, int i) {
  const Real* frame = env.contact_frame + 9 * i;
  const Real* force = env.contact_force + 3 * i;
  const Vec3<Real> n = load3(frame);
  return {force[0] * n + force[1] * load3(frame + 3) + force[2] * load3(frame + 6), env.contact_torsion[i] * n};
}

template <class Real>
ST_FN void add_contacts(const Sensed<Real>& at, int root, const Vec3<Real>& p, Wrench<Real>& sum) {
  for (int i = 0; i < *at.env.contact_count; ++i) {
    const Wrench<Real> second = contact_on_second(at.env, i);
    const Vec3<Real> arm = load3(at.env.contact_position + 3 * i) - p;
    for (int side = 0; side < 2; ++side) {
      if (!is_below(at.model, at.model.geom_body[at.env.contact_geom[2 * i + side]], root)) continue;
      const Real sign = side == 0 ? Real(-1) : Real(1);
      sum.add(sign * second.force, arm, sign * second.torque);
    }
  }
}

/// Welds and connects of the last step: their impulses are those on the first body, along and about the world's axes.
template <class Real>
ST_FN void add_welds(const Sensed<Real>& at, int root, const Vec3<Real>& p, Wrench<Real>& sum) {
  if (*at.env.warm_count < 0) return;
  const double* lambda = at.env.warm_row_lambda + at.in.weld_row;
  for (int w = 0; w < at.model.nweld; ++w) {
    Real given[6] = {};
    for (int r = 0; r < count_weld_rows(at.model, w); ++r) given[r] = static_cast<Real>(lambda[r] / at.in.step_size);
    lambda += count_weld_rows(at.model, w);
    for (int side = 0; side < 2; ++side) {
      const int i = 2 * w + side, body = at.model.weld_body[i];
      if (!is_below(at.model, body, root)) continue;
      const Real sign = side == 0 ? Real(1) : Real(-1);
      const Vec3<Real> point = load3(at.poses.body_pos + 3 * body) +
                               rotate(load_quat(at.poses.body_quat + 4 * body), load3(at.model.weld_pos + 3 * i));
      sum.add(sign * load3(given), point - p, sign * load3(given + 3));
    }
  }
}

/// Impulses of the scene in the last step.
template <class Real>
ST_FN void add_impulse_forces(const Sensed<Real>& at, int root, const Vec3<Real>& p, Wrench<Real>& sum) {
  const ImpulseView<Real>& impulses = at.in.impulses;
  if (impulses.count == 0) return;
  const int last = step_at(*at.env.time, at.in.step_size) - 1;
  const Real rate = static_cast<Real>(1.0 / at.in.step_size);
  for (int i = 0; i < impulses.count; ++i) {
    const int body = impulses.body[i];
    if (impulses.step[i] != last || !is_below(at.model, body, root)) continue;
    const Vec3<Real> arm = load3(at.poses.body_com + 3 * body) - p;
    sum.add(rate * load3(impulses.value + 6 * i), arm, rate * load3(impulses.value + 6 * i + 3));
  }
}

/// Wrenches that are applied to bodies.
template <class Real>
ST_FN void add_applied(const Sensed<Real>& at, int root, const Vec3<Real>& p, Wrench<Real>& sum) {
  for (int body = root; body < at.model.nbody; ++body) {
    const Real* wrench = at.env.applied_wrench + 6 * body;
    if (is_below(at.model, body, root))
      sum.add(load3(wrench), load3(at.poses.body_com + 3 * body) - p, load3(wrench + 3));
  }
}

}  // namespace sensing_detail

/// f and τ on body `root` from its parent, about p.
template <class Real>
ST_FN Wrench<Real> wrench_from_parent(const Sensed<Real>& at, int root, const Vec3<Real>& p) {
  const ModelView<Real>& model = at.model;
  const Vec3<Real> gravity = load3(model.gravity);
  Wrench<Real> needed = {}, given = {};
  for (int b = root; b < model.nbody; ++b) {
    if (!is_below(model, b, root)) continue;
    const Vec3<Real> com = load3(at.poses.body_com + 3 * b);
    const PointMotion<Real> moves = point_motion(model, at.poses, at.motion, b, com);
    const Vec3<Real> spin = turn_inertia(model, at.poses, b, moves.angular);
    needed.add(model.body_mass[b] * (moves.linear_acc - gravity), com - p,
               turn_inertia(model, at.poses, b, moves.angular_acc) + cross(moves.angular, spin));
  }
  sensing_detail::add_contacts(at, root, p, given);
  sensing_detail::add_welds(at, root, p, given);
  sensing_detail::add_impulse_forces(at, root, p, given);
  sensing_detail::add_applied(at, root, p, given);
  return {needed.force - given.force, needed.torque - given.torque};
}

}  // namespace stiction
