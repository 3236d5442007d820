// The first step of a polish that starts far from a solution: λ⁺ is taken as it would be on the faces that hold λ.
//
//   D_i = DP_K(λ_i − ρ_s û_i),  ρ_s ≪ ρ                  the face that λ_i is on; û decides only at the face's edge
//   λ_i⁺ = D_i (λ_i − ρ û_i),   W_i = ρ D_i              (1) of polish.hpp if λ_i⁺ is on that face; linear in v
//
// A cone's faces pass through 0, so that on them P_K is D_i itself. In the last step's answer, v is less useful than λ:
// since then bodies have moved and have been driven on, so ρ û at the old v says little about which contacts will hold.
// Their impulses say more.
#pragma once

#include "kernels/solver/polish/terms.hpp"

namespace stiction {

namespace polish_detail {

/// ρ_s / ρ
template <class Real>
constexpr Real kSoft = Real(1e-4);

/// Computes the predicted λ⁺ and W_i of a contact with torsion.
template <class Real, class Factor>
ST_APART void predict_torsion(const ScaledProblem<Real>& s, Real rho, int i, ReducedSystem<Real, Factor>& system,
                              PolishState<Real>& x) {
  const ContactVector<Real> lambda = s.load(x.lambda, i), u = s.load(x.u, i);
  const auto face = project_contact(s, lambda, u, kSoft<Real> * rho, i).derivative;
  s.store(x.trial, i, face * (lambda - rho * (u + s.load(s.offset, i))));
  store_weight(i, scaled(rho, face), system);
}

template <class Real, class Factor>
ST_FN void predict_contact(const ScaledProblem<Real>& s, Real rho, int i, ReducedSystem<Real, Factor>& system,
                           PolishState<Real>& x) {
  const Real rho_i = rho * x.stiffness[i];
  if (s.dim == 4) return predict_torsion(s, rho_i, i, system, x);
  const Vec3<Real> lambda = load3(x.lambda + 3 * i), u = load3(x.u + 3 * i);
  const auto face = project_contact(s, lambda, u, kSoft<Real> * rho_i, i).derivative;
  store3(x.trial + 3 * i, face * (lambda - rho_i * (u + load3(s.offset + 3 * i))));
  system.weight[i] = scaled(rho_i, face);
}

/// Computes the predicted λ⁺ and weight of a general row: free if it is free with ρ_s, else at the bound that it meets.
template <class Real, class Factor>
ST_FN void predict_row(const ScaledProblem<Real>& s, Real rho, int r, ReducedSystem<Real, Factor>& system,
                       PolishState<Real>& x) {
  const Real rho_r = rho * x.stiffness[s.num_contacts + r], lambda = x.row_lambda[r], u = x.u_row[r];
  const Real soft = free_row_impulse(s, lambda, u, kSoft<Real> * rho_r, r), clamped = clamp_row(s, soft, r);
  const bool free = soft == clamped;
  x.row_trial[r] = free ? free_row_impulse(s, lambda, u, rho_r, r) : clamped;
  system.weight[s.num_contacts + r].nn = free ? rho_r / (rho_r * s.row_compliance[r] + Real(1)) : Real(0);
}

/// Computes λ⁺, the weights and F at v on the predicted faces.
template <class Team, class Real, class Factor>
ST_PHASE void predict(const Team& team, const ScaledProblem<Real>& s, ReducedSystem<Real, Factor>& system,
                      PolishState<Real>& x) {
  const Real rho = x.progress->rho;
  team.each(s.num_contacts, [&](int i) { predict_contact(s, rho, i, system, x); });
  team.each(s.num_rows, [&](int r) { predict_row(s, rho, r, system, x); });
  evaluate_motion(team, s, system, x);
  finish_newton_vector(team, s, x);
  team.once([&] { x.progress->changed = true; });
}

}  // namespace polish_detail

}  // namespace stiction
