// One step of the alternating direction method on the scaled problem, as a fixed-point map t → T(t).
//
//   min ½ vᵀHv − gᵀv   s.t.   y_i = J_i v + b_i + φ_i/h e_n ∈ K_i*,  multiplier λ_i ∈ K_i                    (1)
//
// The state is t_i = λ_i/ρ_i − y_i and the proximal centre v_c. By Moreau's decomposition t holds both λ and y:
//
//   λ_i = ρ_i P_K(t_i),   y_i = λ_i/ρ_i − t_i                                                               (2)
//   (H + Q + Σ ρ_i J_iᵀJ_i) (v − v_c) = g − H v_c + Σ J_iᵀ(λ_i + ρ_i (y_i − b_i − φ_i/h e_n − J_i v_c))      (3)
//   t_i⁺ = λ_i/ρ_i − (J_i v + b_i + φ_i/h e_n),   v_c⁺ = v                                                  (4)
//
// A general row has λ = clamp(ρ t/(1 + ρ R), l, u) instead of the projection. Q keeps (3) regular where H and the
// contacts leave a body free. Its centre moves with v, so it leaves no bias. The unknown of (3) is v − v_c, which tends
// to zero, so a rounded factor delays the iteration but does not change its limit. Under Coulomb's law b_i contains the
// shift s_i of y_i, whose tangential part is that of J v + b, so T remains a function of the state.
//
//   symbol   variable   shape
//   t, v_c   state      (dim contacts + rows + nv)
//   T(t)     image      as state
//   ρ_i/ρ    stiffness  (groups)
//   weights  weight     as state; those of the state's norm: ρ_i and the diagonal of Q
#pragma once

#include "kernels/problem/shift.hpp"
#include "kernels/solver/ground/reduced_products.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

template <class Real>
struct AdmmState {
  Array<Real> state, image, weight;        // t and v_c; T(t) of the last step; weights, set with ρ
  Array<Real> v, rhs;                      // (nv) v of the last step; right-hand side of (3), then v − v_c
  Array<Real> lambda, row_lambda;          // (contacts, dim), (rows) λ of the state, once it is decoded
  Array<Real> pull, row_pull;              // as lambda: λ + ρ (y − b − J v_c), scratch of a step
  Array<Real> u, u_row;                    // as lambda: J v_c at the beginning of a step, J v at its end
  Array<Real> shift;                       // (contacts) s_i of the state, once it is decoded
  Array<Real> stiffness, block_stiffness;  // (groups) ρ_i/ρ; (blocks) the impulse that a block brings

  ST_FN AnswerArrays<Real> answer() const { return {v, lambda, row_lambda}; }
};

ST_FN int admm_state_size(const SolverCapacity& capacity) {
  return capacity.shape.dimension * capacity.max_contacts + capacity.max_rows + capacity.nv;
}

template <class Real>
ST_FN AdmmState<Real> take_admm_state(const SolverCapacity& capacity, Arena& arena) {
  const auto take = [&](int count) { return arena.take<Real>(static_cast<std::size_t>(count)); };
  const int n = admm_state_size(capacity), m = capacity.shape.dimension * capacity.max_contacts, r = capacity.max_rows;
  AdmmState<Real> x{};
  x.state = take(n), x.image = take(n), x.weight = take(n);
  x.v = take(capacity.nv), x.rhs = take(capacity.nv);
  x.lambda = take(m), x.row_lambda = take(r), x.pull = take(m), x.row_pull = take(r);
  x.u = take(m), x.u_row = take(r), x.shift = take(capacity.max_contacts);
  x.stiffness = take(capacity.max_contacts + r), x.block_stiffness = take(capacity.num_blocks);
  return x;
}

namespace admm_detail {

template <class Real>
ST_FN ContactVector<Real> contact_offset(const ScaledProblem<Real>& s, const AdmmState<Real>& x, int i) {
  ContactVector<Real> b = s.load(s.offset, i);
  b.n += x.shift[i];
  return b;
}

template <class Real>
ST_FN ContactVector<Real> project_state(const ScaledProblem<Real>& s, const AdmmState<Real>& x, int i) {
  return project_point_to_cone(s.table, s.friction(i), s.load(x.state, i));
}

template <class Real>
ST_FN Real row_impulse(const ScaledProblem<Real>& s, Real t, Real rho, int r) {
  return clamped(rho * t / (Real(1) + rho * s.row_compliance[r]), s.row_lower[r], s.row_upper[r]);
}

}  // namespace admm_detail

