// A packed copy of a contact problem in balanced units, which the solvers' inner loops read.
//
//   v  = (u_s / r_j) v'     λ = λ_s λ'       a rotation is multiplied by its dof's radius r_j, so that all velocities
//                                            are in [m/s] and all impulses in [N s]
//   H' = H u_s / (λ_s r_i r_j)     g' = g / (λ_s r_j)     J' = J / r_j     gap', b' = (φ/h + b) / u_s
//   general row with radius a:  λ_r = λ_s a λ_r',  J_r' = a J_r / r_j,  b' = a b / u_s,  R' = R a² λ_s / u_s
//   torsion of a contact with radius a: the same, and μ_r' = μ_r / a
//
//   λ_s = max(‖g/r‖∞, h · 1 mN)                                 a typical impulse of the step
//   u_s = max(1 mm/h, ‖b‖∞, max −φ/h, min-capped |g_j / H_jj|)  a typical velocity of the step
//
// A *group* is a contact (`dim` rows: n, t, o, with torsion r) or a general row (1 row); groups 0 .. num_contacts − 1
// are the contacts.
#pragma once

#include "kernels/linalg/scalar.hpp"
#include "kernels/problem/contact_problem.hpp"
#include "kernels/problem/contact_vector.hpp"
#include "kernels/problem/facets.hpp"
#include "kernels/problem/residual.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

/// What the layout of a solver's scratch depends on.
struct SolverCapacity {
  int nv;
  int num_blocks;
  const int* block_size;  // (num_blocks)
  int max_contacts;
  int max_rows;
  ConeShape shape;
  int max_couplings;           // pairs of blocks that the factor may couple, fill-in included
  bool has_active_set = true;  // false on a wide team: it never starts with an active set (active_set/state.hpp)
};

template <class Real>
ST_FN SolverCapacity capacity_of(const ContactProblem<Real>& p) {
  return {p.nv, p.num_blocks, p.block_size, p.num_contacts, p.num_rows, shape_cone(p), p.max_couplings};
}

template <class Real>
struct ScaledUnits {
  Real velocity;  // u_s [m/s]
  Real impulse;   // λ_s [N s]
};

template <class Real>
struct ScaledProblem {
  int nv, num_blocks, num_contacts, num_rows, num_groups;
  int dim;                // rows of a contact: 3, or 4 with torsion; then the cone is quadratic
  int facets;             // k: entries per contact in the arrays of slacks and multipliers
  const int* block_adr;   // (num_blocks)
  const int* block_size;  // (num_blocks)
  const Real* radius;     // (nv)
  ScaledUnits<Real> units;
  Real impulse_floor;  // h · 1 mN in units of λ_s: the least scale of impulses, <= 1
  Real most_speed;     // upper bound of u_0, in units of u_s
  FacetTable<Real> table;
  Array<Real> H;           // blocks, row-major, one after the other
  Array<int> H_adr;        // (num_blocks) first entry of a block in H and P
  Array<int> H_zero;       // (num_blocks) 1 for a block of H that is zero
  Array<Real> g;           // (nv)
  Array<Real> start;       // (nv) v_s: where several v solve the problem, the one nearest to v_s is wanted
  Array<Real> P;           // blocks as H: the weight by which "nearest" is measured; its largest diagonal entry is 1
  int stride;              // entries of J per group
  int second;              // entries reserved for the first side; the second side begins there
  Array<Real> J;           // (num_groups, stride): side 0, then side 1, each (dim or 1, n) row-major
  Array<int> group_block;  // (num_groups, 2) block of either side; -1: that side does not move
  Array<Real> offset;      // (num_contacts, dim) b + φ/h e_n
  Array<Real> scripted;    // (num_contacts, dim) b alone
  Array<Real> mu;          // (num_contacts, dim − 1)
  Array<Real> row_offset;  // (num_rows) b
  Array<Real> row_lower;   // (num_rows) l <= λ_r
  Array<Real> row_upper;   // (num_rows) u >= λ_r
  Array<Real> row_compliance;  // (num_rows) R

