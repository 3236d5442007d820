// De Saxcé's shift inside a Newton step: s_i follows the motion that the step looks for.
//
//   s_i = G_i(v),  ∂s_i = σ_i·∂u_t,i        σ_i = slope of the support function                        (1)
//   the shift is a part of û, so that a step with the matrix S = H + Q + Σ JᵀW J becomes
//   Δv = S⁻¹ (b − Σ J_iᵀW_i e_n y_i),  y_i = σ_i·J_t,i Δv                                             (2)
//   (I + σJ S⁻¹ JᵀW e_n) y = σJ S⁻¹ b                                                                (3)
//
// (3) has one unknown per contact, is not symmetric, and each product with its matrix costs one solve with the factor
// of S. It is solved by GMRES. Along the central path the corner that G has where a contact sticks is rounded off. For
// quadratic cones s = √(G² + δ²), with δ = rounding √μ.
//
//   symbol    variable        shape                     unit
//   s, G, F   s, G, F         (contacts)                that of ScaledProblem's velocities;  F = G − s
//   σ         slope           (contacts, dim − 1)       t, o, r
//   y         y               (contacts)
//   ΔG, ΔF    dG, dF          (kShiftMemory, contacts)  that of s; default/rounds.hpp (5)
#pragma once

#include "kernels/problem/shift.hpp"
#include "kernels/solver/ground/reduced_products.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

/// Number of differences that the extrapolation in default/rounds.hpp remembers.
constexpr int kShiftMemory = 5;
/// Limit on the products in one GMRES run; 300 sliding contacts take 17 on average to reach 1e-4.
constexpr int kKrylov = 24;

/// γ of the extrapolation in default/rounds.hpp: the normal equations A γ = b, factored in place.
template <class Real>
struct ShiftMixing {
  Real A[kShiftMemory][kShiftMemory], gamma[kShiftMemory];
};

/// The small system of GMRES: Arnoldi's Hessenberg matrix, rotated to upper triangular form, and its right-hand side.
template <class Real>
struct KrylovFit {
  Real h[kKrylov + 1][kKrylov], right[kKrylov + 1];
  Real cosine[kKrylov], sine[kKrylov];  // Givens rotations
};

template <class Real>
struct ShiftMemory {
  // (contacts) φ/h + b_n, set once by `keep_gaps`; the present s; G(v) and G − s of the last round that was remembered
  Array<Real> gap, s, G, F;
  Array<Real> next_G;               // (contacts) G of the last motion measured; not remembered as a round yet
  Array<Real> dG, dF;               // (kShiftMemory, contacts) differences between rounds, in a ring
  Array<ShiftMixing<Real>> mixing;  // scratch of the extrapolation
  Array<Real> slope, y;             // (contacts, dim − 1) σ at the last G; (contacts) the last y of (3)
  Array<Real> from;                 // (contacts) the s at which the present Newton step on s began
  Array<Real> krylov;               // (kKrylov + 1, contacts) basis of GMRES; the first vector takes the right side
  Array<Real> push;                 // (contacts, dim) impulses −W e_n y of the last product
  Array<KrylovFit<Real>> fit;       // small system that belongs to the vectors in krylov
  Array<Real> plain, no_rows;       // (nv) direction without the coupling; (rows) zeros
  Array<Real> g;                    // (nv) g of the problem without a proximal term
  AnswerArrays<Real> best;          // best answer of the rounds from the present start
  AnswerArrays<Real> kept;          // best answer of all starts
  Array<Real> rounding;             // (1) δ over √μ
};

/// Takes no memory for laws without a shift.
template <class Real>
ST_FN ShiftMemory<Real> take_shift_memory(const SolverCapacity& capacity, Arena& arena) {
  if (!shifts_gap(capacity.shape.law)) return {};
  const auto take = [&](int count) { return arena.take<Real>(static_cast<std::size_t>(count)); };
  const int n = capacity.max_contacts;
  ShiftMemory<Real> m{};
  m.gap = take(n), m.s = take(n), m.G = take(n), m.F = take(n), m.next_G = take(n);
  m.dG = take(kShiftMemory * n), m.dF = take(kShiftMemory * n);
  m.slope = take((capacity.shape.dimension - 1) * n), m.y = take(n), m.from = take(n);
  m.krylov = take((kKrylov + 1) * n), m.push = take(capacity.shape.dimension * n);
  m.fit = arena.take<KrylovFit<Real>>(1), m.mixing = arena.take<ShiftMixing<Real>>(1);
  m.rounding = take(1);
  m.plain = take(capacity.nv), m.no_rows = take(capacity.max_rows), m.g = take(capacity.nv);
  m.best = take_answer<Real>(capacity, arena);
  m.kept = take_answer<Real>(capacity, arena);
  return m;
}

