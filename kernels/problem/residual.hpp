// The residual: the only meaning of "converged" and of `tolerance`. It has no unit, exists for a singular H and knows
// nothing of solvers.
//
//   r_motion  = ‖(H v − g − Jᵀλ)/r‖∞ / max(‖g/r‖∞, ‖Jᵀλ/r‖∞, ε)                                   (1)
//   r_contact = max_i ‖λ_i − P_K(λ_i − ρ û_i)‖ / (ρ u_0),  û_i = J_i v + b_i + (φ_i/h + s_i) e_n   (2)
//   r_row     = max_r |λ_r − P_[l,u](λ_r − ρ û_r)| / (ρ u_0),  û_r = J_r v + b_r + R_r λ_r         (3)
//   ε = max(‖g/r‖∞, h · 1 mN),  u_0 = max(max_i ‖J_i v + b_i‖, 1 mm/h),  ρ = max(‖λ‖∞, ε)/u_0
//
//   symbol  variable      unit    note
//   r       dof_radius    [m]     makes rotation rows [N s]; a general row's `radius` does the same to λ_r and û_r, and
//                                 a contact's to its row of torsion: λ_i, û_i and K_i hold λ_r/a, a û_r and μ_r/a
//   u_0     u_scale       [m/s]   without φ/h, else far gaps buy accuracy; a general row enters with |J_r v|, as its
//                                 offset may be a gap/h
//   ρ u_0   force_scale   [N s]
//
// The law gives s_i and μ (shift.hpp, facets.hpp). The primal violation is h times how far û is outside of K*, limits
// and couplings alike [m]: under Coulomb's law and without friction that is how deep the bodies end in one another,
// −(φ/h + n·u) h, under Anitescu's how deep they end in the boundary layer.
#pragma once

#include "kernels/problem/project_to_cone.hpp"
#include "kernels/problem/row_velocity.hpp"
#include "kernels/problem/shift.hpp"

