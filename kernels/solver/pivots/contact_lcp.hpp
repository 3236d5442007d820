// The contact problem of a step as a dense LCP in double, with the variables of contact_lcp_variables.hpp. v is
// eliminated; H may be singular.
//
// From an answer (v, z), with λ(z) and r = g − H v + Jᵀλ, the next answer (v + Δv, z + Δz) solves the problem with a
// proximal term around v:
//
//   S Δv = r + JᵀΔλ,   S = H + εP = UᵀU by kinematic tree                                                   (1)
//   a_k = U⁻ᵀ Jᵀ f_k, f_k the impulse of variable k,   e = U⁻ᵀ r                                            (2)
//   w = M Δz + q,   M = AᵀA + N,   q = Aᵀe + f·(J v + b + φ/h e_n) + N z,   0 <= z + Δz ⊥ w >= 0            (3)
//   Δv = U⁻¹ (e + A Δz)                                                                                     (4)
//
// N has the entries that are not products of Jacobians, so M is the sum of a semi-definite matrix and one with a
// non-negative quadratic form. The bias of ε vanishes as the steps are repeated, because this is a proximal point
// iteration, which is exact in the limit. As r and Δz become small, (3) on the same active set is also a refinement, so
// that no digit is lost to 1/ε.
//
//   symbol    variable      shape
//   U         factor        blocks as H
//   A         columns       (size, width): side 0, then side 1
//   e         base          (nv)
//   M, q, z   M, q, z       (size, size), (size), (size)
//   Δz        change        (size)
#pragma once

#include "kernels/linalg/block_cholesky.hpp"
#include "kernels/problem/lcp.hpp"
#include "kernels/solver/pivots/contact_lcp_variables.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

struct ContactLcp {
  // The shapes of columns, factor, base, M, q, z and change are in the table above. v, z, lambda and row_lambda are the
  // present answer; columns, factor and M belong to the last ε; base and q to the last right-hand side.
  int size;          // number of variables
  Array<int> first;  // (groups + 1) first variable of a group
  Array<int> group;  // (size) group of a variable
  int width;         // two times the size of the largest block
  Array<double> columns;
  Array<double> factor;
  Array<double> inverse_diagonal;  // (nv) 1/U_jj
  Array<double> base;
  Array<double> M, q, z, change;
  Array<int> is_free;                         // (size) 1: the variable of a coupling, which may be negative
  Array<double> v, step, lambda, row_lambda;  // (nv), (nv) last Δv, (contacts, dim), (rows)

  ST_FN double* column(int variable, int side) {
    return columns + static_cast<std::ptrdiff_t>(variable) * width + side * (width / 2);
  }
  ST_FN const double* column(int variable, int side) const {
    return columns + static_cast<std::ptrdiff_t>(variable) * width + side * (width / 2);
  }
  ST_FN double& at(int row, int column) { return M[static_cast<std::ptrdiff_t>(row) * size + column]; }
  ST_FN double at(int row, int column) const { return M[static_cast<std::ptrdiff_t>(row) * size + column]; }
  ST_FN LcpProblem<double> view() const { return {size, M, q, is_free}; }
};

/// The largest number of variables that a problem of this capacity can have.
ST_FN int contact_lcp_size(const SolverCapacity& capacity) {
  return capacity.max_contacts * (capacity.shape.facets + 2) + 2 * capacity.max_rows;
}

ST_FN ContactLcp take_contact_lcp(const SolverCapacity& capacity, Arena& arena) {
  const auto take = [&](std::size_t count) { return arena.take<double>(count); };
  const auto count = [](int n) { return static_cast<std::size_t>(n); };
  const std::size_t n = count(contact_lcp_size(capacity)), nv = count(capacity.nv),
                    groups = count(capacity.max_contacts + capacity.max_rows);
  std::size_t square = 0;
  int largest = 0;
  for (int b = 0; b < capacity.num_blocks; ++b) {
    square += count(capacity.block_size[b]) * count(capacity.block_size[b]);
    largest = capacity.block_size[b] > largest ? capacity.block_size[b] : largest;
  }
  ContactLcp x{};
  x.width = 2 * largest;
  x.first = arena.take<int>(groups + 1);
  x.group = arena.take<int>(n);
  x.is_free = arena.take<int>(n);
  x.columns = take(n * count(x.width));
  x.factor = take(square);
  x.inverse_diagonal = take(nv), x.base = take(nv), x.v = take(nv), x.step = take(nv);
  x.M = take(n * n), x.q = take(n), x.z = take(n), x.change = take(n);
  x.lambda = take(count(capacity.shape.dimension * capacity.max_contacts));
  x.row_lambda = take(count(capacity.max_rows));
  return x;
}

