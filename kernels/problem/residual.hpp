// The residual: the only meaning of "converged" and of `tolerance`. It has no unit, exists for a singular H and does
// not depend on the solver. Every kinematic tree and every contact is measured against impulses of its own size, so
// that the error of a gram does not vanish beside a ton (docs/adr/0404-a-scale-of-impulses-per-tree.md):
//
//   r_motion  = max_B ‖(H v − g − Jᵀλ)_B/r‖∞ / S_B                                                 (1)
//   r_contact = max_i ‖λ_i − P_K(λ_i − ρ_i û_i)‖ / S_i,  û_i = J_i v + b_i + (φ_i/h + s_i) e_n      (2)
//   r_row     = max_r |λ_r − P_[l,u](λ_r − ρ_r û_r)| / S_r,  û_r = J_r v + b_r + R_r λ_r            (3)
//   S_B = max(‖g_B/r‖∞, ‖(Jᵀλ)_B/r‖∞, κ Λ_B, h · 1 mN)                                             (4)
//   S_i = the smaller S_B of the blocks that i acts on; max(‖λ_i‖∞, h · 1 mN) if it acts on none     (5)
//   u_0 = max(min(max_i ‖u_i‖, u_most), 1 mm/h),  u_i = J_i v + b_i,  ρ_i = S_i/u_0                 (6)
//
//   symbol  variable      unit    note
//   S_B     scale         [N s]   scale of block B: the net impulse that moves it, after opposite impulses cancel
//   Λ_B     scale         [N s]   largest entry of an impulse on B; rounding makes κ = 1e-3 of it a lower bound of S_B
//   r       dof_radius    [m]     gives rotation rows the unit [N s]; a general row's `radius` does so for λ_r and û_r,
//                                 and a contact's for its torsion row: λ_i, û_i and K_i hold λ_r/a, a û_r and μ_r/a
//   u_0     u_scale       [m/s]   does not contain φ/h, or large gaps would loosen the measure; a general row counts
//                                 with |J_r v|, because its offset may be a gap/h. For a contact without friction only
//                                 the component of u_i along n counts: its law does not restrict the others
//   u_most  most_speed    [m/s]   infinite, unless the problem knows how fast an answer may be
//
// The law gives s_i and μ (shift.hpp, facets.hpp). The primal violation is h times the distance of û from K*, and the
// like for limits and couplings [m]. Under Coulomb's law and without friction that is how deep the bodies overlap at
// the end of the step, −(φ/h + n·u) h; under Anitescu's law it is how deep they end in the boundary layer.
#pragma once

#include "kernels/problem/cone.hpp"
#include "kernels/problem/row_velocity.hpp"
#include "kernels/problem/shift.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

template <class Real>
struct Residual {
  Real total;      // largest of motion, contact and row: `tolerance` bounds it
  Real motion;     // (1)
  Real contact;    // (2)
  Real row;        // (3)
  Real violation;  // primal violation [m]
  Real objective;  // ½ vᵀHv − gᵀv [J per unit time: N s · m/s]
};

/// The groups (contacts, then rows) that touch every block, where a solver has listed them: those of block b are
/// source[k] >> 2 with their side source[k] & 1, for k from start[slot[b]] to start[slot[b] + 1] − 1, in their order.
struct TouchingGroups {
  const int* dof_block = nullptr;  // (nv) block of a dof; null: nothing is listed
  const int* slot = nullptr;       // (blocks)
  const int* start = nullptr;
  const int* source = nullptr;
};

/// Scratch of `compute_residual`.
template <class Real>
struct ResidualScratch {
  Array<Real> motion;         // (nv) H v
  Array<Real> contact_force;  // (nv) Jᵀλ
  Array<Real> velocity;       // (contacts, 4) J v + b, then û
  Array<Real> row_velocity;   // (rows) J_r v
  Array<Real> scale;          // (blocks) Λ_B, then S_B
  TouchingGroups touching = {};
};

