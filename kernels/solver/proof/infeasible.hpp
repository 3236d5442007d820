// Proves that a step is infeasible. Impulses that push against each other without a resultant prove it (Farkas):
//
//   y_i ∈ K_i,  Σ J_iᵀ y_i = 0,  Σ y_i·(b_i + φ_i/h e_n) < 0                                          (1)
//
// This is for s = 0. Under Coulomb's law û_i ∈ K_i* means u_n + φ/h >= 0, and the caller poses the problem without
// friction; y_i is then normal, and (1) holds for K_i, too. y are the multipliers of the least total slack, which is a
// linear problem with the elastic normal rows of the interior point method:
//
//   min Σ τ_i   s.t.  g_k·(J_i v + b_i) + φ_i/h + τ_i >= 0,  τ_i >= 0                                 (2)
//
// Limits and couplings are elastic through a bound of 1 on their multipliers. Rows with compliance or with both bounds
// never make a step infeasible and are left out. What the proximal term leaves of Jᵀy is removed by weighted least
// squares,
//
//   Δy_i = −Q_i J_i x with (Σ J_iᵀQ_i J_i) x = Jᵀy,   Q = Σ β_k² g_k g_kᵀ                              (3)
//   quadratic cone: Q = M (2 z zᵀ − det(z) J) M, z = M⁻¹ y          path/quadratic.hpp
//
// whose unit ball around y is inside the cone. (1) is checked before it is claimed.
#pragma once

#include "kernels/solver/default/phases.hpp"
#include "kernels/solver/ground/auxiliary_problem.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

