// The residual: the only meaning of "converged" and of `tolerance`. It has no unit, exists for a singular H and knows
// nothing of solvers. Every kinematic tree and every contact is judged by impulses of its own size, so that a ton does
// not hide a gram (docs/adr/0404-a-scale-of-impulses-per-tree.md):
//
//   r_motion  = max_B ‖(H v − g − Jᵀλ)_B/r‖∞ / S_B                                                 (1)
//   r_contact = max_i ‖λ_i − P_K(λ_i − ρ_i û_i)‖ / S_i,  û_i = J_i v + b_i + (φ_i/h + s_i) e_n      (2)
//   r_row     = max_r |λ_r − P_[l,u](λ_r − ρ_r û_r)| / S_r,  û_r = J_r v + b_r + R_r λ_r            (3)
//   S_B = max(‖g_B/r‖∞, ‖(Jᵀλ)_B/r‖∞, κ Λ_B, h · 1 mN)                                             (4)
//   S_i = the smaller S_B of the blocks that i acts on; max(‖λ_i‖∞, h · 1 mN) where it acts on none  (5)
//   u_0 = max(min(max_i ‖u_i‖, u_most), 1 mm/h),  u_i = J_i v + b_i,  ρ_i = S_i/u_0                 (6)
//
//   symbol  variable      unit    note
//   S_B     scale         [N s]   of block B: the impulse that moves it, which is what is left where it is squeezed
//   Λ_B     scale         [N s]   largest entry of an impulse on B; κ = 1e-3 of it is the floor that rounding asks for
//   r       dof_radius    [m]     makes rotation rows [N s]; a general row's `radius` does the same to λ_r and û_r, and
//                                 a contact's to its row of torsion: λ_i, û_i and K_i hold λ_r/a, a û_r and μ_r/a
//   u_0     u_scale       [m/s]   without φ/h, else far gaps buy accuracy; a general row enters with |J_r v|, as its
//                                 offset may be a gap/h. Of a contact without friction u_i is along n alone: what its
//                                 law says nothing of is no measure
//   u_most  most_speed    [m/s]   infinite but where the problem knows how fast an answer has to be
//
// The law gives s_i and μ (shift.hpp, facets.hpp). The primal violation is h times how far û is outside of K*, limits
// and couplings alike [m]: under Coulomb's law and without friction that is how deep the bodies end in one another,
// −(φ/h + n·u) h, under Anitescu's how deep they end in the boundary layer.
#pragma once

#include "kernels/problem/project_to_cone.hpp"
#include "kernels/problem/row_velocity.hpp"
#include "kernels/problem/shift.hpp"
#include "kernels/team/array.hpp"

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
  Array<Real> motion;         // (nv) H v
  Array<Real> contact_force;  // (nv) Jᵀλ
  Array<Real> velocity;       // (contacts, 4) J v + b, then û
  Array<Real> scale;          // (blocks) Λ_B, then S_B
};

template <class Real>
ST_FN ResidualScratch<Real> take_residual_scratch(int nv, int blocks, int contacts, Arena& arena) {
  const std::size_t n = static_cast<std::size_t>(nv);
  return {arena.take<Real>(n), arena.take<Real>(n), arena.take<Real>(4 * static_cast<std::size_t>(contacts)),
          arena.take<Real>(static_cast<std::size_t>(blocks))};
}

/// κ: the net impulse of a body that is squeezed a thousand times harder than it is moved is known no better than this
/// share of the squeeze, in single precision to 1e-4 and in double to 1e-11.
template <class Real>
constexpr Real kShareOfSqueeze = Real(1e-3);
/// h times this is the least scale of impulses [N].
template <class Real>
constexpr Real kLeastForce = Real(1e-3);

template <class Real>
ST_FN Real larger_or_nan(Real a, Real b) {
  return (a >= b || a != a) ? a : b;
}

template <class Real>
ST_FN Real largest_entry(const ContactVector<Real>& a) {
  return larger_or_nan(larger_or_nan(std::fabs(a.n), std::fabs(a.t)), larger_or_nan(std::fabs(a.o), std::fabs(a.r)));
}

/// ‖u_i‖ of what contact i's law speaks of.
template <class Real>
ST_FN Real judged_speed(const Friction<Real>& mu, const ContactVector<Real>& u) {
  return larger_or_nan(mu.mu_t, larger_or_nan(mu.mu_o, mu.mu_r)) > Real(0) ? norm(u) : std::fabs(u.n);
}

/// ‖λ_i − P_K(λ_i − ρ û_i)‖
template <class Real>
ST_FN Real contact_map(const ContactProblem<Real>& p, const FacetTable<Real>& table, int i, const Real* impulses,
                       Real rho, const ContactVector<Real>& u) {
  const ContactVector<Real> lambda = contact_impulse(p, impulses, i);
  return norm(lambda - project_to_cone(table, choose_friction(p, p.contacts[i]), lambda - rho * u).point);
}