/// Computes λ of the state by (2), and the shift.
template <class Team, class Real>
ST_PHASE void decode_impulses(const Team& team, const ScaledProblem<Real>& s, ContactLaw law, Real rho,
                              AdmmState<Real>& x) {
  using namespace admm_detail;
  team.each(s.num_contacts, [&](int i) {
    const ContactVector<Real> point = project_state(s, x, i), y = point - s.load(x.state, i);
    s.store(x.lambda, i, (rho * x.stiffness[i]) * point);
    x.shift[i] = shift_gap(law, s.table, s.friction(i), y);
  });
  team.each(s.num_rows, [&](int r) {
    x.row_lambda[r] = row_impulse(s, x.state[s.dim * s.num_contacts + r], rho * x.stiffness[s.num_contacts + r], r);
  });
}

namespace admm_detail {

/// λ + ρ (y − b − J v_c), with y from (2) and J v_c in x.u
template <class Team, class Real>
ST_FN void fill_pull(const Team& team, const ScaledProblem<Real>& s, Real rho, AdmmState<Real>& x) {
  team.each(s.num_contacts, [&](int i) {
    const Real rho_i = rho * x.stiffness[i];
    const ContactVector<Real> lambda = s.load(x.lambda, i), t = s.load(x.state, i);
    s.store(x.pull, i, Real(2) * lambda - rho_i * (t + contact_offset(s, x, i) + s.load(x.u, i)));
  });
  team.each(s.num_rows, [&](int r) {
    const Real rho_r = rho * x.stiffness[s.num_contacts + r], t = x.state[s.dim * s.num_contacts + r];
    x.row_pull[r] = Real(2) * x.row_lambda[r] - rho_r * (t + s.row_offset[r] + x.u_row[r]);
  });
}

/// Writes t = λ/ρ − (J v + b) and v of (4) to `state`, from x.u and x.v
template <class Team, class Real>
ST_FN void fill_state(const Team& team, const ScaledProblem<Real>& s, Real rho, const AdmmState<Real>& x,
                      Pointer<Real> state) {
  team.each(s.num_contacts, [&](int i) {
    const Real inverse = Real(1) / (rho * x.stiffness[i]);
    s.store(state, i, inverse * s.load(x.lambda, i) - s.load(x.u, i) - contact_offset(s, x, i));
  });
  team.each(s.num_rows, [&](int r) {
    const Real rho_r = rho * x.stiffness[s.num_contacts + r];
    state[s.dim * s.num_contacts + r] = x.row_lambda[r] / rho_r - x.u_row[r] - s.row_offset[r];
  });
  team.each(s.nv, [&](int j) { state[s.dim * s.num_contacts + s.num_rows + j] = x.v[j]; });
}

}  // namespace admm_detail

/// Sets the shift to that of J v + b: without it, an answer whose contacts slide is no fixed point of T.
template <class Team, class Real>
ST_PHASE void encode_shift(const Team& team, const ScaledProblem<Real>& s, ContactLaw law, AdmmState<Real>& x) {
  multiply_J(team, s, x.v, x.u, x.u_row);
  team.each(s.num_contacts,
            [&](int i) { x.shift[i] = shift_gap(law, s.table, s.friction(i), s.load(x.u, i) + s.load(s.offset, i)); });
}

/// Sets the state to that of (v, λ), with y = J v + b.
template <class Team, class Real>
ST_PHASE void encode_state(const Team& team, const ScaledProblem<Real>& s, Real rho, AdmmState<Real>& x) {
  multiply_J(team, s, x.v, x.u, x.u_row);
  admm_detail::fill_state(team, s, rho, x, x.state);
}

/// Computes v of (3) and image = T(state); x.lambda must hold the λ of the state.
template <class Team, class Real, class Factor>
ST_PHASE void step_admm(const Team& team, const ScaledProblem<Real>& s, const ReducedSystem<Real, Factor>& system,
                        Real rho, AdmmState<Real>& x) {
  const Real* center = x.state + s.dim * s.num_contacts + s.num_rows;
  multiply_J(team, s, center, x.u, x.u_row);
  admm_detail::fill_pull(team, s, rho, x);
  each_dofs(team, s, [&](const DofRange& dofs) {
    for (int j = dofs.begin; j < dofs.end; ++j) x.rhs[j] = s.g[j];
    add_product(s, s.H, Real(-1), dofs, center, x.rhs);
    add_JT(team, s, system, dofs, x.pull, x.row_pull, x.rhs);
  });
  solve_reduced_system(team, s, system, x.rhs);
  team.each(s.nv, [&](int j) { x.v[j] = center[j] + x.rhs[j]; });
  multiply_J(team, s, x.v, x.u, x.u_row);
  admm_detail::fill_state(team, s, rho, x, x.image);
}

}  // namespace stiction