namespace stiction {

template <class Real>
struct Residual {
  Real total;      // max of the parts below: what `tolerance` bounds
  Real motion;     // (1)
  Real contact;    // (2)
  Real row;        // (3)
  Real violation;  // primal violation [m]
  Real objective;  // ½ vᵀHv − gᵀv [J per unit time: N s · m/s]
};

/// Scratch of `compute_residual`.
template <class Real>
struct ResidualScratch {
  Real* motion;         // (nv) H v
  Real* contact_force;  // (nv) Jᵀλ
  Real* velocity;       // (contacts, 4) J v + b, then û
};

template <class Real>
ST_FN ResidualScratch<Real> take_residual_scratch(int nv, int contacts, Arena& arena) {
  const std::size_t n = static_cast<std::size_t>(nv);
  return {arena.take<Real>(n), arena.take<Real>(n), arena.take<Real>(4 * static_cast<std::size_t>(contacts))};
}

namespace residual_detail {

template <class Real>
ST_FN Real largest(Real a, Real b) {
  return (a >= b || a != a) ? a : b;
}

/// (H v)_j: row j of the block that holds it.
template <class Real>
ST_FN void multiply_block_H(const ContactProblem<Real>& p, int block, const Real* v, Real* out) {
  const int adr = p.block_adr[block], n = p.block_size[block];
  ST_ROLLED
  for (int i = 0; i < n; ++i) {
    Real sum = Real(0);
    ST_ROLLED
    for (int j = 0; j < n; ++j) sum += p.H[block][i * n + j] * v[adr + j];
    out[adr + i] = sum;
  }
}

/// Adds J_sideᵀ λ to `out` if the side acts on `block`, or with block < 0 on whatever it acts on.
template <class Real>
ST_FN void add_side_force(const ContactProblem<Real>& p, const BlockJacobian<Real>& side, int block, const Real* lambda,
                          int rows, Real* out) {
  if (side.block < 0 || (block >= 0 && side.block != block)) return;
  const int adr = p.block_adr[side.block], n = p.block_size[side.block];
  ST_ROLLED
  for (int r = 0; r < rows; ++r) {
    ST_ROLLED
    for (int j = 0; j < n; ++j) out[adr + j] += side.J[r * n + j] * lambda[r];
  }
}

/// Adds Jᵀλ of one block, or with block < 0 of all.
template <class Real>
ST_FN void add_contact_force(const ContactProblem<Real>& p, int block, const ContactSolution<Real>& x, Real* out) {
  ST_ROLLED
  for (int i = 0; i < p.num_contacts; ++i)
    for (const BlockJacobian<Real>& side : p.contacts[i].side)
      add_side_force(p, side, block, x.lambda + p.dimension * i, p.dimension, out);
  ST_ROLLED
  for (int r = 0; r < p.num_rows; ++r)
    for (const BlockJacobian<Real>& side : p.rows[r].side) add_side_force(p, side, block, x.row_lambda + r, 1, out);
}

/// out = Jᵀλ. One lane adds contact by contact, several gather block by block: the same sums in the same order.
template <class Team, class Real>
ST_FN void compute_contact_force(const Team& team, const ContactProblem<Real>& p, const ContactSolution<Real>& x,
                                 Real* out) {
  team.each(p.nv, [&](int j) { out[j] = Real(0); });
  if constexpr (Team::kLanes == 1)
    add_contact_force(p, -1, x, out);
  else
    team.each(p.num_blocks, [&](int block) { add_contact_force(p, block, x, out); });
}

template <class Real>
ST_FN Real largest_entry(const ContactVector<Real>& a) {
  return largest(largest(std::fabs(a.n), std::fabs(a.t)), largest(std::fabs(a.o), std::fabs(a.r)));
}

/// J v + b becomes û.
template <class Real>
ST_FN void shift_velocity(const ContactProblem<Real>& p, const FacetTable<Real>& table, int i, Real* velocity) {
  const ContactRow<Real>& c = p.contacts[i];
  const ContactVector<Real> u = load_contact(velocity, 4, i);
  velocity[4 * i] += c.gap_rate + shift_gap(p.law, table, choose_friction(p, c), u);
}

/// ‖λ_i − P_K(λ_i − ρ û_i)‖
template <class Real>
ST_FN Real contact_map(const ContactProblem<Real>& p, const FacetTable<Real>& table, int i, const Real* impulses,
                       Real rho, const ContactVector<Real>& u) {
  const ContactVector<Real> lambda = contact_impulse(p, impulses, i);
  return norm(lambda - project_to_cone(table, choose_friction(p, p.contacts[i]), lambda - rho * u).point);
}

template <class Real>
ST_FN Real clamp(Real x, Real low, Real high) {
  return x < low ? low : (x > high ? high : x);
}

/// A row without an upper bound must not be negative, one without a lower bound not positive [velocity].
template <class Real>
ST_FN Real row_violation(const GeneralRow<Real>& row, Real u) {
  const bool open_above = std::isinf(row.upper), open_below = std::isinf(row.lower);
  if (open_above && open_below) return std::fabs(u);
  if (open_above) return largest(-u, Real(0));
  if (open_below) return largest(u, Real(0));
  return Real(0);
}

}  // namespace residual_detail

/// The residual of (v, λ); `table` is that of shape_cone(p).
template <class Team, class Real>
ST_PHASE Residual<Real> compute_residual(const Team& team, const ContactProblem<Real>& p, const FacetTable<Real>& table,
                                         const ContactSolution<Real>& x, const ResidualScratch<Real>& scratch) {
  using namespace residual_detail;
  const auto velocity = [&](int i) { return load_contact(scratch.velocity, 4, i); };
  team.each(p.num_blocks, [&](int block) { multiply_block_H(p, block, x.v, scratch.motion); });
  compute_contact_force(team, p, x, scratch.contact_force);
  team.each(p.num_contacts,
            [&](int i) { store_contact(scratch.velocity, 4, i, contact_velocity(p, p.contacts[i], x.v)); });
  const auto scaled_max = [&](auto entry) {
    return team.max(p.nv, Real(0), [&](int j) { return std::fabs(entry(j)) / p.dof_radius[j]; });
  };
  const Real g_max = scaled_max([&](int j) { return p.g[j]; });
  const Real force_max = scaled_max([&](int j) { return scratch.contact_force[j]; });
  const Real imbalance = scaled_max([&](int j) { return scratch.motion[j] - p.g[j] - scratch.contact_force[j]; });
  const Real epsilon = largest(g_max, p.step_size * Real(1e-3));

  const Real u_contacts = team.max(p.num_contacts, Real(0), [&](int i) { return norm(velocity(i)); });
  team.each(p.num_contacts, [&](int i) { shift_velocity(p, table, i, scratch.velocity); });
  const Real u_rows = team.max(p.num_rows, Real(0),
                               [&](int r) { return std::fabs(row_velocity(p, p.rows[r], x.v)) * p.rows[r].radius; });
  const Real u_scale = largest(largest(u_contacts, u_rows), Real(1e-3) / p.step_size);
  const Real lambda_contacts =
      team.max(p.num_contacts, Real(0), [&](int i) { return largest_entry(contact_impulse(p, x.lambda, i)); });
  const Real lambda_rows =
      team.max(p.num_rows, Real(0), [&](int r) { return std::fabs(x.row_lambda[r]) / p.rows[r].radius; });
  const Real force_scale = largest(largest(lambda_contacts, lambda_rows), epsilon);
  const Real rho = force_scale / u_scale;

  Residual<Real> out;
  out.motion = imbalance / largest(largest(g_max, force_max), epsilon);
  out.contact = team.max(p.num_contacts, Real(0), [&](int i) {
    return contact_map(p, table, i, x.lambda, rho, velocity(i));
  }) / force_scale;
  out.row = team.max(p.num_rows, Real(0), [&](int r) {
    const GeneralRow<Real>& row = p.rows[r];
    const Real lambda = x.row_lambda[r] / row.radius;
    const Real u = (row_velocity(p, row, x.v) + row.offset + row.compliance * x.row_lambda[r]) * row.radius;
    return std::fabs(lambda - clamp(lambda - rho * u, row.lower / row.radius, row.upper / row.radius));
  }) / force_scale;
  const Real contact_violation = team.max(p.num_contacts, Real(0), [&](int i) {
    return dual_cone_violation(table, choose_friction(p, p.contacts[i]), velocity(i));
  });
  const Real general_violation = team.max(p.num_rows, Real(0), [&](int r) {
    const GeneralRow<Real>& row = p.rows[r];
    const Real u = row_velocity(p, row, x.v) + row.offset + row.compliance * x.row_lambda[r];
    return row_violation(row, u) * row.radius;
  });
  out.violation = p.step_size * largest(contact_violation, general_violation);
  out.objective = team.sum(p.nv, Real(0), [&](int j) { return x.v[j] * (Real(0.5) * scratch.motion[j] - p.g[j]); });
  out.total = largest(out.motion, largest(out.contact, out.row));
  return out;
}

}  // namespace stiction