namespace contact_lcp_detail {

/// Numbers the variables of all groups, group after group.
template <class Real>
ST_FN void number_variables(const ScaledProblem<Real>& s, ContactLaw law, ContactLcp& lcp) {
  lcp.first[0] = 0;
  for (int i = 0; i < s.num_groups; ++i) {
    lcp.first[i + 1] = lcp.first[i] + group_width(s, law, i);
    const bool coupling = i >= s.num_contacts && kind_of_row(s, i - s.num_contacts) == RowKind::kCoupling;
    for (int a = lcp.first[i]; a < lcp.first[i + 1]; ++a) lcp.group[a] = i, lcp.is_free[a] = coupling ? 1 : 0;
  }
}

/// Computes U of one block
template <class Real>
ST_FN void factor_block(const ScaledProblem<Real>& s, double epsilon, int b, ContactLcp& lcp) {
  const int n = s.block_size[b], adr = s.H_adr[b];
  double* U = lcp.factor + adr;
  double* inverse = lcp.inverse_diagonal + s.block_adr[b];
  for (int ij = 0; ij < n * n; ++ij)
    U[ij] = static_cast<double>(s.H[adr + ij]) + epsilon * static_cast<double>(s.P[adr + ij]);
  for (int j = 0; j < n; ++j) inverse[j] = U[j * n + j];
  factor_diagonal(U, n, n, inverse);
}

/// y ← U⁻ᵀ y of one block
template <class Real>
ST_FN void halve(const ScaledProblem<Real>& s, const ContactLcp& lcp, int b, double* y) {
  solve_rows(lcp.factor + s.H_adr[b], s.block_size[b], lcp.inverse_diagonal + s.block_adr[b], s.block_size[b], y, 1, 1);
}

/// y += Jᵀ f of one side of a group
template <class Real>
ST_FN void add_impulse(const ScaledProblem<Real>& s, int group, int side, const ContactVector<double>& f, double* y) {
  const int n = s.block_size[s.group_block[2 * group + side]];
  const Real* J = s.jacobian(group, side);
  const int rows = group < s.num_contacts ? s.dim : 1;
  const double along[4] = {f.n, f.t, f.o, f.r};
  for (int r = 0; r < rows; ++r)
    for (int j = 0; j < n; ++j) y[j] += static_cast<double>(J[r * n + j]) * along[r];
}

/// Computes a_k on one side of a variable
template <class Real>
ST_FN void fill_column(const ScaledProblem<Real>& s, ContactLaw law, int variable, int side, ContactLcp& lcp) {
  const int group = lcp.group[variable], b = s.group_block[2 * group + side];
  if (b < 0) return;
  double* a = lcp.column(variable, side);
  for (int j = 0; j < s.block_size[b]; ++j) a[j] = 0.0;
  add_impulse(s, group, side, group_impulse(s, law, group, variable - lcp.first[group]), a);
  halve(s, lcp, b, a);
}

/// a_i·a_j
template <class Real>
ST_FN double couple(const ScaledProblem<Real>& s, const ContactLcp& lcp, int i, int j) {
  double sum = 0.0;
  for (int sides = 0; sides < 4; ++sides) {
    const int b = s.group_block[2 * lcp.group[i] + sides / 2];
    if (b < 0 || b != s.group_block[2 * lcp.group[j] + sides % 2]) continue;
    const double *p = lcp.column(i, sides / 2), *q = lcp.column(j, sides % 2);
    for (int k = 0; k < s.block_size[b]; ++k) sum += p[k] * q[k];
  }
  return sum;
}

/// Calls f(row, column, entry) for the entries that a group has in N.
template <class Real, class F>
ST_FN void visit_own_entries(const ScaledProblem<Real>& s, ContactLaw law, const ContactLcp& lcp, int group, F f) {
  const int first = lcp.first[group], width = lcp.first[group + 1] - first, last = first + width - 1;
  if (group < s.num_contacts) {
    if (!shifts_gap(law) || width == 1) return;
    f(last, first, 1.0);
    for (int beta = first + 1; beta < last; ++beta) f(beta, last, 1.0), f(last, beta, -1.0);
    return;
  }
  if (width > 0) f(first, first, static_cast<double>(s.row_compliance[group - s.num_contacts]));
  if (width == 2) f(first, last, 1.0), f(last, first, -1.0);
}

/// Computes e of one block
template <class Real>
ST_FN void fill_base(const ScaledProblem<Real>& s, int b, ContactLcp& lcp) {
  const int n = s.block_size[b], adr = s.block_adr[b];
  const Real* H = s.H + s.H_adr[b];
  double* e = lcp.base + adr;
  for (int i = 0; i < n; ++i) {
    e[i] = static_cast<double>(s.g[adr + i]);
    for (int j = 0; j < n; ++j) e[i] -= static_cast<double>(H[i * n + j]) * lcp.v[adr + j];
  }
  for (int group = 0; group < s.num_groups; ++group)
    for (int side = 0; side < 2; ++side) {
      if (s.group_block[2 * group + side] != b) continue;
      const bool contact = group < s.num_contacts;
      const ContactVector<double> f =
          contact ? load_contact(lcp.lambda.data(), s.dim, group)
                  : ContactVector<double>{lcp.row_lambda[group - s.num_contacts], 0.0, 0.0, 0.0};
      add_impulse(s, group, side, f, e);
    }
  halve(s, lcp, b, e);
}

/// J v + b + φ/h e_n of a contact; J v + b + R λ of a general row with its variables at zero
template <class Real>
ST_FN ContactVector<double> group_velocity(const ScaledProblem<Real>& s, const ContactLcp& lcp, int group) {
  const ContactVector<double> offset = group_offset(s, group);
  double u[4] = {offset.n, offset.t, offset.o, offset.r};
  for (int side = 0; side < 2; ++side) {
    const int b = s.group_block[2 * group + side];
    if (b < 0) continue;
    const int n = s.block_size[b];
    const Real* J = s.jacobian(group, side);
    for (int r = 0; r < (group < s.num_contacts ? s.dim : 1); ++r)
      for (int j = 0; j < n; ++j) u[r] += static_cast<double>(J[r * n + j]) * lcp.v[s.block_adr[b] + j];
  }
  return {u[0], u[1], u[2], u[3]};
}

/// Aᵀe of a variable
template <class Real>
ST_FN double along_column(const ScaledProblem<Real>& s, const ContactLcp& lcp, int variable) {
  double sum = 0.0;
  for (int side = 0; side < 2; ++side) {
    const int b = s.group_block[2 * lcp.group[variable] + side];
    if (b < 0) continue;
    const double *a = lcp.column(variable, side), *e = lcp.base + s.block_adr[b];
    for (int j = 0; j < s.block_size[b]; ++j) sum += a[j] * e[j];
  }
  return sum;
}

/// Computes q of a group
template <class Real>
ST_FN void fill_rhs(const ScaledProblem<Real>& s, ContactLaw law, int group, ContactLcp& lcp) {
  const int first = lcp.first[group], width = lcp.first[group + 1] - first;
  const ContactVector<double> u = group_velocity(s, lcp, group);
  for (int a = 0; a < width; ++a)
    lcp.q[first + a] = dot(group_impulse(s, law, group, a), u) + along_column(s, lcp, first + a);
  visit_own_entries(s, law, lcp, group,
                    [&](int row, int column, double entry) { lcp.q[row] += entry * lcp.z[column]; });
  if (group < s.num_contacts || width < 2) return;
  const int r = group - s.num_contacts;
  lcp.q[first + 1] += static_cast<double>(s.row_upper[r]) - static_cast<double>(s.row_lower[r]);
}

/// Computes λ of a group from z
template <class Real>
ST_FN void sum_impulse(const ScaledProblem<Real>& s, ContactLaw law, int group, ContactLcp& lcp) {
  ContactVector<double> lambda{};
  for (int a = lcp.first[group]; a < lcp.first[group + 1]; ++a)
    lambda = lambda + lcp.z[a] * group_impulse(s, law, group, a - lcp.first[group]);
  if (group < s.num_contacts) return store_contact(lcp.lambda, s.dim, group, lambda);
  const int r = group - s.num_contacts;
  lcp.row_lambda[r] = row_base(s, r) + lambda.n;
}

/// Computes Δv of (4) for one block and adds it to v
template <class Real>
ST_FN void move_block(const ScaledProblem<Real>& s, int b, ContactLcp& lcp) {
  const int n = s.block_size[b], adr = s.block_adr[b];
  double* d = lcp.step + adr;
  for (int j = 0; j < n; ++j) d[j] = lcp.base[adr + j];
  for (int a = 0; a < lcp.size; ++a)
    for (int side = 0; side < 2; ++side) {
      if (s.group_block[2 * lcp.group[a] + side] != b || lcp.change[a] == 0.0) continue;
      const double* column = lcp.column(a, side);
      for (int j = 0; j < n; ++j) d[j] += lcp.change[a] * column[j];
    }
  const double* U = lcp.factor + s.H_adr[b];
  for (int i = n - 1; i >= 0; --i) {
    for (int j = i + 1; j < n; ++j) d[i] -= U[i * n + j] * d[j];
    d[i] *= lcp.inverse_diagonal[adr + i];
  }
  for (int j = 0; j < n; ++j) lcp.v[adr + j] += d[j];
}

}  // namespace contact_lcp_detail

