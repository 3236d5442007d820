// Contacts -> rows of the contact problem.
//
//   J_i v + b_i = R_i (v_B(p) − v_A(p))     R_i rows n, t, o; p the midpoint of the witnesses; n from A to B
//   row r       = n·(ω_B − ω_A)             in problems with torsion, `dimension` 4; empty where μ_r = 0
//
// b_i is the part of the relative velocity that is given: that of scripted bodies and of prescribed dofs
// (prescribed_motion.hpp). Both bodies feel the same force at p with opposite sign, so action equals reaction also for
// a contact across a gap. The blocks are kinematic trees; a contact within one tree has one side. If a pair meets later
// in the step, each side has its own p: the meeting point less the motion of that side's joints until then
// (contacts.arm).
//
//   symbol  variable         shape            unit
//   J_i     jacobian         (2, dimension, n_tree)   [-], [m]; row r [rad/s per unit of velocity]
//   φ_i/h   gap_rate         1                [m/s]
//   a_i     radius           1                [m], the least dof_radius of the rotations that move either body
#pragma once

#include "kernels/collision/contacts.hpp"
#include "kernels/collision/friction.hpp"
#include "kernels/contact/gap_rule.hpp"
#include "kernels/contact/unmoved_rows.hpp"
#include "kernels/kinematics/poses.hpp"
#include "kernels/problem/contact_problem.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

/// Largest number of dofs of one tree.
template <class Real>
ST_FN int largest_tree(const ModelView<Real>& model) {
  int largest = 0;
  for (int t = 0; t < model.ntree; ++t) largest = model.tree_dof_num[t] > largest ? model.tree_dof_num[t] : largest;
  return largest;
}

/// Component `axis` (n, t, o) of J v + b of a contact [m/s], for velocities v (nv).
template <class Real, class Number>
ST_FN double axis_velocity(const ModelView<Real>& model, const ContactRow<double>& row, const Number* v, int axis) {
  double velocity = row.offset[axis];
  for (const BlockJacobian<double>& side : row.side) {
    if (side.block < 0) continue;
    const int first = model.tree_dof_adr[side.block], n = model.tree_dof_num[side.block];
    for (int k = 0; k < n; ++k) velocity += side.J[axis * n + k] * static_cast<double>(v[first + k]);
  }
  return velocity;
}

struct ContactRows {
  Array<ContactRow<double>> row;  // (max_contacts)
  Array<double> jacobian;         // two sides of dimension x stride each (max_contacts, 2, dimension * stride)
  int stride;                     // dofs of the largest tree
  int dimension;                  // rows of a contact: 3, or 4 with torsion
};

template <class Real>
ST_FN ContactRows take_contact_rows(const ModelView<Real>& model, const Capacity& capacity, int dimension,
                                    Arena& arena) {
  ContactRows rows;
  rows.stride = largest_tree(model);
  rows.dimension = dimension;
  rows.row = arena.take<ContactRow<double>>(capacity.max_contacts);
  rows.jacobian = arena.take<double>(static_cast<std::size_t>(2 * dimension * rows.stride) * capacity.max_contacts);
  return rows;
}

