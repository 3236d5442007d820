// The convex contact problem with its corners rounded off, and how its solution changes when the problem changes.
//
//   min_v ½ vᵀH v − gᵀv − w Σ_k log s_k                       s_k > 0: slacks of facets and limits        (1)
//   H v = g + Σ_i J_iᵀ λ_i,   s_k β_k = w                     (1) as a point of the central path          (2)
//   S Δv = g' − H' v + J'ᵀλ + Jᵀ(f' − λ)                      for a changed problem (H', g', J', b')      (3)
//
// w > 0 is an energy, impulse times velocity: every facet pushes with the impulse w/s before it is reached. A quadratic
// cone has −(w/2) log det s in (1) and s∘z = w e in (2). Rows with two bounds have the barrier in λ; couplings have
// none. The interior point method reaches (2) from any start if all its targets are w.
//
// (3) is the method's next step for the changed problem, from the old solution and with the old matrix S. In it f' is
// the force that the targets demand at J'v + b'. The step is exact to first order. f' − λ is multiplied by J and not by
// J', because it is stiff where w is small. (Analytic smoothing, Pang, Suh, Yang & Tedrake 2023; their 1/κ is w, for
// quadratic cones w/2.)
//
// A body that the barrier pushes and that nothing resists runs away; (1) then has no minimum.
//
//   symbol  variable       shape   unit
//   w       smoothing      1       [J]; in the units of the scaled problem: target
//   Δv      change         (nv)    [m/s], [rad/s]
#pragma once

#include "kernels/solver/ground/answer.hpp"
#include "kernels/solver/ground/reduced_plan.hpp"
#include "kernels/solver/path/path.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

template <class Real, class Factor>
struct SmoothedMemory {
  ScaledProblem<Real> scaled, changed;
  ReducedSystem<Real, Factor> system;
  InteriorPointState<Real> path;
};

namespace smoothed_detail {

constexpr int kIterations = 100;

/// The Newton steps end when one is below kLastStep relative to v, or below kRoundingStep if rounding keeps them from
/// becoming shorter.
template <class Real>
constexpr Real kLastStep = Real(1e-12);
template <class Real>
constexpr Real kRoundingStep = Real(1e-7);

template <class Real, class Factor>
ST_FN void take_memory(const SolverCapacity& capacity, Arena& arena, SmoothedMemory<Real, Factor>& m) {
  m.scaled = take_scaled_problem<Real>(capacity, arena);
  m.changed = take_scaled_problem<Real>(capacity, arena);
  m.system = take_reduced_system<Real, Factor>(capacity, m.scaled.stride, arena);
  m.path = take_interior_point<Real>(capacity, arena);
}

/// Starts the path at the problem's start.
template <class Team, class Real, class Factor>
ST_FN void start_path(const Team& team, SmoothedMemory<Real, Factor>& m) {
  InteriorPointState<Real>& x = m.path;
  team.each(m.scaled.nv, [&](int j) { x.v[j] = x.center[j] = m.scaled.start[j]; });
  team.once([&] { *x.options = {Real(1e-8), Real(0), Real(0), kIterations}; });
  start_interior_point(team, m.scaled, Real(0), x);
  path_detail::start_run(team, m.scaled, m.system, x);
}

/// Takes a Newton step towards products of `target`. Returns its size, or infinity if it was shortened.
template <class Team, class Real, class Factor>
ST_FN Real step_towards(const Team& team, Real target, SmoothedMemory<Real, Factor>& m) {
  using namespace path_detail;
  InteriorPointState<Real>& x = m.path;
  set_targets(team, m.scaled, false, target, false, x);
  find_direction(team, m.scaled, m.system, x);
  const Real change = team.max(m.scaled.nv, Real(0), [&](int j) { return std::fabs(x.direction[j]); });
  const bool whole = !(step_length(team, m.scaled, false, Real(0.995), x) < Real(1));
  advance(team, m.scaled, x);
  team.each(m.scaled.nv, [&](int j) { x.center[j] = x.v[j]; });  // the proximal term only keeps S regular
  return whole ? change : Real(INFINITY);
}

/// Computes the base of the next step and factors its matrix.
template <class Team, class Real, class Factor>
ST_FN void update_matrix(const Team& team, SmoothedMemory<Real, Factor>& m) {
  path_detail::motion_residual(team, m.scaled, m.system, m.path);
  path_detail::factor_newton_matrix(team, m.scaled, m.system, m.path);
}

/// Follows the path to (2), where one step reduces the products to no less than a fifth. True if (2) is reached.
template <class Team, class Real, class Factor>
ST_FN bool follow_path(const Team& team, Real target, SmoothedMemory<Real, Factor>& m) {
  const InteriorPointState<Real>& x = m.path;
  Real before = Real(INFINITY);
  for (int i = 0; i < kIterations; ++i) {
    update_matrix(team, m);
    const Real products = x.progress->products;
    const Real gap = path_detail::total_gap(team, m.scaled, false, Real(0), x);
    const Real next = products > Real(0) ? larger(target, gap / (Real(5) * products)) : target;
    const Real change = step_towards(team, next, m);
    const Real speed = team.max(m.scaled.nv, Real(0), [&](int j) { return std::fabs(x.v[j]); });
    if (!std::isfinite(speed)) return false;
    const bool stopped = change <= kRoundingStep<Real> * speed && change >= Real(0.5) * before;
    if (next == target && (stopped || change <= kLastStep<Real> * speed)) return true;
    before = next == target ? change : Real(INFINITY);
  }
  return false;
}

}  // namespace smoothed_detail