/// Numbers the variables of a problem and starts with v at the problem's start and z = 0.
template <class Team, class Real>
ST_PHASE void start_contact_lcp(const Team& team, const ScaledProblem<Real>& s, ContactLaw law, ContactLcp& lcp) {
  using namespace contact_lcp_detail;
  team.once([&] {
    number_variables(s, law, lcp);
    lcp.size = lcp.first[s.num_groups];
  });
  team.each(s.nv, [&](int j) { lcp.v[j] = static_cast<double>(s.start[j]); });
  team.each(lcp.size, [&](int a) { lcp.z[a] = 0.0; });
  team.each(s.num_groups, [&](int i) { sum_impulse(s, law, i, lcp); });
}

/// Computes U, A and M for a given ε.
template <class Team, class Real>
ST_PHASE void assemble_contact_matrix(const Team& team, const ScaledProblem<Real>& s, ContactLaw law, double epsilon,
                                      ContactLcp& lcp) {
  using namespace contact_lcp_detail;
  team.each(s.num_blocks, [&](int b) { factor_block(s, epsilon, b, lcp); });
  team.each(2 * lcp.size, [&](int side) { fill_column(s, law, side / 2, side % 2, lcp); });
  team.each(lcp.size * lcp.size, [&](int ij) { lcp.M[ij] = couple(s, lcp, ij / lcp.size, ij % lcp.size); });
  team.each(s.num_groups, [&](int i) {
    visit_own_entries(s, law, lcp, i, [&](int row, int column, double entry) { lcp.at(row, column) += entry; });
  });
}

/// Computes e and q at the present (v, z).
template <class Team, class Real>
ST_PHASE void assemble_contact_rhs(const Team& team, const ScaledProblem<Real>& s, ContactLaw law, ContactLcp& lcp) {
  using namespace contact_lcp_detail;
  team.each(s.num_blocks, [&](int b) { fill_base(s, b, lcp); });
  team.each(s.num_groups, [&](int i) { fill_rhs(s, law, i, lcp); });
}

/// Moves z by x.change, and λ and v accordingly.
template <class Team, class Real>
ST_PHASE void move_answer(const Team& team, const ScaledProblem<Real>& s, ContactLaw law, ContactLcp& lcp) {
  using namespace contact_lcp_detail;
  team.each(lcp.size, [&](int a) { lcp.z[a] += lcp.change[a]; });
  team.each(s.num_groups, [&](int i) { sum_impulse(s, law, i, lcp); });
  team.each(s.num_blocks, [&](int b) { move_block(s, b, lcp); });
}

}  // namespace stiction
