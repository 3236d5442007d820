// Friction without torsion that follows the load of its patch within a round.
//
// The rows of a round have the friction of a patch at a point a, but the ECP of their answer is another one, a'. With
// the force f and the load P of the last answer, friction at a' is, to first order, friction at a with a torsion,
//
//   f at a'  ≈  f at a,  and n·((a' − a) × f) about n;    a' − a ≈ Σ p_k (x_k − a) / P                      (1)
//
// that is g_k = n·((x_k − a) × f)/P for every unit of p_k. So row n of point k becomes
//
//   J_n + g_k J_r,   b_n − g_k J_r v                                J_r: the spin about n, v: the last answer   (2)
//
// Where an answer has a' = a, Σ p_k g_k is 0; where its spin is that of the last answer, the gaps are the true ones: so
// both problems have the same answers. Without (2) nothing in a round tells the load where friction needs it: a body
// that two patches hold may turn about the line through their ECPs, and only the place of this line can prevent it.
// Friction with torsion needs no (2): inside its ellipsoid it may act anywhere (held_friction.hpp).
//
//   symbol  variable  shape  unit
//   f       t, o      2      [N s]
//   P       normal    1      [N s]
//   g_k     torsion   1      [m]
#pragma once

#include "kernels/patch/held_friction.hpp"

namespace stiction {

/// True if the friction of a patch has no torsion, and acts.
template <class State, class Real>
ST_FN bool follows_load(const PairSlots<State>& slots, const Contacts<Real>& contacts, const ContactRows& rows,
                        const double* lambda, int slot) {
  if (!has_contacts(slots, contacts, slot) || can_move(slots, contacts, rows, slot)) return false;
  const PatchImpulse f = sum_impulses(slots, contacts, lambda, rows.dimension, slot);
  return f.normal > 0.0 && (f.t != 0.0 || f.o != 0.0);
}

/// True if that is so for any patch.
template <class State, class Real>
ST_FN bool any_follows_load(const PairSlots<State>& slots, const Contacts<Real>& contacts, const ContactRows& rows,
                            const double* lambda) {
  for (int slot = 0; slot < *slots.count; ++slot)
    if (follows_load(slots, contacts, rows, lambda, slot)) return true;
  return false;
}

namespace ecp_detail {

/// Adds `torsion` times the spin of `body` about n, with a sign, to row n of a contact: J of the body's tree, and the
/// offset, which keeps the row's velocity at v. Prescribed dofs spin as they must, so they change nothing.
template <class State, class Real>
ST_FN void add_spin_to_normal(const ModelView<State>& model, const Poses<Real>& poses, const PrescribedDofs& prescribed,
                              int body, const Vec3<Real>& n, double torsion, const double* v, double* J,
                              double* offset) {
  const int tree = model.body_tree[body];
  if (tree < 0) return;
  for (int k = model.body_last_dof[body]; k >= 0; k = model.dof_parent[k]) {
    if (prescribed.chosen && prescribed.chosen[k]) continue;
    const double spin = torsion * static_cast<double>(dot(n, load3(poses.dof_ang + 3 * k)));
    J[k - model.tree_dof_adr[tree]] += spin;
    *offset -= spin * v[k];
  }
}

/// Changes row n of contact `i` by (2).
template <class State, class Real>
ST_FN void follow_point(const ModelView<State>& model, const Poses<Real>& poses, const PrescribedDofs& prescribed,
                        int pair, const Vec3<Real>& n, double torsion, const double* v, int i, ContactRows& rows) {
  const int body_A = model.geom_body[model.pair_geom[2 * pair]],
            body_B = model.geom_body[model.pair_geom[2 * pair + 1]];
  double* J = rows.jacobian + static_cast<std::size_t>(2 * rows.dimension * rows.stride) * i;
  double* offset = &rows.row[i].offset[0];
  add_spin_to_normal(model, poses, prescribed, body_A, n, -torsion, v, J, offset);
  if (model.body_tree[body_A] != model.body_tree[body_B]) J += rows.dimension * rows.stride;
  add_spin_to_normal(model, poses, prescribed, body_B, n, torsion, v, J, offset);
}

}  // namespace ecp_detail

/// Changes the rows n of all patches without torsion by (2). `lambda`: impulses of the last answer at these contacts
/// (max_contacts, dimension); `v`: its velocity (nv); `poses`: those of the rows.
template <class Team, class State, class Real>
ST_FN void follow_loads(Team team, const ModelView<State>& model, const Poses<Real>& poses,
                        const PairSlots<State>& slots, const Contacts<Real>& contacts, const Patches<State>& patches,
                        const PrescribedDofs& prescribed, const double* lambda, const double* v, ContactRows& rows) {
  team.each(*slots.count, [&](int slot) {
    if (!follows_load(slots, contacts, rows, lambda, slot)) return;
    const PatchImpulse f = sum_impulses(slots, contacts, lambda, rows.dimension, slot);
    const Real* frame = contacts.frame + 9 * slots.first[slot];
    const Vec3<Real> n = load3(frame), a = in_precision<Real>(load3(patches.centre + 3 * slot));
    const Vec3<Real> force =
        static_cast<Real>(f.t / f.normal) * load3(frame + 3) + static_cast<Real>(f.o / f.normal) * load3(frame + 6);
    for_each_contact(slots, contacts, slot, [&](int i) {
      const double torsion = static_cast<double>(dot(n, cross(load3(contacts.position + 3 * i) - a, force)));
      ecp_detail::follow_point(model, poses, prescribed, slots.pair[slot], n, torsion, v, i, rows);
    });
  });
}

}  // namespace stiction
