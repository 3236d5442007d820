// The step (3) of impulses.hpp through the velocities, where far more rows move than there are velocities.
//
//   E_i δ_i + ρ_i D_i A_iᵀ w = F_i,   w = Σ_j A_j δ_j,   E_i = I − (1 − ρ_i R_i − ε) D_i            (1)
//   (I + Σ_i A_i E_i⁻¹ ρ_i D_i A_iᵀ) w = Σ_i A_i E_i⁻¹ F_i                                          (2)
//   δ_i = E_i⁻¹ (F_i − ρ_i D_i A_iᵀ w)                                                              (3)
//
// The eigenvalues of D are within [0, 1], those of E at least ε. Rounding grows as ε^(−3/2) at worst: four digits are
// left at the least ε in double, and none in single precision.
//
//   symbol     variable            shape
//   E⁻¹ ρ D    slope, over D       (members, 16) row-major (dim, dim)
//   E⁻¹ F, δ   step                (kRows) of the members' rows
//   (2)        matrix              (nv, nv), and a row of scratch: as nv < kRows, there is room
//   w          v                   (nv)
#pragma once

#include "kernels/linalg/small_lu.hpp"
#include "kernels/solver/impulses/state.hpp"

namespace stiction {

namespace impulse_detail {

/// True if (2) is less work than the n moving rows, and exact enough.
template <class Real>
ST_FN bool goes_through_velocities(int n, int nv) {
  return sizeof(Real) == 8 && n >= 2 * nv;
}

/// 1 − ρ R − ε, of a group with compliance R.
template <class Real>
ST_FN Real kept_share(const ScaledProblem<Real>& s, int m, Real ridge, const ImpulseState<Real>& x) {
  const int row = x.group[m] - s.num_contacts;
  return Real(1) - ridge - (row < 0 ? Real(0) : x.rho[m] * s.row_compliance[row]);
}

/// Writes E⁻¹ F and E⁻¹ ρ D of a member; false if E is not finite.
template <class Real>
ST_FN bool eliminate_member(int m, int dim, Real share, ImpulseState<Real>& x) {
  Real E[16], column[4];
  int exchanged[4];
  Real *D = x.slope + 16 * m, *step = x.step + x.first[m];
  for (int a = 0; a < dim; ++a) {
    step[a] = x.gap[x.first[m] + a];
    for (int c = 0; c < dim; ++c) E[a * dim + c] = (a == c ? Real(1) : Real(0)) - share * D[a * dim + c];
  }
  if (!factor_rows(E, dim, exchanged)) return false;
  solve_rows(E, dim, exchanged, step);
  for (int c = 0; c < dim; ++c) {
    for (int a = 0; a < dim; ++a) column[a] = x.rho[m] * D[a * dim + c];
    solve_rows(E, dim, exchanged, column);
    for (int a = 0; a < dim; ++a) D[a * dim + c] = column[a];
  }
  return true;
}

/// Adds a member to (2).
template <class Real>
ST_FN void add_to_velocities(int nv, int m, int dim, ImpulseState<Real>& x) {
  const Real *A = x.whitened + x.first[m] * nv, *step = x.step + x.first[m];
  Real *matrix = x.matrix, *row = matrix + nv * nv;
  for (int a = 0; a < dim; ++a) {
    const Real* X = x.slope + 16 * m + a * dim;
    add_scaled(nv, step[a], A + a * nv, x.v.data());
    bool any = false;
    for (int j = 0; j < nv; ++j) row[j] = Real(0);
    for (int c = 0; c < dim; ++c) {
      if (X[c] == Real(0)) continue;
      add_scaled(nv, X[c], A + c * nv, row);
      any = true;
    }
    for (int j = 0; any && j < nv; ++j)
      if (A[a * nv + j] != Real(0)) add_scaled(nv, A[a * nv + j], row, matrix + j * nv);
  }
}

/// (3): λ += δ of a member.
template <class Real>
ST_FN void add_step(int nv, int m, int dim, Real* lambda, ImpulseState<Real>& x) {
  const Real *X = x.slope + 16 * m, *A = x.whitened + x.first[m] * nv;
  Real* step = x.step + x.first[m];
  for (int c = 0; c < dim; ++c) {
    const Real along = dot_rows(nv, A + c * nv, x.v.data());
    for (int a = 0; a < dim; ++a) step[a] -= X[a * dim + c] * along;
  }
  for (int a = 0; a < dim; ++a) lambda[a] += step[a];
}

}  // namespace impulse_detail

}  // namespace stiction