template <class Real>
ST_FN ResidualScratch<Real> take_residual_scratch(int nv, int blocks, int contacts, int rows, Arena& arena) {
  const std::size_t n = static_cast<std::size_t>(nv);
  return {arena.take<Real>(n), arena.take<Real>(n), arena.take<Real>(4 * static_cast<std::size_t>(contacts)),
          arena.take<Real>(static_cast<std::size_t>(rows)), arena.take<Real>(static_cast<std::size_t>(blocks))};
}

/// κ: the least scale of a block, as a share of the largest impulse on it. If a body is squeezed a thousand times
/// harder than it is moved, its net impulse is known to 1e-4 of this scale in single precision and to 1e-11 in double
/// [-].
template <class Real>
constexpr Real kShareOfSqueeze = Real(1e-3);
/// The least scale of impulses is h times this force [N].
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

/// ‖u_i‖ over the components that the law of contact i restricts: n alone without friction [m/s].
template <class Real>
ST_FN Real judged_speed(const Friction<Real>& mu, const ContactVector<Real>& u) {
  return larger_or_nan(mu.mu_t, larger_or_nan(mu.mu_o, mu.mu_r)) > Real(0) ? norm(u) : std::fabs(u.n);
}

/// ‖λ_i − P_K(λ_i − ρ û_i)‖
template <class Real>
ST_FN Real contact_map(const ContactProblem<Real>& p, const FacetTable<Real>& table, int i, const Real* impulses,
                       Real rho, const ContactVector<Real>& u) {
  const ContactVector<Real> lambda = contact_impulse(p, impulses, i);
  return norm(lambda - project_point_to_cone(table, choose_friction(p, p.contacts[i]), lambda - rho * u));
}