namespace residual_detail {

/// (H v)_j: row j of the block that holds it.
template <class Real>
ST_FN void multiply_block_H(const ContactProblem<Real>& p, int block, Pointer<const Real> v, Pointer<Real> out) {
  const int adr = p.block_adr[block], n = p.block_size[block];
  ST_ROLLED
  for (int i = 0; i < n; ++i) {
    Real sum = Real(0);
    ST_ROLLED
    for (int j = 0; j < n; ++j) sum += p.H[block][i * n + j] * v[adr + j];
    out[adr + i] = sum;
  }
}

/// Adds J_sideᵀ λ to scratch.contact_force if the side acts on `block`, or with block < 0 on whatever it acts on; and
/// size(), that of λ, to Λ there.
template <class Real, class Size>
ST_FN void add_side_force(const ContactProblem<Real>& p, const BlockJacobian<Real>& side, int block,
                          Pointer<const Real> lambda, int rows, Size size, ResidualScratch<Real>& scratch) {
  if (side.block < 0 || (block >= 0 && side.block != block)) return;
  const int adr = p.block_adr[side.block], n = p.block_size[side.block];
  scratch.scale[side.block] = larger_or_nan(scratch.scale[side.block], size());
  ST_ROLLED
  for (int r = 0; r < rows; ++r) {
    ST_ROLLED
    for (int j = 0; j < n; ++j) scratch.contact_force[adr + j] += side.J[r * n + j] * lambda[r];
  }
}

/// Adds Jᵀλ and Λ of one block, or with block < 0 of all.
template <class Real>
ST_FN void add_contact_force(const ContactProblem<Real>& p, int block, const ContactSolution<Real>& x,
                             ResidualScratch<Real>& scratch) {
  ST_ROLLED
  for (int i = 0; i < p.num_contacts; ++i) {
    const auto size = [&] { return largest_entry(contact_impulse(p, x.lambda, i)); };
    for (const BlockJacobian<Real>& side : p.contacts[i].side)
      add_side_force(p, side, block, x.lambda + p.dimension * i, p.dimension, size, scratch);
  }
  ST_ROLLED
  for (int r = 0; r < p.num_rows; ++r) {
    const auto size = [&] { return std::fabs(x.row_lambda[r]) / p.rows[r].radius; };
    for (const BlockJacobian<Real>& side : p.rows[r].side)
      add_side_force(p, side, block, x.row_lambda + r, 1, size, scratch);
  }
}

/// contact_force = Jᵀλ, scale = Λ. One lane adds contact by contact, several gather block by block: the same sums in
/// the same order.
template <class Team, class Real>
ST_FN void compute_contact_force(const Team& team, const ContactProblem<Real>& p, const ContactSolution<Real>& x,
                                 ResidualScratch<Real>& scratch) {
  team.each(p.nv, [&](int j) { scratch.contact_force[j] = Real(0); });
  team.each(p.num_blocks, [&](int block) { scratch.scale[block] = Real(0); });
  if constexpr (Team::kLanes == 1)
    add_contact_force(p, -1, x, scratch);
  else
    team.each(p.num_blocks, [&](int block) { add_contact_force(p, block, x, scratch); });
}

/// (4), from Λ; returns what of (1) is of this block.
template <class Real>
ST_FN Real judge_motion(const ContactProblem<Real>& p, int block, ResidualScratch<Real>& scratch) {
  const int adr = p.block_adr[block], end = adr + p.block_size[block];
  Real scale = larger_or_nan(kShareOfSqueeze<Real> * scratch.scale[block], p.step_size * kLeastForce<Real>);
  Real imbalance = Real(0);
  ST_ROLLED
  for (int j = adr; j < end; ++j) {
    const Real force = scratch.contact_force[j];
    scale = larger_or_nan(scale, larger_or_nan(std::fabs(p.g[j]), std::fabs(force)) / p.dof_radius[j]);
    imbalance = larger_or_nan(imbalance, std::fabs(scratch.motion[j] - p.g[j] - force) / p.dof_radius[j]);
  }
  scratch.scale[block] = scale;
  return imbalance / scale;
}

/// (5); `own`: the impulse of what acts on no block.
template <class Real>
ST_FN Real smaller_scale(const ContactProblem<Real>& p, const BlockJacobian<Real> (&side)[2], Pointer<const Real> scale,
                         Real own) {
  const int a = side[0].block, b = side[1].block;
  if (a < 0 && b < 0) return larger_or_nan(own, p.step_size * kLeastForce<Real>);
  const Real of_a = scale[a >= 0 ? a : b], of_b = scale[b >= 0 ? b : a];
  return of_a < of_b ? of_a : of_b;
}

/// J v + b becomes û.
template <class Real>
ST_FN void shift_velocity(const ContactProblem<Real>& p, const FacetTable<Real>& table, int i, Pointer<Real> velocity) {
  const ContactRow<Real>& c = p.contacts[i];
  const ContactVector<Real> u = load_contact(velocity, 4, i);
  velocity[4 * i] += c.gap_rate + shift_gap(p.law, table, choose_friction(p, c), u);
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
  if (open_above) return larger_or_nan(-u, Real(0));
  if (open_below) return larger_or_nan(u, Real(0));
  return Real(0);
}

/// What of (2) is of contact i, whose û is in scratch.velocity.
template <class Real>
ST_FN Real judge_contact(const ContactProblem<Real>& p, const FacetTable<Real>& table, int i,
                         Pointer<const Real> impulses, Real u_scale, const ResidualScratch<Real>& scratch) {
  const Real own = largest_entry(contact_impulse(p, impulses, i));
  const Real scale = smaller_scale(p, p.contacts[i].side, scratch.scale, own);
  return contact_map(p, table, i, impulses, scale / u_scale, load_contact(scratch.velocity.data(), 4, i)) / scale;
}

/// What of (3) is of row r.
template <class Real>
ST_FN Real judge_row(const ContactProblem<Real>& p, int r, const ContactSolution<Real>& x, Real u_scale,
                     const ResidualScratch<Real>& scratch) {
  const GeneralRow<Real>& row = p.rows[r];
  const Real lambda = x.row_lambda[r] / row.radius;
  const Real scale = smaller_scale(p, row.side, scratch.scale, std::fabs(lambda));
  const Real u = (row_velocity(p, row, x.v) + row.offset + row.compliance * x.row_lambda[r]) * row.radius;
  const Real moved = lambda - scale / u_scale * u;
  return std::fabs(lambda - clamp(moved, row.lower / row.radius, row.upper / row.radius)) / scale;
}

}  // namespace residual_detail