/// Relative residual at which GMRES may stop along the central path, as a share of the right-hand side.
template <class Real>
constexpr Real kPathForcing = Real(0.05);

/// Stores σ of contact i; the n component of `slope` is not read.
template <class Real>
ST_FN void store_slope(const ScaledProblem<Real>& s, int i, const ContactVector<Real>& slope, ShiftMemory<Real>& m) {
  Real* out = m.slope + (s.dim - 1) * i;
  out[0] = slope.t, out[1] = slope.o;
  if (s.dim == 4) out[2] = slope.r;
}

namespace coupling_detail {

/// σ·(t, o, r) of contact i in an array (contacts, dim)
template <class Real>
ST_FN Real along_slope(const ScaledProblem<Real>& s, const ShiftMemory<Real>& m, int i, Pointer<const Real> a) {
  const Real *slope = m.slope + (s.dim - 1) * i, *u = a + s.dim * i;
  const Real sum = slope[0] * u[1] + slope[1] * u[2];
  return s.dim == 4 ? sum + slope[2] * u[3] : sum;
}

/// out = y + σJ S⁻¹ JᵀW e_n y; −S⁻¹ JᵀW e_n y is left in x.direction.
template <class Team, class Real, class Factor, class State>
ST_PHASE void multiply_coupling(const Team& team, const ScaledProblem<Real>& s,
                                const ReducedSystem<Real, Factor>& system, Pointer<const Real> y, ShiftMemory<Real>& m,
                                State& x, Pointer<Real> out) {
  team.each(s.num_contacts, [&](int i) { s.store(m.push, i, -y[i] * first_column(load_weight(system, i))); });
  multiply_JT(team, s, system, m.push, m.no_rows, x.direction);
  solve_reduced_system(team, s, system, x.direction);
  multiply_J(team, s, x.direction, x.du, x.du_row);
  team.each(s.num_contacts, [&](int i) { out[i] = y[i] - along_slope(s, m, i, x.du); });
}

/// One step of Arnoldi's process: makes `next` a basis vector and writes column k of the Hessenberg matrix.
template <class Team, class Real>
ST_FN void orthogonalise(const Team& team, int n, int k, Pointer<const Real> basis, Pointer<Real> next,
                         KrylovFit<Real>& fit) {
  for (int j = 0; j <= k; ++j) {
    const Real* v = basis + j * n;
    const Real along = team.sum(n, Real(0), [&](int i) { return next[i] * v[i]; });
    team.each(n, [&](int i) { next[i] -= along * v[i]; });
    team.once([&] { fit.h[j][k] = along; });
  }
  const Real size = std::sqrt(team.sum(n, Real(0), [&](int i) { return next[i] * next[i]; }));
  const Real inverse = size > Real(0) ? Real(1) / size : Real(0);
  team.each(n, [&](int i) { next[i] *= inverse; });
  team.once([&] { fit.h[k + 1][k] = size; });
}

/// Rotates column k to upper triangular form, and the right-hand side with it.
template <class Real>
ST_FN void rotate_column(int k, KrylovFit<Real>& fit) {
  auto& h = fit.h;
  for (int j = 0; j < k; ++j) {
    const Real upper = fit.cosine[j] * h[j][k] + fit.sine[j] * h[j + 1][k];
    h[j + 1][k] = fit.cosine[j] * h[j + 1][k] - fit.sine[j] * h[j][k];
    h[j][k] = upper;
  }
  const Real size = std::sqrt(h[k][k] * h[k][k] + h[k + 1][k] * h[k + 1][k]);
  fit.cosine[k] = size > Real(0) ? h[k][k] / size : Real(1);
  fit.sine[k] = size > Real(0) ? h[k + 1][k] / size : Real(0);
  h[k][k] = size;
  fit.right[k + 1] = -fit.sine[k] * fit.right[k];
  fit.right[k] = fit.cosine[k] * fit.right[k];
}

/// Solves for the coefficients of the first k basis vectors, which overwrite the right-hand side.
template <class Real>
ST_FN void solve_triangle(int k, KrylovFit<Real>& fit) {
  for (int j = k - 1; j >= 0; --j) {
    for (int l = j + 1; l < k; ++l) fit.right[j] -= fit.h[j][l] * fit.right[l];
    fit.right[j] = fit.h[j][j] > Real(0) ? fit.right[j] / fit.h[j][j] : Real(0);
  }
}

}  // namespace coupling_detail