namespace residual_detail {

/// Entry i of H v of a block.
template <class Real>
ST_FN Real multiply_row_H(const ContactProblem<Real>& p, int block, int i, Pointer<const Real> v) {
  const int n = p.block_size[block];
  const Real *row = p.H[block] + i * n, *of_block = v + p.block_adr[block];
  Real sum = Real(0);
  ST_ROLLED
  for (int j = 0; j < n; ++j) sum += row[j] * of_block[j];
  return sum;
}

/// out (nv) = H v
template <class Team, class Real>
ST_FN void multiply_H(const Team& team, const ContactProblem<Real>& p, const TouchingGroups& touching,
                      Pointer<const Real> v, Pointer<Real> out) {
  if (Team::kLanes > 1 && touching.dof_block) {
    team.each(p.nv, [&](int j) {
      const int block = touching.dof_block[j];
      out[j] = multiply_row_H(p, block, j - p.block_adr[block], v);
    });
    return;
  }
  team.each(p.num_blocks, [&](int block) {
    const int adr = p.block_adr[block], n = p.block_size[block];
    for (int i = 0; i < n; ++i) out[adr + i] = multiply_row_H(p, block, i, v);
  });
}

/// Adds J_sideᵀ λ to scratch.contact_force if the side acts on `block`, or on any block if block < 0, and raises Λ of
/// that block to size(), the size of λ.
template <class Real, class Size>
ST_FN void add_side_force(const ContactProblem<Real>& p, const BlockJacobian<Real>& side, int block,
                          Pointer<const Real> lambda, int rows, Size size, ResidualScratch<Real>& scratch) {
  if (side.block < 0 || (block >= 0 && side.block != block)) return;
  const int adr = p.block_adr[side.block], n = p.block_size[side.block];
  scratch.scale[side.block] = larger_or_nan(scratch.scale[side.block], size());
  const Real* J = side.J;
  Real* force = scratch.contact_force + adr;
  if (rows > 1) {
    const Real along_n = lambda[0], along_t = lambda[1], along_o = lambda[2];
    ST_ROLLED
    for (int j = 0; j < n; ++j) force[j] = force[j] + J[j] * along_n + J[n + j] * along_t + J[2 * n + j] * along_o;
  }
  ST_ROLLED
  for (int r = rows > 1 ? 3 : 0; r < rows; ++r) {
    ST_ROLLED
    for (int j = 0; j < n; ++j) force[j] += J[r * n + j] * lambda[r];
  }
}

/// Adds Jᵀλ and Λ of one block, or of all blocks if block < 0.
template <class Real>
ST_FN void add_contact_force(const ContactProblem<Real>& p, int block, const ContactSolution<Real>& x,
                             ResidualScratch<Real>& scratch) {
  ST_ROLLED
  for (int i = 0; i < p.num_contacts; ++i) {
    const auto size = [&] { return largest_entry(contact_impulse(p, x.lambda, i)); };
    if (size() == Real(0)) continue;
    ST_ROLLED
    for (const BlockJacobian<Real>& side : p.contacts[i].side)
      add_side_force(p, side, block, x.lambda + p.dimension * i, p.dimension, size, scratch);
  }
  ST_ROLLED
  for (int r = 0; r < p.num_rows; ++r) {
    const auto size = [&] { return std::fabs(x.row_lambda[r]) / p.rows[r].radius; };
    if (x.row_lambda[r] == Real(0)) continue;
    ST_ROLLED
    for (const BlockJacobian<Real>& side : p.rows[r].side)
      add_side_force(p, side, block, x.row_lambda + r, 1, size, scratch);
  }
}

/// Calls f(side, λ, number of rows, ‖λ‖∞ scaled as in Λ) for the groups of a block.
template <class Real, class F>
ST_FN void visit_touching(const ContactProblem<Real>& p, const TouchingGroups& touching, int block,
                          const ContactSolution<Real>& x, F f) {
  const int slot = touching.slot[block], end = touching.start[slot + 1], contacts = p.num_contacts;
  ST_ROLLED
  for (int k = touching.start[slot]; k < end; ++k) {
    const int i = touching.source[k] >> 2, side = touching.source[k] & 1;
    if (i < contacts)
      f(p.contacts[i].side[side], x.lambda + p.dimension * i, p.dimension,
        [&] { return largest_entry(contact_impulse(p, x.lambda, i)); });
    else
      f(p.rows[i - contacts].side[side], x.row_lambda + (i - contacts), 1,
        [&] { return std::fabs(x.row_lambda[i - contacts]) / p.rows[i - contacts].radius; });
  }
}

/// (Jᵀλ)_j, where j is entry `column` of a block
template <class Real>
ST_FN Real force_on_dof(const ContactProblem<Real>& p, const TouchingGroups& touching, int block, int column,
                        const ContactSolution<Real>& x) {
  const int n = p.block_size[block];
  Real force = Real(0);
  visit_touching(p, touching, block, x,
                 [&](const BlockJacobian<Real>& side, const Real* lambda, int rows, const auto& /*size*/) {
                   const Real* J = side.J + column;
                   if (rows > 1) force = force + J[0] * lambda[0] + J[n] * lambda[1] + J[2 * n] * lambda[2];
                   ST_ROLLED
                   for (int r = rows > 1 ? 3 : 0; r < rows; ++r) force += J[r * n] * lambda[r];
                 });
  return force;
}

/// Λ of a block
template <class Real>
ST_FN Real squeeze_of_block(const ContactProblem<Real>& p, const TouchingGroups& touching, int block,
                            const ContactSolution<Real>& x) {
  Real squeeze = Real(0);
  visit_touching(p, touching, block, x,
                 [&](const BlockJacobian<Real>& /*side*/, const Real* /*lambda*/, int /*rows*/, const auto& size) {
                   squeeze = larger_or_nan(squeeze, size());
                 });
  return squeeze;
}

/// Writes contact_force = Jᵀλ and scale = Λ. A single lane adds contact by contact, several lanes gather by dofs if the
/// groups are listed, else block by block: all form the same sums in the same order.
template <class Team, class Real>
ST_FN void compute_contact_force(const Team& team, const ContactProblem<Real>& p, const ContactSolution<Real>& x,
                                 ResidualScratch<Real>& scratch) {
  if (Team::kLanes > 1 && scratch.touching.dof_block) {
    const TouchingGroups touching = scratch.touching;
    team.each(p.nv, [&](int j) {
      const int block = touching.dof_block[j];
      scratch.contact_force[j] = force_on_dof(p, touching, block, j - p.block_adr[block], x);
    });
    team.each(p.num_blocks, [&](int block) { scratch.scale[block] = squeeze_of_block(p, touching, block, x); });
    return;
  }
  team.each(p.nv, [&](int j) { scratch.contact_force[j] = Real(0); });
  team.each(p.num_blocks, [&](int block) { scratch.scale[block] = Real(0); });
  if constexpr (Team::kLanes == 1)
    add_contact_force(p, -1, x, scratch);
  else
    team.each(p.num_blocks, [&](int block) { add_contact_force(p, block, x, scratch); });
}

/// Writes (4) from Λ; returns the term of this block in (1).
template <class Real>
ST_FN Real judge_motion(const ContactProblem<Real>& p, int block, ResidualScratch<Real>& scratch) {
  const int adr = p.block_adr[block], end = adr + p.block_size[block];
  Real scale = larger_or_nan(kShareOfSqueeze<Real> * scratch.scale[block], p.step_size * kLeastForce<Real>);
  Real imbalance = Real(0);
  ST_ROLLED
  for (int j = adr; j < end; ++j) {
    const Real force = scratch.contact_force[j], per_radius = Real(1) / p.dof_radius[j];
    scale = larger_or_nan(scale, larger_or_nan(std::fabs(p.g[j]), std::fabs(force)) * per_radius);
    imbalance = larger_or_nan(imbalance, std::fabs(scratch.motion[j] - p.g[j] - force) * per_radius);
  }
  scratch.scale[block] = scale;
  return imbalance / scale;
}

/// (5); `own` is the size of the row's own impulse, which counts if the row acts on no block.
template <class Real>
ST_FN Real smaller_scale(const ContactProblem<Real>& p, const BlockJacobian<Real> (&side)[2], Pointer<const Real> scale,
                         Real own) {
  const int a = side[0].block, b = side[1].block;
  if (a < 0 && b < 0) return larger_or_nan(own, p.step_size * kLeastForce<Real>);
  const Real of_a = scale[a >= 0 ? a : b], of_b = scale[b >= 0 ? b : a];
  return of_a < of_b ? of_a : of_b;
}

/// Turns J v + b of contact i into û.
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

/// How far u violates a row [m/s] or [rad/s]: without an upper bound on λ, u must not be negative; without a lower
/// bound, it must not be positive.
template <class Real>
ST_FN Real row_violation(const GeneralRow<Real>& row, Real u) {
  const bool open_above = std::isinf(row.upper), open_below = std::isinf(row.lower);
  if (open_above && open_below) return std::fabs(u);
  if (open_above) return larger_or_nan(-u, Real(0));
  if (open_below) return larger_or_nan(u, Real(0));
  return Real(0);
}

/// The term of contact i in (2); its û is in scratch.velocity. slowness = 1/u_0 [s/m]
template <class Real>
ST_FN Real judge_contact(const ContactProblem<Real>& p, const FacetTable<Real>& table, int i,
                         Pointer<const Real> impulses, Real slowness, const ResidualScratch<Real>& scratch) {
  const Real own = largest_entry(contact_impulse(p, impulses, i));
  const Real scale = smaller_scale(p, p.contacts[i].side, scratch.scale, own);
  return contact_map(p, table, i, impulses, scale * slowness, load_contact(scratch.velocity.data(), 4, i)) / scale;
}

/// The term of row r in (3), where λ_r and u_r enter with the row's radius a:
/// |λ/a − P(λ/a − ρ a û)| = |λ − P(λ − ρ a² û)|/a. Most rows stand still, and are not divided.
template <class Real>
ST_FN Real judge_row(const ContactProblem<Real>& p, int r, const ContactSolution<Real>& x, Real slowness,
                     const ResidualScratch<Real>& scratch) {
  const GeneralRow<Real>& row = p.rows[r];
  const Real lambda = x.row_lambda[r], a = row.radius;
  const Real scale = smaller_scale(p, row.side, scratch.scale, std::fabs(lambda) / a);
  const Real u = scratch.row_velocity[r] + row.offset + row.compliance * lambda;
  const Real wrong = std::fabs(lambda - clamp(lambda - scale * slowness * a * a * u, row.lower, row.upper));
  return wrong == Real(0) ? Real(0) : wrong / (a * scale);
}

}  // namespace residual_detail