  ST_FN const Real* jacobian(int group, int side) const {
    return J + static_cast<std::ptrdiff_t>(group) * stride + side * second;
  }
  ST_FN Real* jacobian(int group, int side) { return J + static_cast<std::ptrdiff_t>(group) * stride + side * second; }
  ST_FN Friction<Real> friction(int contact) const {
    const Real* m = mu + (dim - 1) * contact;
    return {m[0], m[1], dim == 4 ? m[2] : Real(0)};
  }
  ST_FN ContactVector<Real> load(const Real* a, int contact) const { return load_contact(a, dim, contact); }
  ST_FN void store(Real* a, int contact, const ContactVector<Real>& x) const { store_contact(a, dim, contact, x); }
  ST_FN Vec3<Real> generator(int contact, int facet) const {
    return facet_generator(table, facet, mu[2 * contact], mu[2 * contact + 1]);
  }
};

namespace scaled_detail {

ST_FN void two_largest(const SolverCapacity& capacity, int* first, int* second) {
  *first = *second = 0;
  ST_ROLLED
  for (int b = 0; b < capacity.num_blocks; ++b) {
    const int n = capacity.block_size[b];
    if (n > *first) {
      *second = *first, *first = n;
    } else if (n > *second) {
      *second = n;
    }
  }
}

}  // namespace scaled_detail

template <class Real>
ST_FN ScaledProblem<Real> take_scaled_problem(const SolverCapacity& capacity, Arena& arena) {
  const auto count = [](int n) { return static_cast<std::size_t>(n); };
  ScaledProblem<Real> s{};
  int first, second, square = 0;
  scaled_detail::two_largest(capacity, &first, &second);
  ST_ROLLED
  for (int b = 0; b < capacity.num_blocks; ++b) square += capacity.block_size[b] * capacity.block_size[b];
  const int groups = capacity.max_contacts + capacity.max_rows;
  s.dim = capacity.shape.dimension;
  s.second = s.dim * first;
  s.stride = s.dim * (first + first);
  s.table = take_facet_table<Real>(capacity.shape, arena);
  s.H = arena.take<Real>(count(square));
  s.H_adr = arena.take<int>(count(capacity.num_blocks));
  s.H_zero = arena.take<int>(count(capacity.num_blocks));
  s.g = arena.take<Real>(count(capacity.nv));
  s.start = arena.take<Real>(count(capacity.nv));
  s.P = arena.take<Real>(count(square));
  s.J = arena.take<Real>(count(groups) * count(s.stride));
  s.group_block = arena.take<int>(count(2 * groups));
  s.offset = arena.take<Real>(count(s.dim * capacity.max_contacts));
  s.scripted = arena.take<Real>(count(s.dim * capacity.max_contacts));
  s.mu = arena.take<Real>(count((s.dim - 1) * capacity.max_contacts));
  s.row_offset = arena.take<Real>(count(capacity.max_rows));
  s.row_lower = arena.take<Real>(count(capacity.max_rows));
  s.row_upper = arena.take<Real>(count(capacity.max_rows));
  s.row_compliance = arena.take<Real>(count(capacity.max_rows));
  return s;
}

