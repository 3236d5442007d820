// A body that is held follows the path of what holds it, not only its tangent.
//
// The solved velocities are those at the step's beginning, but the poses at its end lie on the arcs of all joints. A
// body that a hand of several joints holds would therefore slide in the hand by the difference, which is of second
// order in h, in every step. To prevent this, a free body whose contacts carry load is shifted by
//
//   c = Σ_carried λ_i a_i / Σ_loaded λ_i,   a = X⁺ X⁻¹ p − p − h v_A(p)
//
// where X and X⁺ are the poses of the carrier A before and after the step, p is the body's centre of mass, and v_A(p)
// is the velocity of A there. A contact is carried if A belongs to a tree with joints and the body moves with it:
// ‖J v + b‖ <= ‖v_A‖/8 at the contact. Bodies that roll, slide, fall or lie on other free bodies are left alone.
// Without joints there are no arcs, and scripted bodies have none either.
//
//   symbol  variable  shape              unit
//   λ       lambda    (max_contacts)     impulse along n [N s]
//   a       -         (3)                [m]
#pragma once

#include "kernels/kinematics/free_body.hpp"
#include "kernels/step/readout.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

namespace step_detail {

constexpr double kCarried = 0.125;  // largest sliding speed of a carried contact, as a share of the carrier's speed [-]

/// n·λ of contact i if it carries load, else 0.
template <class Real>
ST_FN Real load_of(const StepScratch<Real>& s, Real h, int i) {
  const Real load = static_cast<Real>(s.solution.lambda[s.contact_rows.dimension * i]);
  return load > h * Real(kLoadedForce) ? load : Real(0);
}

/// J v + b of contact i [m/s].
template <class Real>
ST_FN Vec3<double> contact_velocity(const ModelView<Real>& model, const StepScratch<Real>& s, int i) {
  const double* v = s.solution.v;
  return {axis_velocity(model, s, v, i, 0), axis_velocity(model, s, v, i, 1), axis_velocity(model, s, v, i, 2)};
}

/// Velocity of the point p of `body` in the motion v.
template <class Real>
ST_FN Vec3<Real> point_velocity(const ModelView<Real>& model, const StepScratch<Real>& s, Pointer<const double> v,
                                int body, const Vec3<Real>& p) {
  Vec3<Real> angular, linear;
  body_velocity(model, s.poses, v, body, p, angular, linear);
  return linear;
}

/// True if the bodies of contact i meet only in the course of the step, so that neither carries the other yet.
template <class Real>
ST_FN bool meets_on_its_way(const StepScratch<Real>& s, int i) {
  const Vec3<Real> p = load3(s.contacts.position + 3 * i);
  const Real* arm = s.contacts.arm + 6 * i;
  return norm_squared(load3(arm) - p) + norm_squared(load3(arm + 3) - p) > Real(0);
}

/// Finds the free bodies of contact i, its carrier, and where the carrier's velocity takes the held body's centre.
template <class Real>
ST_FN void mark_carrier(const ModelView<Real>& model, Real h, int i, StepScratch<Real>& s) {
  Carriers<Real>& c = s.carriers;
  const int pair = pair_of_key(s.contacts.key[i]);
  const int body[2] = {model.geom_body[model.pair_geom[2 * pair]], model.geom_body[model.pair_geom[2 * pair + 1]]};
  const int tree[2] = {model.body_tree[body[0]], model.body_tree[body[1]]};
  bool free[2];
  for (int side = 0; side < 2; ++side) {
    free[side] = tree[side] >= 0 && is_free_body(model, tree[side]) &&
                 !is_frozen(s.motion.prescribed, model.tree_dof_adr[tree[side]]);
    c.tree[2 * i + side] = free[side] ? tree[side] : -1;
  }
  c.load[i] = load_of(s, h, i);
  c.carrier[i] = -1;
  if (free[0] == free[1] || !(c.load[i] > Real(0)) || meets_on_its_way(s, i)) return;
  const int held = free[0] ? 0 : 1, by = 1 - held;
  if (tree[by] < 0) return;
  const Vec3<Real> speed = point_velocity(model, s, s.solution.v, body[by], load3(s.contacts.position + 3 * i));
  const Real slide = static_cast<Real>(norm_squared(contact_velocity(model, s, i)));
  if (!(slide <= Real(kCarried * kCarried) * norm_squared(speed))) return;
  const int root = model.dof_body[model.tree_dof_adr[tree[held]]];
  const Vec3<Real> centre =
      load3(s.poses.body_pos + 3 * root) + rotate(load_quat(s.poses.body_quat + 4 * root), free_body_com(model, root));
  const Quat<Real> q = load_quat(s.poses.body_quat + 4 * body[by]);
  c.carrier[i] = body[by];
  store3(c.arm + 3 * i, rotate(conjugate(q), centre - load3(s.poses.body_pos + 3 * body[by])));
  store3(c.tangent + 3 * i, centre + h * point_velocity(model, s, s.taken, body[by], centre));
}

/// The shift c of the free body that is `tree` [m].
template <class Real>
ST_FN Vec3<Real> carried_shift(const StepScratch<Real>& s, int tree) {
  const Carriers<Real>& c = s.carriers;
  Vec3<Real> sum{};
  Real load = Real(0);
  for (int i = 0; i < *s.contacts.count; ++i) {
    if (c.tree[2 * i] != tree && c.tree[2 * i + 1] != tree) continue;
    load += c.load[i];
    if (c.carrier[i] < 0) continue;
    const Vec3<Real> arc = load3(s.next.poses.body_pos + 3 * c.carrier[i]) +
                           rotate(load_quat(s.next.poses.body_quat + 4 * c.carrier[i]), load3(c.arm + 3 * i));
    sum = sum + c.load[i] * (arc - load3(c.tangent + 3 * i));
  }
  return load > Real(0) ? (Real(1) / load) * sum : Vec3<Real>{};
}

}  // namespace step_detail

/// Finds the carriers of all contacts; call it before the bodies move.
template <class Team, class Real>
ST_FN void mark_carriers(Team team, const ModelView<Real>& model, Real h, StepScratch<Real>& s) {
  team.each(*s.contacts.count, [&](int i) { step_detail::mark_carrier(model, h, i, s); });
}

/// Shifts the carried free bodies of the next state and updates its poses.
template <class Team, class Real>
ST_FN void follow_carriers(Team team, const ModelView<Real>& model, const EnvView<Real>& env, StepScratch<Real>& s) {
  const int carried = team.sum(*s.contacts.count, 0, [&](int i) { return s.carriers.carrier[i] >= 0 ? 1 : 0; });
  if (carried == 0) return;
  team.each(model.ntree, [&](int tree) {
    if (!is_free_body(model, tree)) return;
    Real* q = s.next.qpos + model.joint_qpos_adr[model.dof_joint[model.tree_dof_adr[tree]]];
    store3(q, load3(q) + step_detail::carried_shift(s, tree));
  });
  update_poses(team, model, s.next.qpos, env.mocap_pose, s.next.poses);
}

}  // namespace stiction
