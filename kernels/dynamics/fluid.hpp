// Drag of air or water on every body, as on the box that has its mass and moments (MuJoCo's inertia-box model).
//
//   b_i² = 6 (I_j + I_k − I_i)/m,   d = (b_1 + b_2 + b_3)/3                     principal axes at the centre of mass
//   force    −B_i u_i,   B_i = 3 π d β + ρ b_j b_k |u_i|/2                      u = v − wind, v: of the centre of mass
//   torque   −B_i ω_i,   B_i = π d³ β + ρ b_i (b_j⁴ + b_k⁴) |ω_i|/64
//   H += h Jᵀ B J,   g += h Jᵀ B wind                                           |u|, |ω|: at the start of the step
//
// B is that of the start, u and ω are those of the end: drag takes energy from the step, however long it is, and a body
// that nothing else pushes slows down as u/(1 + h B u/m), which is exact.
//
//   symbol   variable   shape   unit
//   ρ, β     fluid      2       density [kg/m³], viscosity [Pa s]
//   wind     fluid + 2  3       [m/s], world axes
//   B        Drag       6       [kg/s], [N m s]
#pragma once

#include "kernels/dynamics/motion_terms.hpp"

namespace stiction {

namespace dynamics_detail {

/// Drag of one body per velocity, along and about its principal axes.
template <class Real>
struct Drag {
  Mat3<Real> axes;             // principal axes as columns, world
  Vec3<Real> linear, angular;  // B
};

/// Sides of the box [m].
template <class Real>
ST_FN Vec3<Real> box_of_inertia(Real mass, const Vec3<Real>& I) {
  const auto side = [&](Real squared) { return std::sqrt(larger(squared, Real(1e-15)) / mass * Real(6)); };
  return {side(I.y + I.z - I.x), side(I.x + I.z - I.y), side(I.x + I.y - I.z)};
}

/// B at linear velocity u through the fluid [m/s] and spin w [rad/s], both in principal axes.
template <class Real>
ST_FN void drag_of_box(const Real* fluid, const Vec3<Real>& b, const Vec3<Real>& u, const Vec3<Real>& w,
                       Drag<Real>& drag) {
  constexpr Real kPi = Real(3.14159265358979323846);
  const Real density = fluid[0], viscosity = fluid[1], d = (b.x + b.y + b.z) / Real(3);
  const auto fourth = [](Real a) { return a * a * a * a; };
  const auto push = [&](Real area, Real speed) {
    return Real(3) * kPi * d * viscosity + Real(0.5) * density * area * std::fabs(speed);
  };
  const auto turn = [&](Real length, Real p, Real q, Real rate) {
    return kPi * d * d * d * viscosity + density * length * (fourth(p) + fourth(q)) * std::fabs(rate) / Real(64);
  };
  drag.linear = {push(b.y * b.z, u.x), push(b.x * b.z, u.y), push(b.x * b.y, u.z)};
  drag.angular = {turn(b.x, b.y, b.z, w.x), turn(b.y, b.x, b.z, w.y), turn(b.z, b.x, b.y, w.z)};
}

template <class Real>
ST_FN Vec3<Real> scaled_each(const Vec3<Real>& a, const Vec3<Real>& b) {
  return {a.x * b.x, a.y * b.y, a.z * b.z};
}

/// Velocity of the centre of mass of body b, and its spin, in its principal axes, per unit of dof k.
template <class Real>
ST_FN Spatial<Real> column_in_axes(const Poses<Real>& poses, const Mat3<Real>& axes, const Vec3<Real>& com, int k) {
  return {transpose_mul(axes, load3(poses.dof_ang + 3 * k)), transpose_mul(axes, dof_point_velocity(poses, k, com))};
}

/// Adds the drag of body b to H and g.
template <class Real>
ST_FN void add_drag(const ModelView<Real>& model, const Poses<Real>& poses, const MotionInputs<Real>& in, int b,
                    MotionTerms<Real>& terms) {
  const Vec3<Real> com = load3(poses.body_com + 3 * b);
  Drag<Real> drag;
  drag.axes = to_matrix(load_quat(poses.body_quat + 4 * b) * load_quat(model.body_iquat + 4 * b));
  const Vec3<Real> wind = transpose_mul(drag.axes, load3(model.fluid + 2));
  Spatial<Real> moves{{}, Real(-1) * wind};
  for (int k = model.body_last_dof[b]; k >= 0; k = model.dof_parent[k])
    moves += in.qvel[k] * column_in_axes(poses, drag.axes, com, k);
  drag_of_box(model.fluid, box_of_inertia(model.body_mass[b], load3(model.body_inertia + 3 * b)), moves.lin, moves.ang,
              drag);
  for (int k = model.body_last_dof[b]; k >= 0; k = model.dof_parent[k]) {
    const Spatial<Real> column = column_in_axes(poses, drag.axes, com, k);
    const Spatial<Real> force{in.step_size * scaled_each(drag.angular, column.ang),
                              in.step_size * scaled_each(drag.linear, column.lin)};
    terms.g[k] += static_cast<double>(dot(force.lin, wind));
    for (int i = model.body_last_dof[b]; i >= 0; i = model.dof_parent[i])
      entry(model, terms, k, i) += static_cast<double>(dot(force, column_in_axes(poses, drag.axes, com, i)));
  }
}

}  // namespace dynamics_detail

/// Adds the drag of all bodies of every tree to H and g, if the model has a fluid.
template <class Team, class Real>
ST_FN void add_fluid(Team team, const ModelView<Real>& model, const Poses<Real>& poses, const MotionInputs<Real>& in,
                     MotionTerms<Real>& terms) {
  if (!(model.fluid[0] > Real(0) || model.fluid[1] > Real(0))) return;
  team.each(model.ntree, [&](int tree) {
    for (int b = model.dof_body[model.tree_dof_adr[tree]]; b < model.nbody && model.body_tree[b] == tree; ++b)
      if (model.body_mass[b] > Real(1e-15)) dynamics_detail::add_drag(model, poses, in, b, terms);
  });
}

}  // namespace stiction
