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
#include "kernels/solver/ground/column_runs.hpp"
#include "kernels/team/array.hpp"
#include "kernels/team/wide_load.hpp"

namespace stiction {

/// What the layout of a solver's scratch depends on.
struct SolverCapacity {
  int nv;
  int num_blocks;
  const int* block_size;  // (num_blocks)
  int max_contacts;
  int max_rows;
  ConeShape shape;
  int max_couplings;        // pairs of blocks that the factor may couple, fill-in included
  bool single_lane = true;  // false: a wide team, without the methods that only one lane has
};

/// Up to how many dofs a single lane begins with a method that works on the rows that press (active_set/, impulses/).
/// Many bodies press with more rows than they have dofs, a robot with fewer: of few trees there may be more dofs.
struct FewDofs {
  static constexpr int kOfManyTrees = 96;
  static constexpr int kOfFewTrees = 160;
  static constexpr int kFewTrees = 4;
};

ST_FN constexpr bool has_few_dofs(const SolverCapacity& capacity) {
  return capacity.nv <= (capacity.num_blocks <= FewDofs::kFewTrees ? FewDofs::kOfFewTrees : FewDofs::kOfManyTrees);
}

template <class Real>
ST_FN SolverCapacity capacity_of(const ContactProblem<Real>& p) {
  return {p.nv, p.num_blocks, p.block_size, p.num_contacts, p.num_rows, shape_cone(p), p.max_couplings};
}

template <class Real>
struct ScaledUnits {
  Real velocity;  // u_s [m/s]
  Real impulse;   // λ_s [N s]
};

/// Dofs of one block, as indices into vectors (nv).
struct alignas(16) DofRange {
  int block, begin, end;
};

template <class Real>
struct ScaledProblem {
  int nv, num_blocks, num_contacts, num_rows, num_groups;
  int dim;                // rows of a contact: 3, or 4 with torsion
  int facets;             // k: entries per contact in the arrays of slacks and multipliers
  const int* block_adr;   // (num_blocks)
  const int* block_size;  // (num_blocks)
  Array<int> dof_block;   // (nv) block of a dof; for several lanes only
  Array<DofRange> range;  // (nv), of which num_ranges are used, of all blocks; for several lanes only
  int num_ranges;
  const Real* radius;  // (nv)
  ScaledUnits<Real> units;
  Real impulse_floor;  // h · 1 mN in units of λ_s: the least scale of impulses, <= 1
  Real most_speed;     // upper bound of u_0, in units of u_s
  FacetTable<Real> table;
  Array<Real> H;           // blocks, row-major, one after the other
  Array<int> H_adr;        // (num_blocks) first entry of a block in H and P
  int H_entries;           // of all blocks
  Array<int> H_zero;       // (nv) 1 for a row of H that is zero
  Array<Real> g;           // (nv)
  Array<Real> start;       // (nv) v_s: where several v solve the problem, the one nearest to v_s is wanted
  Array<Real> P;           // blocks as H: the weight by which "nearest" is measured; its largest diagonal entry is 1
  int stride;              // entries of J per group
  int second;              // entries reserved for the first side, an even number; the second side begins there
  Array<Real> J;           // (num_groups, stride): side 0, then side 1, each (dim or 1, n) row-major
  Array<int> group_block;  // (num_groups, 2) block of either side; -1: that side does not move
  Array<ColumnRuns> runs;  // (num_groups, 2) where J of either side is not zero; for a single lane only
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
  /// Of problems without torsion.
  ST_FN Vec3<Real> generator(int contact, int facet) const {
    return facet_generator(table, facet, mu[2 * contact], mu[2 * contact + 1]);
  }
};

template <class Real>
ST_FN DofRange dofs_of_block(const ScaledProblem<Real>& s, int b) {
  return {b, s.block_adr[b], s.block_adr[b] + s.block_size[b]};
}

/// Where the diagonal entry of dof j, of block b, is in H.
template <class Real>
ST_FN int diagonal_entry(const ScaledProblem<Real>& s, int b, int j) {
  return s.H_adr[b] + (j - s.block_adr[b]) * (s.block_size[b] + 1);
}

/// True if H is zero in block b.
template <class Real>
ST_FN bool is_zero_block(const ScaledProblem<Real>& s, int b) {
  const DofRange dofs = dofs_of_block(s, b);
  for (int j = dofs.begin; j < dofs.end; ++j)
    if (!s.H_zero[j]) return false;
  return true;
}

/// Calls f(DofRange) such that every dof is in one range: several lanes take a dof each, a single one whole blocks.
template <class Team, class Real, class F>
ST_FN void each_dofs(const Team& team, const ScaledProblem<Real>& s, F f) {
  if constexpr (Team::kLanes == 1)
    team.each(s.num_blocks, [&](int b) { f(dofs_of_block(s, b)); });
  else
    team.each(s.nv, [&](int j) { f(DofRange{s.dof_block[j], j, j + 1}); });
}

/// The same for work that the dofs of a block share, such as loading impulses: several lanes take a few dofs each.
template <class Team, class Real, class F>
ST_FN void each_range(const Team& team, const ScaledProblem<Real>& s, F f) {
  if constexpr (Team::kLanes == 1)
    team.each(s.num_blocks, [&](int b) { f(dofs_of_block(s, b)); });
  else
    team.each(s.num_ranges, [&](int i) { f(load_whole(s.range + i)); });
}

/// The largest f(DofRange), ranges as in each_dofs, or `lowest`.
template <class Team, class Real, class F>
ST_FN Real largest_of_dofs(const Team& team, const ScaledProblem<Real>& s, Real lowest, F f) {
  if constexpr (Team::kLanes == 1)
    return team.max(s.num_blocks, lowest, [&](int b) { return f(dofs_of_block(s, b)); });
  else
    return team.max(s.nv, lowest, [&](int j) { return f(DofRange{s.dof_block[j], j, j + 1}); });
}

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
  s.second = (s.dim * first + 1) / 2 * 2;
  s.stride = 2 * s.second;
  s.table = take_facet_table<Real>(capacity.shape, arena);
  s.dof_block = arena.take<int>(count(capacity.nv));
  s.range = arena.take<DofRange>(count(capacity.nv));
  s.H = arena.take<Real>(count(square));
  s.H_adr = arena.take<int>(count(capacity.num_blocks));
  s.H_zero = arena.take<int>(count(capacity.nv));
  s.g = arena.take<Real>(count(capacity.nv));
  s.start = arena.take<Real>(count(capacity.nv));
  s.P = arena.take<Real>(count(square));
  s.J = arena.take<Real>(count(groups) * count(s.stride));
  s.group_block = arena.take<int>(count(2 * groups));
  if (capacity.single_lane) s.runs = arena.take<ColumnRuns>(count(2 * groups));
  s.offset = arena.take<Real>(count(s.dim * capacity.max_contacts));
  s.scripted = arena.take<Real>(count(s.dim * capacity.max_contacts));
  s.mu = arena.take<Real>(count((s.dim - 1) * capacity.max_contacts));
  s.row_offset = arena.take<Real>(count(capacity.max_rows));
  s.row_lower = arena.take<Real>(count(capacity.max_rows));
  s.row_upper = arena.take<Real>(count(capacity.max_rows));
  s.row_compliance = arena.take<Real>(count(capacity.max_rows));
  return s;
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

}  // namespace stiction
