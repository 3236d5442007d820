// Friction that may act elsewhere on its patch, with the same wrench.
//
// The friction f = (f_t, f_o, τ) of a patch acts at x; its ECP a is another point of the same plane. As x − a and the
// force lie in that plane,
//
//   f at x  =  f' at a,   f' = (f_t, f_o, τ + n·((x − a) × (f_t t + f_o o)))                                (1)
//
// so an answer with friction at x is one with friction at a, with the same motion and momentum. It solves the problem
// with friction at a, too, if f' is inside its ellipsoid and nothing slides. Shares of the points are those of their
// load, λ_k = (p_k, p_k f' / Σ p_k), as in the sums of kernels/patch/patches.hpp.
//
//   symbol  variable  shape  unit
//   f       t, o, r   3      [N s], [N s], [N m s]
//   x, a    -         3      [m]
#pragma once

#include "kernels/contact/contact_rows.hpp"
#include "kernels/patch/patches.hpp"

namespace stiction {

/// The impulses of a patch; without load, `normal` is 0.
struct PatchImpulse {
  double normal = 0.0, t = 0.0, o = 0.0, r = 0.0;
};

/// Friction with more than this share of what it may have slides [-].
constexpr double kHeld = 0.999;

/// True if the friction of a patch has torsion, so that it can move.
template <class State, class Real>
ST_FN bool can_move(const PairSlots<State>& slots, const Contacts<Real>& contacts, const ContactRows& rows, int slot) {
  return rows.dimension == 4 && has_contacts(slots, contacts, slot) && rows.row[slots.first[slot]].mu_r > 0.0;
}

/// Sums the impulses of a patch, whose contacts have 3 rows, or 4 with torsion.
template <class State, class Real>
ST_FN PatchImpulse sum_impulses(const PairSlots<State>& slots, const Contacts<Real>& contacts, const double* lambda,
                                int rows, int slot) {
  PatchImpulse sum;
  for_each_contact(slots, contacts, slot, [&](int i) {
    const double* l = lambda + rows * i;
    sum.normal += larger(l[0], 0.0);
    sum.t += l[1], sum.o += l[2], sum.r += rows == 4 ? l[3] : 0.0;
  });
  return sum;
}

/// True if the friction of a patch can move, and is inside its ellipsoid: then it does not matter where it acts.
template <class State, class Real>
ST_FN bool is_held(const PairSlots<State>& slots, const Contacts<Real>& contacts, const ContactRows& rows,
                   const double* lambda, int slot) {
  if (!can_move(slots, contacts, rows, slot)) return false;
  const PatchImpulse f = sum_impulses(slots, contacts, lambda, 4, slot);
  const ContactRow<double>& row = rows.row[slots.first[slot]];
  const double t = f.t / row.mu_t, o = f.o / row.mu_o, r = f.r / row.mu_r, most = kHeld * f.normal;
  return t * t + o * o + r * r < most * most;
}

/// Moves the friction of all patches in `lambda` from where their rows have it to their ECPs.
template <class Team, class State, class Real>
ST_FN void move_friction(Team team, const PairSlots<State>& slots, const Contacts<Real>& contacts,
                         const ContactRows& rows, const Patches<State>& patches, double* lambda) {
  team.each(*slots.count, [&](int slot) {
    if (!can_move(slots, contacts, rows, slot)) return;
    const PatchImpulse f = sum_impulses(slots, contacts, lambda, 4, slot);
    if (!(f.normal > 0.0)) return;
    const Real* frame = contacts.frame + 9 * slots.first[slot];
    const Vec3<Real> arm =
        in_precision<Real>(load3(patches.centre + 3 * slot)) - find_centre(slots, contacts, lambda, 4, slot);
    const Vec3<Real> force = static_cast<Real>(f.t) * load3(frame + 3) + static_cast<Real>(f.o) * load3(frame + 6);
    const double torsion = f.r + static_cast<double>(dot(load3(frame), cross(arm, force)));
    for_each_contact(slots, contacts, slot, [&](int i) {
      double* l = lambda + 4 * i;
      const double share = larger(l[0], 0.0) / f.normal;
      l[1] = share * f.t, l[2] = share * f.o, l[3] = share * torsion;
    });
  });
}

}  // namespace stiction