/// G of contact i, with u = J v + b; its σ is stored in m.slope.
template <class Real>
ST_PHASE Real differentiate_shift(const ScaledProblem<Real>& s, ContactVector<Real> u, Real delta, int i,
                                  ShiftMemory<Real>& m) {
  const SmoothSupport<Real> G = smooth_support(s.table, s.friction(i), u, delta);
  store_slope(s, i, G.slope, m);
  return G.s;
}

/// Solves (3) for m.y; the right-hand side is in m.krylov's first vector. False if that is 0, so that y = 0.
template <class Team, class Real, class Factor, class State>
ST_PHASE bool solve_coupling(const Team& team, const ScaledProblem<Real>& s, const ReducedSystem<Real, Factor>& system,
                             Real forcing, ShiftMemory<Real>& m, State& x) {
  KrylovFit<Real>& fit = *m.fit;
  const int n = s.num_contacts;
  const Real size = std::sqrt(team.sum(n, Real(0), [&](int i) { return m.krylov[i] * m.krylov[i]; }));
  team.each(n, [&](int i) { m.y[i] = Real(0); });
  if (!(size > Real(0))) return false;
  team.each(n, [&](int i) { m.krylov[i] /= size; });
  team.once([&] { fit.right[0] = size; });
  const Real enough = forcing * size;
  const int most = smaller(kKrylov, n);  // the system has n unknowns: further vectors would be rounding only
  int k = 0;
  while (k < most) {
    Real* next = m.krylov + (k + 1) * n;
    coupling_detail::multiply_coupling(team, s, system, m.krylov + k * n, m, x, next);
    coupling_detail::orthogonalise(team, n, k, m.krylov, next, fit);
    team.once([&] { coupling_detail::rotate_column(k, fit); });
    ++k;
    if (!(std::fabs(fit.right[k]) > enough)) break;
  }
  team.once([&] { coupling_detail::solve_triangle(k, fit); });
  team.each(n, [&](int i) {
    for (int j = 0; j < k; ++j) m.y[i] += fit.right[j] * m.krylov[j * n + i];
  });
  return true;
}

/// Sets s to G of the velocities u = J v, with corners rounded off by the central path's mu. Stores σ and updates the
/// offsets of the problem.
template <class Team, class Real>
ST_APART void follow_shift(const Team& team, Real mu, Pointer<const Real> u, ScaledProblem<Real>& s,
                           ShiftMemory<Real>& m) {
  const Real delta = *m.rounding * std::sqrt(larger(mu, Real(0)));
  team.each(s.num_contacts, [&](int i) {
    m.s[i] = differentiate_shift(s, s.load(u, i) + s.load(s.scripted, i), delta, i, m);
    s.offset[s.dim * i] = m.gap[i] + m.s[i];
  });
  team.each(s.num_rows, [&](int r) { m.no_rows[r] = Real(0); });
}

/// (2): turns x.direction = S⁻¹ b and its x.du into the coupled direction. The change of s is left in m.y.
template <class Team, class Real, class Factor, class State>
ST_APART void couple_direction(const Team& team, const ScaledProblem<Real>& s,
                               const ReducedSystem<Real, Factor>& system, Real forcing, ShiftMemory<Real>& m,
                               State& x) {
  team.each(s.num_contacts, [&](int i) { m.krylov[i] = coupling_detail::along_slope(s, m, i, x.du); });
  team.each(s.nv, [&](int j) { m.plain[j] = x.direction[j]; });
  if (!solve_coupling(team, s, system, forcing, m, x)) return;
  coupling_detail::multiply_coupling(team, s, system, m.y, m, x, m.krylov);
  team.each(s.nv, [&](int j) { x.direction[j] += m.plain[j]; });
  multiply_J(team, s, x.direction, x.du, x.du_row);
}

}  // namespace stiction
