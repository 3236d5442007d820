// Proves that a step is unbounded, by a direction d along which nothing resists while the impulses do work:
//
//   H d = 0,  J_i d ∈ K_i*,  J_r d ∈ recession cone of row r,  gᵀd − Σ_r σ_r(d) > 0                    (1)
//   σ_r(d) = max over λ in [l, u] of −λ J_r d                       (a row between two bounds resists up to its bound)
//
// d is the projection of g onto that cone, and then, where that is not exact enough, of d itself. The solver itself
// finds it from
//
//   min ½ dᵀ(I + κH) d − gᵀd + Σ σ_r(d)   s.t. J_i d ∈ K_i*                                           (2)
//
// which always has a solution. (1) is checked before it is claimed. All quantities are in the units of ScaledProblem.
#pragma once

#include "kernels/problem/shift.hpp"
#include "kernels/solver/default/phases.hpp"
#include "kernels/solver/ground/auxiliary_problem.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

/// What rounding may leave of (1), relative to the size of d.
template <class Real>
ST_FN Real certificate_slop() {
  return sizeof(Real) == 8 ? Real(1e-9) : Real(1e-4);
}

/// gᵀd − Σ σ_r(d)
template <class Team, class Real>
ST_FN Real work_along(const Team& team, const ScaledProblem<Real>& s, Pointer<const Real> d) {
  const Real work = team.sum(s.nv, Real(0), [&](int j) { return s.g[j] * d[j]; });
  const Real resisted = team.sum(s.num_rows, Real(0), [&](int r) {
    const Real u = multiply_row(s, r, d);
    const Real bound = u > Real(0) ? s.row_lower[r] : s.row_upper[r];
    return std::isinf(bound) ? Real(0) : -bound * u;
  });
  return work - resisted;
}

/// The largest violation of H d = 0, J d ∈ K* and the rows' recession cones.
template <class Team, class Real>
ST_PHASE Real direction_violation(const Team& team, const ScaledProblem<Real>& s, Pointer<const Real> d,
                                  Pointer<Real> scratch) {
  team.each(s.num_blocks, [&](int b) {
    const int n = s.block_size[b], adr = s.block_adr[b];
    Real largest = Real(0);
    ST_ROLLED
    for (int i = 0; i < n; ++i) largest = larger(largest, s.H[s.H_adr[b] + i * n + i]);
    ST_ROLLED
    for (int j = adr; j < adr + n; ++j) scratch[j] = Real(0);
    if (largest > Real(0)) add_product(s, s.H, Real(1) / largest, dofs_of_block(s, b), d, scratch);
  });
  const Real held = team.max(s.nv, Real(0), [&](int j) { return std::fabs(scratch[j]); });
  const Real contacts = team.max(s.num_contacts, Real(0), [&](int i) {
    return dual_cone_violation(s.table, s.friction(i), multiply_all_rows(s, i, d));
  });
  const Real rows = team.max(s.num_rows, Real(0), [&](int r) {
    const Real u = multiply_row(s, r, d);
    return larger(has_high(s, r) ? Real(0) : -u, has_low(s, r) ? Real(0) : u);
  });
  return larger(held, larger(contacts, rows));
}

namespace unbounded_detail {

template <class Team, class Real>
ST_FN ScaledProblem<Real>& pose_direction_problem(const Team& team, const ScaledProblem<Real>& s,
                                                  AuxiliaryMemory<Real>& memory) {
  ScaledProblem<Real>& a = copy_problem(team, s, memory);
  team.each(s.num_blocks, [&](int b) {
    const int n = s.block_size[b];
    Real* H = a.H + s.H_adr[b];
    Real largest = Real(0);
    ST_ROLLED
    for (int i = 0; i < n; ++i) largest = larger(largest, H[i * n + i]);
    const Real kappa =
        largest > Real(0) ? Real(0.01) / (certificate_slop<Real>() * certificate_slop<Real>() * largest) : Real(0);
    ST_ROLLED
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) H[i * n + j] = kappa * H[i * n + j] + (i == j ? Real(1) : Real(0));
  });
  team.each(s.nv, [&](int j) { a.H_zero[j] = 0; });
  team.once([&] { memory.posed->impulse_floor = Real(1); });  // one scale for all blocks: d is checked as a whole
  team.each(s.dim * s.num_contacts, [&](int i) { a.offset[i] = a.scripted[i] = Real(0); });
  team.each(s.num_rows, [&](int r) { a.row_offset[r] = a.row_compliance[r] = Real(0); });
  return a;
}

/// Asks (2) anew for the projection of d in place of g: where the cone is narrow, the projection of g is small beside
/// what the solver leaves of it, and that of a direction found is not.
template <class Team, class Real>
ST_FN void project_direction(const Team& team, Pointer<const Real> d, ScaledProblem<Real>& problem) {
  team.each(problem.nv, [&](int j) { problem.g[j] = d[j]; });
  team.each(problem.num_rows, [&](int r) {
    if (!std::isinf(problem.row_lower[r])) problem.row_lower[r] = Real(0);
    if (!std::isinf(problem.row_upper[r])) problem.row_upper[r] = Real(0);
  });
}

/// Leaves the solution of (2) in d (nv), with a largest component of one. False if it has none, or is zero.
template <class Team, class Real, class Factor>
ST_FN bool solve_direction(const Team& team, const ScaledOptions<Real>& options, ScaledProblem<Real>& problem,
                           SolverWorkspace<Real, Factor>& w, Pointer<Real> d) {
  if (!(solve_scaled(team, options, problem, w).residual >= Real(0))) return false;
  const Real size = team.max(problem.nv, Real(0), [&](int j) { return std::fabs(w.polish.best.v[j]); });
  if (!(size > Real(1e-6))) return false;
  const Real inverse = Real(1) / size;
  team.each(problem.nv, [&](int j) { d[j] = w.polish.best.v[j] * inverse; });
  return true;
}

}  // namespace unbounded_detail

/// True if a direction d (nv) was found that satisfies (1), which is verified. The workspace is overwritten.
template <class Team, class Real, class Factor>
ST_PHASE bool find_free_direction(const Team& team, const ScaledProblem<Real>& s, int max_iterations,
                                  AuxiliaryMemory<Real>& memory, SolverWorkspace<Real, Factor>& w, Pointer<Real> d) {
  using namespace unbounded_detail;
  constexpr int kProjections = 2;
  ScaledProblem<Real>& a = pose_direction_problem(team, s, memory);
  team.each(s.nv, [&](int j) { w.interior.v[j] = Real(0); });
  const ScaledOptions<Real> options{Real(0.01) * certificate_slop<Real>(), Real(1e-3), Real(0), max_iterations};
  const Real g_max = team.max(s.nv, Real(0), [&](int j) { return std::fabs(s.g[j]); });
  ST_ROLLED
  for (int pass = 0; pass < kProjections; ++pass) {
    if (!solve_direction(team, options, a, w, d)) return false;
    if (!(work_along(team, s, d) > Real(1e-6) * g_max)) return false;
    if (direction_violation(team, s, d, w.polish.base) <= certificate_slop<Real>()) return true;
    project_direction(team, d, a);
  }
  return false;
}

}  // namespace stiction
