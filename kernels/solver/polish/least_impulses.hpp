// Of several impulses that cause the same motion, finds those of least norm, as far as the cones allow. An active set
// ends at a corner of the set of these impulses, where for example a box at rest stands on only two of its corners.
//
//   f = Σ J_iᵀ λ_i                                                    λ: a solution's impulses
//   P_i                                                               onto what û_i leaves free of λ_i
//   S = Σ J_iᵀ P_i J_i + ε,   λ°_i = P_i J_i S⁻¹ f                    least ‖λ‖ with Σ J_iᵀ λ°_i = f
//   λ ← λ + α (λ° − λ),   the largest α <= 1 that leaves every λ_i in its cone; 0 where rounding leaves f_B ≠ 0
//
// Contacts that lack friction along an axis keep their impulses, and so do general rows.
#pragma once

#include "kernels/solver/ground/auxiliary_problem.hpp"
#include "kernels/solver/ground/free_directions.hpp"
#include "kernels/solver/ground/reduced_factor.hpp"
#include "kernels/solver/polish/terms.hpp"

namespace stiction {

namespace impulses_detail {

/// ε, small compared with the entries of S, which are of the size of J²
template <class Factor>
constexpr Factor kRegular = sizeof(Factor) == 8 ? Factor(1e-10) : Factor(1e-5);

/// The largest α <= `most` with λ + α d in the cone of contact i.
template <class Real>
ST_FN Real stay_in_cone(const ScaledProblem<Real>& s, const Vec3<Real>& lambda, const Vec3<Real>& d, Real most, int i) {
  if (!takes_part(s, i)) return most;
  const auto stop = [&](const Vec3<Real>& inner) {
    const Real room = larger(dot(inner, lambda), Real(0)), rate = -dot(inner, d);
    if (rate * most > room) most = room / rate;
  };
  if (s.facets == 1) {
    stop({Real(1), Real(0), Real(0)});
    return most;
  }
  Vec3<Real> g = s.generator(i, s.facets - 1);
  for (int k = 0; k < s.facets; ++k) {
    const Vec3<Real> next = s.generator(i, k);
    stop(cross(g, next));
    g = next;
  }
  return most;
}

/// With d_i = P_i J_i S⁻¹ f: adds d to x.trial and subtracts Jᵀd from f, which is in x.newton.
template <class Team, class Real, class Factor>
ST_FN void add_response(const Team& team, const ScaledProblem<Real>& auxiliary,
                        const ReducedSystem<Real, Factor>& system, PolishState<Real>& x) {
  team.each(auxiliary.nv, [&](int j) { x.direction[j] = x.newton[j]; });
  solve_reduced_system(team, auxiliary, system, x.direction);
  multiply_J(team, auxiliary, x.direction, x.du, x.du_row);
  team.each(auxiliary.num_contacts, [&](int i) {
    const Vec3<Real> change = system.weight[i] * load3(x.du + 3 * i);
    store3(x.du + 3 * i, Real(-1) * change);
    store3(x.trial + 3 * i, load3(x.trial + 3 * i) + change);
  });
  team.each(auxiliary.num_rows, [&](int r) { x.du_row[r] = Real(0); });
  each_range(team, auxiliary,
             [&](const DofRange& dofs) { add_JT(team, auxiliary, system, dofs, x.du, x.du_row, x.newton); });
}

}  // namespace impulses_detail

/// Spreads the λ of the solution in `answer`. Velocities up to `least` and impulses up to the share `enough` of S_B
/// count as zero. Overwrites the system's weights and factor.
template <class Team, class Real, class Factor>
ST_PHASE void spread_impulses(const Team& team, const ScaledProblem<Real>& s, Real least, Real enough,
                              AuxiliaryMemory<Real>& memory, ReducedSystem<Real, Factor>& system, PolishState<Real>& x,
                              AnswerArrays<Real>& answer) {
  using namespace impulses_detail;
  ScaledProblem<Real>& a = copy_problem(team, s, memory);
  team.each(s.H_entries, [&](int ij) { a.H[ij] = Real(0), system.proximal[ij] = Real(0); });
  set_proximal_diagonal(
      team, s, [](int) { return Real(kRegular<Factor>); }, system);
  multiply_J(team, s, answer.v, x.u, x.u_row);
  team.each(s.num_contacts, [&](int i) {
    const bool counts = takes_part(s, i);
    system.weight[i] = free_directions(s, load3(x.u + 3 * i) + load3(s.offset + 3 * i), least, i);
    store3(x.du + 3 * i, counts ? load3(answer.lambda + 3 * i) : Vec3<Real>{});
    store3(x.trial + 3 * i, Vec3<Real>{});
  });
  team.each(s.num_rows, [&](int r) { system.weight[s.num_contacts + r] = {}, x.du_row[r] = Real(0); });
  multiply_JT(team, a, system, x.du, x.du_row, x.newton);
  measure_scales(team, s, answer.lambda, answer.row_lambda, x.newton, system, x.scale);
  factor_reduced_system(team, a, system);
  const auto left = [&] { return largest_relative(team, s, x.scale, [&](int j) { return x.newton[j]; }); };
  add_response(team, a, system, x);
  if (!(left() <= enough)) {
    add_response(team, a, system, x);  // what ε left of f
    if (!(left() <= enough)) return;
  }
  team.each(s.num_contacts, [&](int i) {
    const Vec3<Real> d = load3(x.trial + 3 * i) - load3(answer.lambda + 3 * i);
    store3(x.trial + 3 * i, takes_part(s, i) ? d : Vec3<Real>{});
  });
  const Real shortened = team.max(s.num_contacts, Real(0), [&](int i) {
    return Real(1) - stay_in_cone(s, load3(answer.lambda + 3 * i), load3(x.trial + 3 * i), Real(1), i);
  });
  team.each(3 * s.num_contacts, [&](int k) { answer.lambda[k] += (Real(1) - shortened) * x.trial[k]; });
}

}  // namespace stiction
