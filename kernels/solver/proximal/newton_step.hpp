// One nonsmooth Newton step on the proximal problem of newton.hpp: λ⁺(v), F(v), the step's direction and its length.
//
//   contact   λ_i⁺ = P_K(λ_i − ρ_i u_i)          Anitescu's law, no friction; u_i = J_i v + b_i + φ_i/h e_n     (1)
//             λ_i⁺ = f(λ_i − ρ_i u_i)            Coulomb's law: f of torsion_impulse.hpp
//   row       λ_r⁺ = clamp((λ_r/ρ_r − J_r v − b_r)/(R_r + 1/ρ_r), l_r, u_r)                                  (2)
//   F(v) = g − H v − Q (v − v_c) + Jᵀλ⁺(v)                                                                  (3)
//   −F' = S + Σ ρ_i J_iᵀ W_i e_n σ_iᵀ J_i,   S = H + Q + Σ ρ_i J_iᵀ W_i J_i + Σ D_r J_rᵀ J_r              (4)
//   −F' d = F,   v ← v + α d,   α ≈ a root of F(v + α d)·d in (0, 1]                                        (5)
//
// S is symmetric, positive definite and block-sparse. Coulomb's law adds a term of rank one per contact; σ_i is 0 where
// the contact does not slide. GMRES takes this term into account, with one unknown per sliding contact
// (shift_coupling.hpp), so no unsymmetric matrix is factored (docs/adr/0605-newton-on-the-proximal-problem.md). Under
// the other laws F is a gradient and (5) minimises along d. Under Coulomb's law F·d may be negative; v + α d would then
// lead away from the solution, and d = S⁻¹F takes its place.
//
//   symbol   variable       shape            note
//   λ⁺       trial          (contacts, dim)  row_trial (rows)
//   F        newton         (nv)
//   (H+Q)d   held           (nv)
//   ρ_i W_i  weight         (groups)         of ReducedSystem
//   σ        slope          (contacts, dim − 1)  of ShiftMemory; t, o, r
#pragma once

#include "kernels/problem/residual.hpp"
#include "kernels/solver/ground/contact_response.hpp"
#include "kernels/solver/ground/reduced_factor.hpp"
#include "kernels/solver/polish/polish.hpp"
#include "kernels/solver/polish/shift_coupling.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

template <class Real, class Factor>
struct NewtonMemory {
  ScaledProblem<Real> scaled;
  ReducedSystem<Real, Factor> system;
  PolishState<Real> state;
  ShiftMemory<Real> shift;
  AnswerArrays<Real> kept[2];  // the answer before the least motion is sought; scratch of that search
  Array<Real> held;            // (nv) (H + Q) d of the last direction
  ResidualScratch<Real> residual;
};

template <class Real, class Factor>
ST_FN void take_newton_memory(const SolverCapacity& capacity, Arena& arena, NewtonMemory<Real, Factor>& m) {
  m.scaled = take_scaled_problem<Real>(capacity, arena);
  m.system = take_reduced_system<Real, Factor>(capacity, m.scaled.stride, arena);
  m.state = take_polish<Real>(capacity, arena);
  m.shift = take_shift_memory<Real>(capacity, arena);
  m.kept[0] = take_answer<Real>(capacity, arena), m.kept[1] = take_answer<Real>(capacity, arena);
  m.held = arena.take<Real>(static_cast<std::size_t>(capacity.nv));
  m.residual =
      take_residual_scratch<Real>(capacity.nv, capacity.num_blocks, capacity.max_contacts, capacity.max_rows, arena);
}