/// Bytes of scratch that `solve_smoothed` needs.
template <class Real, class Factor>
inline std::size_t smoothed_scratch(const SolverCapacity& capacity) {
  using Memory = SmoothedMemory<Real, Factor>;
  return placed_bytes<Memory>([&](Arena& arena, Memory& m) { smoothed_detail::take_memory(capacity, arena, m); }).all;
}

/// Writes v of (1) to `v` (nv) for a problem under a convex law; `memory` is then ready for `respond_smoothed`. Returns
/// kConverged or a bit that says why there is no v. kIterationLimit means that there is no room between contacts, so
/// that no s_k > 0 exists, or that a body runs away; `v` then has its motion so far.
template <class Team, class Real, class Factor>
ST_BODY std::uint32_t solve_smoothed(const Team& team, const ContactProblem<Real>& p, Real smoothing, Arena arena,
                                     Pointer<Real> v, SmoothedMemory<Real, Factor>** memory) {
  using Memory = SmoothedMemory<Real, Factor>;
  Memory& m = place<Memory>(
      team, arena, [&](Arena& rest, Memory& placed) { smoothed_detail::take_memory(capacity_of(p), rest, placed); });
  *memory = &m;
  team.each(p.nv, [&](int j) { v[j] = Real(0); });
  if (!is_well_posed(team, p)) return status::kNotFinite;
  scale_problem(team, p, m.scaled);
  const bool fits = plan_reduced_system(team, m.scaled, m.system);
  if (!fits) return status::kFactorFull;
  smoothed_detail::start_path(team, m);
  const Real target = smoothing / (m.scaled.units.impulse * m.scaled.units.velocity);
  const bool found = smoothed_detail::follow_path(team, target, m);
  smoothed_detail::update_matrix(team, m);
  path_detail::set_targets(team, m.scaled, false, target, false, m.path);
  team.each(p.nv, [&](int j) { v[j] = m.path.v[j] * m.scaled.units.velocity / p.dof_radius[j]; });
  return found ? status::kConverged : status::kIterationLimit;
}

namespace smoothed_detail {

/// Number of sweeps of (3) if there are couplings. After so many the compliance that keeps their D finite has no effect
/// left.
constexpr int kCouplingSweeps = 5;

/// f' − λ of row r at J'v + b'; 0 for a row without weight. `moved`: the change that earlier sweeps found for a
/// coupling.
template <class Real, class Factor>
ST_FN Real row_response(int r, Real moved, SmoothedMemory<Real, Factor>& m) {
  const Real weight = m.system.weight[m.scaled.num_contacts + r].nn;
  if (!(weight > Real(0))) return Real(0);
  return row_force_target(m.changed, weight, r, m.path) - m.path.row_lambda[r] + moved;
}

/// Writes Δv of (3) to path.direction, with f' − λ in path.force and path.row_force.
template <class Team, class Real, class Factor>
ST_FN void solve_response(const Team& team, SmoothedMemory<Real, Factor>& m) {
  InteriorPointState<Real>& x = m.path;
  const ScaledProblem<Real>& s = m.scaled;
  each_range(team, s, [&](const DofRange& dofs) {
    for (int j = dofs.begin; j < dofs.end; ++j) x.direction[j] = x.base[j] + x.force_v[j];
    add_JT(team, s, m.system, dofs, x.force, x.row_force, x.direction);
  });
  solve_reduced_system(team, s, m.system, x.direction);
}

}  // namespace smoothed_detail

/// Writes Δv of (3) to `change` (nv). `p` must have the same contacts and rows as the problem that was solved.
template <class Team, class Real, class Factor>
ST_BODY void respond_smoothed(const Team& team, const ContactProblem<Real>& p, SmoothedMemory<Real, Factor>& m,
                              Pointer<Real> change) {
  using namespace smoothed_detail;
  InteriorPointState<Real>& x = m.path;
  const ScaledProblem<Real>&s = m.scaled, &now = m.changed;
  scale_problem(team, p, s.units, m.changed);
  multiply_J(team, now, x.v, x.u, x.u_row);
  path_detail::motion_residual(team, now, m.system, x);  // base = g' − H'v, force_v = J'ᵀλ
  team.each(s.num_contacts,
            [&](int i) { s.store(x.force, i, contact_force_target(now, Real(0), i, x) - s.load(x.lambda, i)); });
  team.each(s.num_rows, [&](int r) { x.row_force[r] = row_response(r, Real(0), m); });
  solve_response(team, m);
  const int couplings = team.sum(s.num_rows, 0, [&](int r) { return is_coupling(s, r) ? 1 : 0; });
  for (int sweep = 1; couplings > 0 && sweep < kCouplingSweeps; ++sweep) {
    team.each(s.num_rows, [&](int r) {
      if (!is_coupling(s, r)) return;
      const Real moved = x.row_force[r] - m.system.weight[s.num_contacts + r].nn * multiply_row(s, r, x.direction);
      x.row_force[r] = row_response(r, moved, m);
    });
    solve_response(team, m);
  }
  team.each(p.nv, [&](int j) { change[j] = x.direction[j] * m.scaled.units.velocity / p.dof_radius[j]; });
}

}  // namespace stiction