/// The residual of (v, λ); `table` belongs to shape_cone(p).
template <class Team, class Real>
ST_PHASE Residual<Real> compute_residual(const Team& team, const ContactProblem<Real>& p, const FacetTable<Real>& table,
                                         const ContactSolution<Real>& x, ResidualScratch<Real>& scratch) {
  using namespace residual_detail;
  const auto velocity = [&](int i) { return load_contact(scratch.velocity.data(), 4, i); };
  multiply_H(team, p, scratch.touching, x.v, scratch.motion);
  compute_contact_force(team, p, x, scratch);
  team.each(p.num_contacts,
            [&](int i) { store_contact(scratch.velocity, 4, i, contact_velocity(p, p.contacts[i], x.v)); });
  Residual<Real> out;
  out.motion = team.max(p.num_blocks, Real(0), [&](int block) { return judge_motion(p, block, scratch); });

  const Real u_contacts = team.max(p.num_contacts, Real(0),
                                   [&](int i) { return judged_speed(choose_friction(p, p.contacts[i]), velocity(i)); });
  team.each(p.num_contacts, [&](int i) { shift_velocity(p, table, i, scratch.velocity); });
  team.each(p.num_rows, [&](int r) {
    scratch.row_velocity[r] =
        Team::kLanes == 1 ? row_velocity_alone(p, p.rows[r], x.v) : row_velocity(p, p.rows[r], x.v);
  });
  const Real u_rows =
      team.max(p.num_rows, Real(0), [&](int r) { return std::fabs(scratch.row_velocity[r]) * p.rows[r].radius; });
  const Real u_largest = larger_or_nan(u_contacts, u_rows);
  const Real u_scale = larger_or_nan(u_largest > p.most_speed ? p.most_speed : u_largest, Real(1e-3) / p.step_size);
  const Real slowness = Real(1) / u_scale;

  out.contact =
      team.max(p.num_contacts, Real(0), [&](int i) { return judge_contact(p, table, i, x.lambda, slowness, scratch); });
  out.row = team.max(p.num_rows, Real(0), [&](int r) { return judge_row(p, r, x, slowness, scratch); });
  const Real contact_violation = team.max(p.num_contacts, Real(0), [&](int i) {
    return dual_cone_violation(table, choose_friction(p, p.contacts[i]), velocity(i));
  });
  const Real general_violation = team.max(p.num_rows, Real(0), [&](int r) {
    const GeneralRow<Real>& row = p.rows[r];
    const Real u = scratch.row_velocity[r] + row.offset + row.compliance * x.row_lambda[r];
    return row_violation(row, u) * row.radius;
  });
  out.violation = p.step_size * larger_or_nan(contact_violation, general_violation);
  out.objective = team.sum(p.nv, Real(0), [&](int j) { return x.v[j] * (Real(0.5) * scratch.motion[j] - p.g[j]); });
  out.total = larger_or_nan(out.motion, larger_or_nan(out.contact, out.row));
  return out;
}

}  // namespace stiction