namespace newton_detail {

/// The share of the right-hand side that GMRES may leave. With 1e-2 the steps still behave like Newton steps, with 5e-2
/// they do not.
template <class Real>
constexpr Real kForcing = sizeof(Real) == 8 ? Real(1e-4) : Real(1e-3);

/// λ_i⁺ of (1), with its derivative
template <class Real>
ST_FN ContactResponse<Real> resolve_contact(const ScaledProblem<Real>& s, ContactLaw law, const PolishState<Real>& x,
                                            Real rho, const ContactVector<Real>& Jv, int i) {
  return stiction::resolve_contact(s, law, s.load(x.lambda, i), Jv, rho * x.stiffness[i], i);
}

/// Computes λ⁺ and F at v, with the weights of (4).
template <class Team, class Real, class Factor>
ST_PHASE void evaluate(const Team& team, ContactLaw law, Real rho, NewtonMemory<Real, Factor>& m) {
  const ScaledProblem<Real>& s = m.scaled;
  PolishState<Real>& x = m.state;
  team.each(s.num_contacts, [&](int i) {
    const auto p = resolve_contact(s, law, x, rho, s.load(x.u, i), i);
    s.store(x.trial, i, p.lambda);
    store_weight(i, scaled(rho * x.stiffness[i], p.weight), m.system);
    if (shifts_gap(law)) store_slope(s, i, p.slope, m.shift);
  });
  team.each(s.num_rows, [&](int r) { evaluate_row(s, rho, r, m.system, x); });
  evaluate_motion(team, s, m.system, x);
  measure_scales(team, s, x.trial, x.row_trial, x.newton, m.system, x.scale);
  finish_newton_vector(team, s, x);
}

/// −F·d at v + α d, where `linear` is the part without impulses.
template <class Team, class Real>
ST_PHASE Real slope_along(const Team& team, const ScaledProblem<Real>& s, ContactLaw law, Real rho, Real linear,
                          Real alpha, const PolishState<Real>& x) {
  return linear - team.sum(s.num_contacts, Real(0), [&](int i) {
    const ContactVector<Real> du = s.load(x.du, i);
    return dot(resolve_contact(s, law, x, rho, s.load(x.u, i) + alpha * du, i).lambda, du);
  }) - team.sum(s.num_rows, Real(0), [&](int r) {
    const Real rho_r = rho * x.stiffness[s.num_contacts + r];
    const Real free = free_row_impulse(s, x.row_lambda[r], x.u_row[r] + alpha * x.du_row[r], rho_r, r);
    return clamp_row(s, free, r) * x.du_row[r];
  });
}

/// F·d
template <class Team, class Real>
ST_FN Real descent_along(const Team& team, const ScaledProblem<Real>& s, const PolishState<Real>& x) {
  return team.sum(s.nv, Real(0), [&](int j) { return x.newton[j] * x.direction[j]; });
}

/// Turns S⁻¹F into d of (4); keeps S⁻¹F if F·d would not be positive.
template <class Team, class Real, class Factor>
ST_FN void couple(const Team& team, Real forcing, NewtonMemory<Real, Factor>& m) {
  PolishState<Real>& x = m.state;
  couple_direction(team, m.scaled, m.system, forcing, m.shift, x);
  if (descent_along(team, m.scaled, x) > Real(0)) return;
  team.each(m.scaled.nv, [&](int j) { x.direction[j] = m.shift.plain[j]; });
  multiply_J(team, m.scaled, x.direction, x.du, x.du_row);
}

/// Computes d of (4), J d and (H + Q) d. `forcing` bounds what GMRES leaves of its right-hand side; GMRES takes at most
/// kKrylov products.
template <class Team, class Real, class Factor>
ST_FN void find_direction(const Team& team, ContactLaw law, Real forcing, NewtonMemory<Real, Factor>& m) {
  const ScaledProblem<Real>& s = m.scaled;
  PolishState<Real>& x = m.state;
  factor_reduced_system(team, s, m.system);
  team.each(s.nv, [&](int j) { x.direction[j] = x.newton[j]; });
  solve_reduced_system(team, s, m.system, x.direction);
  multiply_J(team, s, x.direction, x.du, x.du_row);
  if (shifts_gap(law)) couple(team, forcing, m);
  each_dofs(team, s, [&](const DofRange& dofs) {
    for (int j = dofs.begin; j < dofs.end; ++j) m.held[j] = Real(0);
    add_product(s, s.H, Real(1), dofs, x.direction, m.held);
    add_product(s, m.system.proximal, Real(1), dofs, x.direction, m.held);
  });
}

/// Takes the step (5).
template <class Team, class Real, class Factor>
ST_PHASE void newton_step(const Team& team, ContactLaw law, Real rho, NewtonMemory<Real, Factor>& m) {
  const ScaledProblem<Real>& s = m.scaled;
  PolishState<Real>& x = m.state;
  find_direction(team, law, kForcing<Real>, m);
  const auto along = [&](const Real* a) {
    return team.sum(s.nv, Real(0), [&](int j) { return a[j] * x.direction[j]; });
  };
  const Real descent = descent_along(team, s, x), linear = -along(x.base), curvature = along(m.held);
  const Real alpha =
      find_flat_step(descent, [&](Real a) { return slope_along(team, s, law, rho, linear + a * curvature, a, x); });
  team.each(s.nv, [&](int j) { x.v[j] += alpha * x.direction[j]; });
  team.each(s.dim * s.num_contacts, [&](int i) { x.u[i] += alpha * x.du[i]; });
  team.each(s.num_rows, [&](int r) { x.u_row[r] += alpha * x.du_row[r]; });
}

}  // namespace newton_detail

}  // namespace stiction