namespace scaled_detail {

/// Added to the diagonal of P, to keep the proximal matrix regular where there is no mass.
template <class Real>
ST_FN Real proximal_floor() {
  return Real(1e-4);
}

template <class Team, class Real>
ST_FN ScaledUnits<Real> choose_units(const Team& team, const ContactProblem<Real>& p) {
  const Real g_max = team.max(p.nv, Real(0), [&](int j) { return std::fabs(p.g[j]) / p.dof_radius[j]; });
  const Real floor = Real(1e-3) / p.step_size;
  const Real gap_max = team.max(p.num_contacts, Real(0), [&](int i) { return std::fabs(p.contacts[i].gap_rate); });
  const Real offset_max = team.max(p.num_contacts, Real(0), [&](int i) {
    const ContactRow<Real>& c = p.contacts[i];
    const Real turn = twists(p, c) ? c.radius * std::fabs(c.offset[3]) : Real(0);
    const Real slide = larger(std::fabs(c.offset[1]), std::fabs(c.offset[2]));
    return larger(-c.gap_rate, larger(std::fabs(c.offset[0]), larger(slide, turn)));
  });
  const Real free_max = team.max(p.num_blocks, Real(0), [&](int b) {
    const int n = p.block_size[b], adr = p.block_adr[b];
    Real fastest = Real(0);
    ST_ROLLED
    for (int j = 0; j < n; ++j) {
      const Real h = p.H[b][j * n + j], g = std::fabs(p.g[adr + j]);
      if (h > Real(0)) fastest = larger(fastest, smaller(g / h, Real(1e12)) * p.dof_radius[adr + j]);
    }
    return fastest;
  });
  const Real cap = Real(100) * larger(floor, larger(gap_max, offset_max));
  return {larger(floor, larger(offset_max, smaller(free_max, cap))), larger(g_max, p.step_size * kLeastForce<Real>)};
}

template <class Real>
ST_FN void scale_block(const ContactProblem<Real>& p, Real weight_unit, int b, ScaledProblem<Real>& s) {
  const int n = p.block_size[b], adr = p.block_adr[b], H_adr = s.H_adr[b];
  const Real unit = s.units.velocity / s.units.impulse;
  bool zero = true;
  ST_ROLLED
  for (int ij = 0; ij < n * n; ++ij) {
    const int i = ij / n, j = ij % n;
    const Real entry = p.H[b][ij], length = p.dof_radius[adr + i] * p.dof_radius[adr + j];
    zero = zero && entry == Real(0);
    s.H[H_adr + ij] = entry * unit / length;
    s.P[H_adr + ij] = p.M[b][ij] * weight_unit / length + (i == j ? proximal_floor<Real>() : Real(0));
  }
  s.H_zero[b] = zero ? 1 : 0;
}

/// Copies `rows` rows of one side, times factor / r_j. An absent side is left unwritten.
template <class Real>
ST_FN void scale_side(const ContactProblem<Real>& p, const BlockJacobian<Real>& side, Real factor, int rows,
                      Pointer<Real> J) {
  if (side.block < 0) return;
  const int n = p.block_size[side.block], adr = p.block_adr[side.block];
  ST_ROLLED
  for (int j = 0; j < n; ++j) {
    const Real scale = factor / p.dof_radius[adr + j];
    ST_ROLLED
    for (int r = 0; r < rows; ++r) J[r * n + j] = side.J[r * n + j] * scale;
  }
}

/// Scales the torsion row of contact i on both sides; the row is zero where the contact has no torsional friction.
template <class Real>
ST_APART void scale_torsion(const ContactProblem<Real>& p, int i, ScaledProblem<Real>& s) {
  const ContactRow<Real>& c = p.contacts[i];
  for (int side = 0; side < 2; ++side) {
    const int block = c.side[side].block;
    if (block < 0) continue;
    const int before = 3 * p.block_size[block];
    const Real length = twists(p, c) ? c.radius : Real(0);
    scale_side(p, BlockJacobian<Real>{block, c.side[side].J + before}, length, 1, s.jacobian(i, side) + before);
  }
}

template <class Real>
ST_FN void scale_contact(const ContactProblem<Real>& p, int i, ScaledProblem<Real>& s) {
  const ContactRow<Real>& c = p.contacts[i];
  const Real inverse = Real(1) / s.units.velocity;
  for (int side = 0; side < 2; ++side) {
    s.group_block[2 * i + side] = c.side[side].block;
    scale_side(p, c.side[side], Real(1), 3, s.jacobian(i, side));
  }
  const Real turn = twists(p, c) ? c.radius * c.offset[3] : Real(0);
  ContactVector<Real> u = inverse * ContactVector<Real>{c.offset[0], c.offset[1], c.offset[2], turn};
  s.store(s.scripted, i, u);
  u.n += c.gap_rate * inverse;
  s.store(s.offset, i, u);
  const Friction<Real> mu = choose_friction(p, c);
  Real* m = s.mu + (s.dim - 1) * i;
  m[0] = mu.mu_t, m[1] = mu.mu_o;
  if (s.dim == 4) scale_torsion(p, i, s), m[2] = mu.mu_r;
}

template <class Real>
ST_FN void scale_row(const ContactProblem<Real>& p, int r, ScaledProblem<Real>& s) {
  const GeneralRow<Real>& row = p.rows[r];
  const int group = s.num_contacts + r;
  for (int side = 0; side < 2; ++side) {
    s.group_block[2 * group + side] = row.side[side].block;
    scale_side(p, row.side[side], row.radius, 1, s.jacobian(group, side));
  }
  s.row_offset[r] = row.offset * row.radius / s.units.velocity;
  s.row_lower[r] = row.lower / (row.radius * s.units.impulse);
  s.row_upper[r] = row.upper / (row.radius * s.units.impulse);
  s.row_compliance[r] = row.compliance * row.radius * row.radius * s.units.impulse / s.units.velocity;
}

/// 1 / max_j (M_jj / r_j²), which makes the largest weight in P 1.
template <class Team, class Real>
ST_FN Real choose_weight_unit(const Team& team, const ContactProblem<Real>& p) {
  const Real largest = team.max(p.num_blocks, Real(0), [&](int b) {
    Real heaviest = Real(0);
    ST_ROLLED
    for (int j = 0; j < p.block_size[b]; ++j) {
      const Real radius = p.dof_radius[p.block_adr[b] + j];
      heaviest = larger(heaviest, p.M[b][j * p.block_size[b] + j] / (radius * radius));
    }
    return heaviest;
  });
  return largest > Real(0) ? Real(1) / largest : Real(0);
}

}  // namespace scaled_detail

