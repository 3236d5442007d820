// Static and kinetic friction of a pair of materials (Miller and Christensen 2003, (13)):
//
//   μ = μ_s if |Δv| < s_t, else μ_k      Δv: J v + b with the velocity v at the start of the step, all three rows
//
// The coefficient is chosen before the step is solved, so that the step stays one contact problem. What sticks has
// Δv = 0 to rounding, so that any positive s_t tells it from what slides. Steps without momentum forget v and have μ_s.
//
//   symbol  variable         shape    unit
//   μ_k     pair_kinetic     (npair)  [-]; negative: the pair has μ_s at any speed
//   s_t     threshold_speed  1        [m/s]
#pragma once

#include "kernels/contact/contact_rows.hpp"

namespace stiction {

namespace contact_detail {

/// |J v + b|² of the first three rows of a contact [m²/s²].
template <class Real>
ST_FN double speed_squared(const ModelView<Real>& model, const ContactRow<double>& row, Pointer<const Real> qvel) {
  double sum = 0.0;
  for (int axis = 0; axis < 3; ++axis) {
    const double speed = axis_velocity(model, row, qvel, axis);
    sum += speed * speed;
  }
  return sum;
}

}  // namespace contact_detail

/// True if pair has a kinetic coefficient of its own.
template <class Real>
ST_FN bool has_kinetic_friction(const ModelView<Real>& model, int pair) {
  return model.pair_kinetic[pair] >= Real(0);
}

/// Gives contacts whose sides move past each other at `threshold` [m/s] or faster their kinetic friction. `qvel`: where
/// the step begins (nv).
template <class Team, class Stored, class Real>
ST_FN void choose_kinetic_friction(Team team, const ModelView<Stored>& model, Pointer<const Stored> qvel,
                                   Stored threshold, const Contacts<Real>& contacts, ContactRows& rows) {
  const double least = static_cast<double>(threshold);
  team.each(*contacts.count, [&](int i) {
    const int pair = pair_of_key(contacts.key[i]);
    if (!has_kinetic_friction(model, pair)) return;
    ContactRow<double>& row = rows.row[i];
    if (contact_detail::speed_squared(model, row, qvel) < least * least) return;
    const double mu = static_cast<double>(model.pair_kinetic[pair]);
    if (row.mu_t > mu) row.mu_t = mu;  // a contact that nothing moves has none
    if (row.mu_o > mu) row.mu_o = mu;
    if (contacts.torsion_radius) row.mu_r = mu * static_cast<double>(contacts.torsion_radius[i]);
  });
}

}  // namespace stiction