namespace infeasible_detail {

/// What rounding may leave of Jᵀy, relative to the largest y.
template <class Real>
ST_FN Real slop() {
  return sizeof(Real) == 8 ? Real(1e-10) : Real(1e-4);
}

/// ε of the proximal term in (2). It is small, because what it leaves of Jᵀy has to be corrected and a free direction
/// has to cost next to nothing.
template <class Real, class Factor>
constexpr Real kProximal = sizeof(Real) == 8 && sizeof(Factor) == 8 ? Real(1e-12) : Real(1e-6);

/// The path's estimate for (2) at which the last correction is tried.
template <class Real>
constexpr Real kLastTolerance = Real(0.99e-8);

template <class Team, class Real>
ST_FN ScaledProblem<Real>& pose_slack_problem(const Team& team, const ScaledProblem<Real>& s,
                                              AuxiliaryMemory<Real>& memory) {
  ScaledProblem<Real>& a = copy_problem(team, s, memory);
  team.each(s.H_entries, [&](int ij) { a.H[ij] = Real(0); });
  team.each(s.nv, [&](int j) { a.g[j] = Real(0), a.H_zero[j] = 1; });
  team.each(s.num_rows, [&](int r) {
    const bool hard = !(s.row_compliance[r] > Real(0)) && (!has_low(s, r) || !has_high(s, r));
    a.row_lower[r] = hard && !has_low(s, r) ? Real(-1) : Real(0);
    a.row_upper[r] = hard && !has_high(s, r) ? Real(1) : Real(0);
    a.row_compliance[r] = Real(0);
  });
  return a;
}

/// Writes Jᵀy to `out` and returns its largest entry.
template <class Team, class Real, class Factor>
ST_FN Real resultant(const Team& team, const ScaledProblem<Real>& s, const ReducedSystem<Real, Factor>& system,
                     InteriorPointState<Real>& x, Pointer<Real> out) {
  team.each(s.num_contacts, [&](int i) { s.store(x.lambda, i, contact_impulse(s, x, i)); });
  multiply_JT(team, s, system, x.lambda, x.row_lambda, out);
  return team.max(s.nv, Real(0), [&](int j) { return std::fabs(out[j]); });
}

/// Moves z by −(2 z zᵀ − det(z) J) u, and back into the cone if rounding has moved it outside.
template <class Real>
ST_FN ContactVector<Real> move_quadratic(const ContactVector<Real>& z, const ContactVector<Real>& u) {
  const ContactVector<Real> moved = z - (Real(2) * dot(z, u)) * z + lorentz(z) * reflect(u);
  const Real n = larger(moved.n, Real(0)), length = norm_of_friction(moved), share = length > n ? n / length : Real(1);
  return {n, share * moved.t, share * moved.o, share * moved.r};
}

template <class Real>
ST_FN void move_contact(const ScaledProblem<Real>& s, int i, InteriorPointState<Real>& x) {
  const ContactVector<Real> u = s.load(x.du, i);
  if (is_quadratic(s)) {
    const ContactVector<Real> scaled = scale_by_friction(s, i, u);
    return s.store(x.beta, i, move_quadratic(s.load(x.beta, i), scaled));
  }
  each_generator(s, i, [&](int ik, const ContactVector<Real>& g) {
    Real& beta = x.beta[ik];
    beta = larger(beta - beta * beta * dot(g, u), Real(0));
  });
}

/// One weighted least-squares correction (3) of y towards Jᵀy = 0.
template <class Team, class Real, class Factor>
ST_FN void remove_resultant(const Team& team, const ScaledProblem<Real>& s, const ReducedSystem<Real, Factor>& system,
                            InteriorPointState<Real>& x) {
  solve_reduced_system(team, s, system, x.direction);
  multiply_J(team, s, x.direction, x.du, x.du_row);
  team.each(s.num_contacts, [&](int i) { move_contact(s, i, x); });
  team.each(s.num_rows, [&](int r) {
    const Real y = x.row_lambda[r], changed = y - y * y * x.du_row[r];
    x.row_lambda[r] = y * changed > Real(0) ? changed : Real(0);
  });
}

/// Q_i of (3)
template <class Real>
ST_FN Sym4<Real> weigh_impulse(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x, int i) {
  if (is_quadratic(s)) {
    const ContactVector<Real> z = s.load(x.beta, i);
    const Friction<Real> mu = s.friction(i);
    const Real det = lorentz(z);
    Sym4<Real> a = scaled_outer(Real(2), scale_by_friction(s, i, z));
    a.nto.nn -= det, a.nto.tt += det * mu.mu_t * mu.mu_t, a.nto.oo += det * mu.mu_o * mu.mu_o;
    a.r.r += det * mu.mu_r * mu.mu_r;
    return a;
  }
  Sym4<Real> w{};
  each_generator(s, i, [&](int ik, const ContactVector<Real>& g) {
    const Real beta = x.beta[ik];
    w = w + scaled_outer(beta * beta, g);
  });
  return w;
}

template <class Team, class Real, class Factor>
ST_FN void weigh_multipliers(const Team& team, const ScaledProblem<Real>& s, const InteriorPointState<Real>& x,
                             ReducedSystem<Real, Factor>& system) {
  team.each(s.num_contacts, [&](int i) { store_weight(i, weigh_impulse(s, x, i), system); });
  team.each(s.num_rows, [&](int r) { system.weight[s.num_contacts + r].nn = x.row_lambda[r] * x.row_lambda[r]; });
  factor_reduced_system(team, s, system);
}

/// Sets multipliers to zero that are zero up to the accuracy of the linear problem.
template <class Team, class Real>
ST_FN void drop_small_multipliers(const Team& team, const ScaledProblem<Real>& s, Real threshold,
                                  InteriorPointState<Real>& x) {
  const int together = is_quadratic(s) ? s.dim : 1;  // number of entries that are dropped together with the first
  team.each(s.num_contacts * (s.facets / together), [&](int j) {
    Real* beta = x.beta + j * together;
    if (beta[0] > threshold) return;
    ST_ROLLED
    for (int k = 0; k < together; ++k) beta[k] = Real(0);
  });
  team.each(s.num_rows,
            [&](int r) { x.row_lambda[r] = std::fabs(x.row_lambda[r]) > threshold ? x.row_lambda[r] : Real(0); });
}

/// Σ y·(b + φ/h e_n), or if `absolute` the same with absolute values, to which rounding is relative.
template <class Team, class Real>
ST_FN Real farkas_product(const Team& team, const ScaledProblem<Real>& s, const InteriorPointState<Real>& x,
                          bool absolute) {
  const auto term = [&](Real y, Real offset) { return absolute ? std::fabs(y * offset) : y * offset; };
  return team.sum(s.dim * s.num_contacts, Real(0), [&](int i) { return term(x.lambda[i], s.offset[i]); }) +
         team.sum(s.num_rows, Real(0), [&](int r) { return term(x.row_lambda[r], s.row_offset[r]); });
}

template <class Team, class Real>
ST_FN void copy_multipliers(const Team& team, const ScaledProblem<Real>& s, Pointer<const Real> beta,
                            Pointer<const Real> row_lambda, Pointer<Real> to_beta, Pointer<Real> to_row_lambda) {
  team.each(s.num_contacts * s.facets, [&](int ik) { to_beta[ik] = beta[ik]; });
  team.each(s.num_rows, [&](int r) { to_row_lambda[r] = row_lambda[r]; });
}

/// Corrects the multipliers at the present iterate of the path of (2) towards (1); true if they then satisfy (1). The
/// problem `a` has no H, which would resist the correction.
template <class Team, class Real, class Factor>
ST_PHASE bool correct_certificate(const Team& team, const ScaledProblem<Real>& auxiliary,
                                  ReducedSystem<Real, Factor>& system, InteriorPointState<Real>& x) {
  drop_small_multipliers(team, auxiliary, Real(1e-6), x);
  weigh_multipliers(team, auxiliary, x, system);
  for (int round = 0; round < 8; ++round) {
    if (resultant(team, auxiliary, system, x, x.direction) <= Real(0.01) * slop<Real>()) break;
    remove_resultant(team, auxiliary, system, x);
  }
  const Real left = resultant(team, auxiliary, system, x, x.direction);
  const Real largest =
      larger(team.max(auxiliary.dim * auxiliary.num_contacts, Real(0), [&](int i) { return std::fabs(x.lambda[i]); }),
             team.max(auxiliary.num_rows, Real(0), [&](int r) { return std::fabs(x.row_lambda[r]); }));
  const Real least = slop<Real>() * (farkas_product(team, auxiliary, x, true) + largest);
  return largest > Real(1e-3) && left <= slop<Real>() * largest && farkas_product(team, auxiliary, x, false) < -least;
}

}  // namespace infeasible_detail