/// Fills `s` from `p` in the given units.
template <class Team, class Real>
ST_PHASE void scale_problem(const Team& team, const ContactProblem<Real>& p, ScaledUnits<Real> units,
                            ScaledProblem<Real>& s) {
  using namespace scaled_detail;
  team.once([&] {
    s.nv = p.nv, s.num_blocks = p.num_blocks, s.num_contacts = p.num_contacts, s.num_rows = p.num_rows;
    s.num_groups = p.num_contacts + p.num_rows, s.facets = shape_cone(p).facets;
    s.block_adr = p.block_adr, s.block_size = p.block_size, s.radius = p.dof_radius;
    s.units = units, s.impulse_floor = p.step_size * kLeastForce<Real> / units.impulse;
    s.most_speed = p.most_speed / units.velocity;
  });
  fill_facet_table(team, s.table);
  team.once([&] {
    ST_ROLLED
    for (int b = 0, adr = 0; b < p.num_blocks; adr += p.block_size[b] * p.block_size[b], ++b) s.H_adr[b] = adr;
  });
  const Real weight_unit = choose_weight_unit(team, p);
  team.each(p.num_blocks, [&](int b) { scale_block(p, weight_unit, b, s); });
  team.each(p.nv, [&](int j) { s.g[j] = p.g[j] / (p.dof_radius[j] * s.units.impulse); });
  team.each(p.nv, [&](int j) { s.start[j] = p.start ? p.start[j] * p.dof_radius[j] / s.units.velocity : Real(0); });
  team.each(p.num_contacts, [&](int i) { scale_contact(p, i, s); });
  team.each(p.num_rows, [&](int r) { scale_row(p, r, s); });
}

/// Fills `s` from `p` in units chosen from `p`.
template <class Team, class Real>
ST_FN void scale_problem(const Team& team, const ContactProblem<Real>& p, ScaledProblem<Real>& s) {
  scale_problem(team, p, scaled_detail::choose_units(team, p), s);
}