namespace contact_detail {

/// The points of one body at which a contact acts: along n, and along t and o [m].
template <class Real>
struct ContactArms {
  Vec3<Real> normal, friction;
  bool apart;  // false: both are the same point
};

/// The arms of contact i on its first body (side 0) or its second.
template <bool kPatches, class Real>
ST_FN ContactArms<Real> arms_of(const Contacts<Real>& contacts, int i, int side) {
  const Vec3<Real> p = load3(contacts.arm + 6 * i + 3 * side);
  if (!kPatches || !contacts.friction_arm) return {p, p, false};
  return {p, load3(contacts.friction_arm + 6 * i + 3 * side), true};
}

/// Adds sign · R · (translational Jacobian of the arms on `body`) to J (3, n_tree).
template <class Stored, class Real>
ST_FN void add_side(const ModelView<Stored>& model, const Poses<Real>& poses, int body, const ContactArms<Real>& at,
                    const Real* frame, Real sign, double* J) {
  const int tree = model.body_tree[body];
  const int first = model.tree_dof_adr[tree], n = model.tree_dof_num[tree];
  for (int k = model.body_last_dof[body]; k >= 0; k = model.dof_parent[k]) {
    const Vec3<Real> velocity = sign * dof_point_velocity(poses, k, at.normal);
    const Vec3<Real> slip = at.apart ? sign * dof_point_velocity(poses, k, at.friction) : velocity;
    for (int axis = 0; axis < 3; ++axis)
      J[axis * n + k - first] += static_cast<double>(dot(load3(frame + 3 * axis), axis == 0 ? velocity : slip));
  }
}

/// Adds the row r, sign · n·(angular velocity of `body`), to J (4, n_tree), and lowers `radius` to the least dof_radius
/// of the dofs that rotate the body [m].
template <class Stored, class Real>
ST_FN void add_spin(const ModelView<Stored>& model, const Poses<Real>& poses, int body, const Vec3<Real>& normal,
                    Real sign, double* J, double* radius) {
  const int tree = model.body_tree[body];
  const int first = model.tree_dof_adr[tree], n = model.tree_dof_num[tree];
  for (int k = model.body_last_dof[body]; k >= 0; k = model.dof_parent[k]) {
    const Vec3<Real> axis = load3(poses.dof_ang + 3 * k);
    J[3 * n + k - first] += static_cast<double>(sign * dot(normal, axis));
    const double length = static_cast<double>(model.dof_radius[k]);
    if (norm_squared(axis) > Real(0) && (!(*radius > 0.0) || length < *radius)) *radius = length;
  }
}

/// Adds b = sign · R · (velocity at the arms of the script that moves `body`) to `offset` (4); its entry r is the
/// angular velocity about n.
template <class Stored, class Real>
ST_FN void add_scripted_offset(const ModelView<Stored>& model, const Poses<Real>& poses, int body,
                               const ContactArms<Real>& at, const Real* frame, Real sign, double* offset) {
  Vec3<Real> angular, linear, slip;
  scripted_velocity(model, poses, body, at.normal, angular, linear);
  slip = linear;
  if (at.apart) scripted_velocity(model, poses, body, at.friction, angular, slip);
  for (int axis = 0; axis < 3; ++axis)
    offset[axis] += static_cast<double>(sign * dot(load3(frame + 3 * axis), axis == 0 ? linear : slip));
  offset[3] += static_cast<double>(sign * dot(load3(frame), angular));
}

/// Takes prescribed dofs out of a finished row. A tree without other dofs then acts like a scripted body.
template <class Real>
ST_FN void prescribe_contact(const ModelView<Real>& model, const PrescribedDofs& prescribed, Real h, int rows,
                             double* J_A, double* J_B, ContactRow<double>& row) {
  if (!prescribed.chosen) return;
  const bool A_acts = move_columns_to_offset(model, prescribed, row.side[0].block, rows, J_A, row.offset);
  const bool B_acts = move_columns_to_offset(model, prescribed, row.side[1].block, rows, J_B, row.offset);
  if (!A_acts) row.side[0].block = -1;
  if (!B_acts) row.side[1].block = -1;
  if (!A_acts && !B_acts) settle_prescribed_contact(h, row);
}

template <class Stored, class Real>
ST_FN double asked_gap(const GapRule<Stored>& rule, Real gap) {
  return GapRule<Real>{Real(rule.target), rule.share}.of_gap(gap);
}

template <bool kPatches, class Stored, class Real>
ST_FN void build_contact_row(const ModelView<Stored>& model, const Poses<Real>& poses, const Contacts<Real>& contacts,
                             const PrescribedDofs& prescribed, Stored h, const GapRule<Stored>& rule, int i,
                             ContactRows& out) {
  const int pair = pair_of_key(contacts.key[i]);
  const int body_A = model.geom_body[model.pair_geom[2 * pair]];
  const int body_B = model.geom_body[model.pair_geom[2 * pair + 1]];
  const int tree_A = model.body_tree[body_A], tree_B = model.body_tree[body_B];
  const ContactArms<Real> at_A = arms_of<kPatches>(contacts, i, 0), at_B = arms_of<kPatches>(contacts, i, 1);
  const Real* frame = contacts.frame + 9 * i;
  const int rows = out.dimension;
  double* J_A = out.jacobian + static_cast<std::size_t>(2 * rows * out.stride) * i;
  double* J_B = tree_A == tree_B ? J_A : J_A + rows * out.stride;
  if (tree_A >= 0)
    for (int j = 0; j < rows * model.tree_dof_num[tree_A]; ++j) J_A[j] = 0.0;
  if (tree_B >= 0 && tree_B != tree_A)
    for (int j = 0; j < rows * model.tree_dof_num[tree_B]; ++j) J_B[j] = 0.0;
  if (tree_A >= 0) add_side(model, poses, body_A, at_A, frame, Real(-1), J_A);
  if (tree_B >= 0) add_side(model, poses, body_B, at_B, frame, Real(1), J_B);

  ContactRow<double>& row = out.row[i];
  row.side[0] = {tree_A, J_A};
  row.side[1] = {tree_B == tree_A ? -1 : tree_B, J_B};
  row.gap_rate = asked_gap(rule, contacts.gap[i]) / static_cast<double>(h);
  for (double& offset : row.offset) offset = 0.0;
  add_scripted_offset(model, poses, body_A, at_A, frame, Real(-1), row.offset);
  add_scripted_offset(model, poses, body_B, at_B, frame, Real(1), row.offset);
  const PairFriction<Stored> mu = pair_friction(model, pair);
  row.mu_t = static_cast<double>(mu.t);
  row.mu_o = static_cast<double>(mu.o);
  const Real mu_r =
      kPatches && contacts.torsion_radius ? Real(0.5) * Real(mu.t + mu.o) * contacts.torsion_radius[i] : Real(mu.r);
  row.mu_r = static_cast<double>(mu_r);
  row.radius = 0.0;
  const bool twists = rows == 4 && mu_r > Real(0);  // else the row stays empty
  if (twists && tree_A >= 0) add_spin(model, poses, body_A, load3(frame), Real(-1), J_A, &row.radius);
  if (twists && tree_B >= 0) add_spin(model, poses, body_B, load3(frame), Real(1), J_B, &row.radius);
  if (!twists) row.offset[3] = 0.0;
  if (!(row.radius > 0.0)) row.radius = 1.0;  // nothing turns: any length will do
  drop_frozen_columns(model, prescribed, row.side[0].block, rows, J_A);
  drop_frozen_columns(model, prescribed, row.side[1].block, rows, J_B);
  if (is_unmoved<Stored>(model, row)) release_contact(h, row);
  prescribe_contact(model, prescribed, h, rows, J_A, J_B, row);
}

}  // namespace contact_detail

/// Writes one row per contact. Without kPatches it holds no code of contact patches, and there must be none. Poses and
/// contacts may have a higher precision than the model.
template <bool kPatches, class Team, class Stored, class Real>
ST_FN void build_contact_rows(Team team, const ModelView<Stored>& model, const Poses<Real>& poses,
                              const Contacts<Real>& contacts, const PrescribedDofs& prescribed, Stored h,
                              const GapRule<Stored>& rule, ContactRows& out) {
  team.each(*contacts.count, [&](int i) {
    contact_detail::build_contact_row<kPatches>(model, poses, contacts, prescribed, h, rule, i, out);
  });
}

}  // namespace stiction
