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
};

template <class Real>
ST_FN ResidualScratch<Real> take_residual_scratch(int nv, Arena& arena) {
  const std::size_t n = static_cast<std::size_t>(nv);
  return {arena.take<Real>(n), arena.take<Real>(n)};
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

/// Adds J_sideᵀ λ to `out` if the side acts on `block`.
template <class Real>
ST_FN void add_side_force(const BlockJacobian<Real>& side, int block, int adr, int n, const Real* lambda, int rows,
                          Real* out) {
  if (side.block != block) return;
  ST_ROLLED
  for (int r = 0; r < rows; ++r) {
    ST_ROLLED
    for (int j = 0; j < n; ++j) out[adr + j] += side.J[r * n + j] * lambda[r];
  }
}

template <class Real>
ST_FN void gather_block_force(const ContactProblem<Real>& p, int block, const ContactSolution<Real>& x, Real* out) {
  const int adr = p.block_adr[block], n = p.block_size[block];
  ST_ROLLED
  for (int j = 0; j < n; ++j) out[adr + j] = Real(0);
  ST_ROLLED
  for (int i = 0; i < p.num_contacts; ++i)
    for (int side = 0; side < 2; ++side) {
      const BlockJacobian<Real>& J = p.contacts[i].side[side];
      const Real* lambda = x.lambda + p.dimension * i;
      add_side_force(J, block, adr, n, lambda, 3, out);
      if (p.dimension == 4 && J.block == block)
        for (int j = 0; j < n; ++j) out[adr + j] += J.J[3 * n + j] * lambda[3];
    }
  ST_ROLLED
  for (int r = 0; r < p.num_rows; ++r)
    for (int side = 0; side < 2; ++side) add_side_force(p.rows[r].side[side], block, adr, n, x.row_lambda + r, 1, out);
}

template <class Real>
ST_FN Real largest_entry(const ContactVector<Real>& a) {
  return largest(largest(std::fabs(a.n), std::fabs(a.t)), largest(std::fabs(a.o), std::fabs(a.r)));
}

/// û_i
template <class Real>
ST_PHASE ContactVector<Real> shifted_contact_velocity(const ContactProblem<Real>& p, const FacetTable<Real>& table,
                                                      const ContactRow<Real>& c, const Real* v) {
  ContactVector<Real> u = contact_velocity(p, c, v);
  u.n += c.gap_rate + shift_gap(p.law, table, choose_friction(p, c), u);
  return u;
}

/// ‖λ_i − P_K(λ_i − ρ û_i)‖
template <class Real>
ST_FN Real contact_map(const ContactProblem<Real>& p, const FacetTable<Real>& table, const ContactRow<Real>& c,
                       const ContactVector<Real>& lambda, Real rho, const Real* v) {
  const ContactVector<Real> moved = lambda - rho * shifted_contact_velocity(p, table, c, v);
  return norm(lambda - project_to_cone(table, choose_friction(p, c), moved).point);
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
  team.each(p.num_blocks, [&](int block) {
    multiply_block_H(p, block, x.v, scratch.motion);
    gather_block_force(p, block, x, scratch.contact_force);
  });
  const auto scaled_max = [&](auto entry) {
    return team.max(p.nv, Real(0), [&](int j) { return std::fabs(entry(j)) / p.dof_radius[j]; });
  };
  const Real g_max = scaled_max([&](int j) { return p.g[j]; });
  const Real force_max = scaled_max([&](int j) { return scratch.contact_force[j]; });
  const Real imbalance = scaled_max([&](int j) { return scratch.motion[j] - p.g[j] - scratch.contact_force[j]; });
  const Real epsilon = largest(g_max, p.step_size * Real(1e-3));

  const Real u_contacts =
      team.max(p.num_contacts, Real(0), [&](int i) { return norm(contact_velocity(p, p.contacts[i], x.v)); });
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
    return contact_map(p, table, p.contacts[i], contact_impulse(p, x.lambda, i), rho, x.v);
  }) / force_scale;
  out.row = team.max(p.num_rows, Real(0), [&](int r) {
    const GeneralRow<Real>& row = p.rows[r];
    const Real lambda = x.row_lambda[r] / row.radius;
    const Real u = (row_velocity(p, row, x.v) + row.offset + row.compliance * x.row_lambda[r]) * row.radius;
    return std::fabs(lambda - clamp(lambda - rho * u, row.lower / row.radius, row.upper / row.radius));
  }) / force_scale;
  const Real contact_violation = team.max(p.num_contacts, Real(0), [&](int i) {
    return dual_cone_violation(table, choose_friction(p, p.contacts[i]),
                               shifted_contact_velocity(p, table, p.contacts[i], x.v));
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