/// True if a certificate (1) was found and verified; y is then in w.interior.lambda and .row_lambda. It is tried at
/// several iterates: the multipliers of an early one lie deep inside their cones and leave the most room for the
/// correction, those of a late one make the product in (1) most negative.
template <class Team, class Real, class Factor>
ST_PHASE bool find_opposing_impulses(const Team& team, const ScaledProblem<Real>& s, int max_iterations,
                                     AuxiliaryMemory<Real>& memory, SolverWorkspace<Real, Factor>& w) {
  using namespace infeasible_detail;
  ScaledProblem<Real>& a = pose_slack_problem(team, s, memory);
  InteriorPointState<Real>& x = w.interior;
  InteriorPointOptions<Real>& options = *x.options;
  team.once([&] { options = {kProximal<Real, Factor>, Real(1), Real(1e-2), max_iterations}; });
  team.each(s.nv, [&](int j) { x.v[j] = x.center[j] = Real(0); });
  start_interior_point(team, a, Real(1), x);
  for (; options.tolerance >= kLastTolerance<Real>; team.once([&] { options.tolerance *= Real(1e-2); })) {
    const auto& path = run_path(team, a, w);
    if (path.end == InteriorPointEnd::kNotFinite) return false;
    copy_multipliers(team, a, x.beta, x.row_lambda, x.target, x.target_low);
    if (correct_certificate(team, a, w.system, x)) return true;
    if (path.end != InteriorPointEnd::kConverged) return false;
    copy_multipliers(team, a, x.target, x.target_low, x.beta, x.row_lambda);
  }
  return false;
}

}  // namespace stiction