/// The impulse that block b brings by itself: the largest of its drives |g_j| and of its inertias H_jj times the unit
/// of velocity. 0 where both are zero, so that nothing is known.
template <class Real>
ST_FN Real own_impulse(const ScaledProblem<Real>& s, int b) {
  const int n = s.block_size[b];
  Real own = Real(0);
  ST_ROLLED
  for (int j = 0; j < n; ++j)
    own = larger(own, larger(std::fabs(s.g[s.block_adr[b] + j]), s.H[s.H_adr[b] + j * n + j]));
  return own;
}

/// The impulse that a block is assumed to feel where nothing is known of its contacts: 1e-6 of the unit λ_s, or what
/// the block brings by itself if that is less, but at least the floor of the scales by which it is judged.
template <class Real>
ST_FN Real least_impulse(const ScaledProblem<Real>& s, int b) {
  const Real own = own_impulse(s, b);
  return larger(own > Real(0) ? smaller(own, Real(1e-6)) : Real(1e-6), s.impulse_floor);
}

/// ‖u_i‖ of (6) in residual.hpp, from an array u = J v.
template <class Real>
ST_FN Real contact_speed(const ScaledProblem<Real>& s, const Real* u, int i) {
  return judged_speed(s.friction(i), s.load(u, i) + s.load(s.scripted, i));
}

/// u_0: the largest speed at a contact or along a row, from u = J v; at most s.most_speed and at least `floor`.
template <class Team, class Real>
ST_FN Real largest_speed(const Team& team, const ScaledProblem<Real>& s, Pointer<const Real> u,
                         Pointer<const Real> u_row, Real floor) {
  const Real speed = team.max(s.num_contacts, Real(0), [&](int i) { return contact_speed(s, u, i); });
  const Real row_speed = team.max(s.num_rows, Real(0), [&](int r) { return std::fabs(u_row[r]); });
  return larger(smaller(larger(speed, row_speed), s.most_speed), floor);
}

/// Arrays in which a phase keeps (v, λ), in the units of ScaledProblem.
template <class Real>
struct AnswerArrays {
  Array<Real> v;           // (nv)
  Array<Real> lambda;      // (num_contacts, dim)
  Array<Real> row_lambda;  // (num_rows)
};

template <class Real>
ST_FN AnswerArrays<Real> take_answer(const SolverCapacity& capacity, Arena& arena) {
  const auto take = [&](int count) { return arena.take<Real>(static_cast<std::size_t>(count)); };
  return {take(capacity.nv), take(capacity.shape.dimension * capacity.max_contacts), take(capacity.max_rows)};
}

template <class Team, class Real>
ST_FN void copy_answer(const Team& team, const ScaledProblem<Real>& s, const AnswerArrays<Real>& from,
                       AnswerArrays<Real>& to) {
  team.each(s.nv, [&](int j) { to.v[j] = from.v[j]; });
  team.each(s.dim * s.num_contacts, [&](int i) { to.lambda[i] = from.lambda[i]; });
  team.each(s.num_rows, [&](int r) { to.row_lambda[r] = from.row_lambda[r]; });
}

/// The length by which entry k of λ (num_contacts, dim) is scaled: the radius a [m] for torsion [N m s], else 1.
template <class Real>
ST_FN Real impulse_length(const ContactProblem<Real>& p, int k) {
  return p.dimension == 4 && k % 4 == 3 ? p.contacts[k / 4].radius : Real(1);
}

/// Writes v' and λ' to `out` in the problem's units.
template <class Team, class Real>
ST_FN void unscale_solution(const Team& team, const ContactProblem<Real>& p, const ScaledProblem<Real>& s,
                            const AnswerArrays<Real>& x, ContactSolution<Real>& out) {
  const Real u_s = s.units.velocity, lambda_s = s.units.impulse;
  team.each(p.nv, [&](int j) { out.v[j] = x.v[j] * u_s / p.dof_radius[j]; });
  team.each(s.dim * p.num_contacts, [&](int k) { out.lambda[k] = x.lambda[k] * lambda_s * impulse_length(p, k); });
  team.each(p.num_rows, [&](int r) { out.row_lambda[r] = x.row_lambda[r] * lambda_s * p.rows[r].radius; });
}

}  // namespace stiction