/// The residual of (v, λ); `table` is that of shape_cone(p).
template <class Team, class Real>
ST_PHASE Residual<Real> compute_residual(const Team& team, const ContactProblem<Real>& p, const FacetTable<Real>& table,
                                         const ContactSolution<Real>& x, ResidualScratch<Real>& scratch) {
  using namespace residual_detail;
  const auto velocity = [&](int i) { return load_contact(scratch.velocity.data(), 4, i); };
  team.each(p.num_blocks, [&](int block) { multiply_block_H(p, block, x.v, scratch.motion); });
  compute_contact_force(team, p, x, scratch);
  team.each(p.num_contacts,
            [&](int i) { store_contact(scratch.velocity, 4, i, contact_velocity(p, p.contacts[i], x.v)); });
  Residual<Real> out;
  out.motion = team.max(p.num_blocks, Real(0), [&](int block) { return judge_motion(p, block, scratch); });

  const Real u_contacts = team.max(p.num_contacts, Real(0),
                                   [&](int i) { return judged_speed(choose_friction(p, p.contacts[i]), velocity(i)); });
  team.each(p.num_contacts, [&](int i) { shift_velocity(p, table, i, scratch.velocity); });
  const Real u_rows = team.max(p.num_rows, Real(0),
                               [&](int r) { return std::fabs(row_velocity(p, p.rows[r], x.v)) * p.rows[r].radius; });
  const Real u_largest = larger_or_nan(u_contacts, u_rows);
  const Real u_scale = larger_or_nan(u_largest > p.most_speed ? p.most_speed : u_largest, Real(1e-3) / p.step_size);

  out.contact =
      team.max(p.num_contacts, Real(0), [&](int i) { return judge_contact(p, table, i, x.lambda, u_scale, scratch); });
  out.row = team.max(p.num_rows, Real(0), [&](int r) { return judge_row(p, r, x, u_scale, scratch); });
  const Real contact_violation = team.max(p.num_contacts, Real(0), [&](int i) {
    return dual_cone_violation(table, choose_friction(p, p.contacts[i]), velocity(i));
  });
  const Real general_violation = team.max(p.num_rows, Real(0), [&](int r) {
    const GeneralRow<Real>& row = p.rows[r];
    const Real u = row_velocity(p, row, x.v) + row.offset + row.compliance * x.row_lambda[r];
    return row_violation(row, u) * row.radius;
  });
  out.violation = p.step_size * larger_or_nan(contact_violation, general_violation);
  out.objective = team.sum(p.nv, Real(0), [&](int j) { return x.v[j] * (Real(0.5) * scratch.motion[j] - p.g[j]); });
  out.total = larger_or_nan(out.motion, larger_or_nan(out.contact, out.row));
  return out;
}

}  // namespace stiction
