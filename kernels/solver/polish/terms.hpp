// What one evaluation of the polish computes: λ⁺(v), the weights of its Newton matrix, F and the residual (polish.hpp).
#pragma once

#include "kernels/solver/ground/impulse_scales.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

/// Settings of one run, the same for all lanes; they are in memory so that no lane has to hold them.
template <class Real>
struct PolishOptions {
  Real epsilon;               // ε of the proximal term
  Real tolerance;             // bounds the residual
  Real speed_floor;           // 1 mm/h in the units of the scaled problem
  Real stiffness;             // the first ρ, relative to the ρ of the residual
  bool least_motion = false;  // true: of several v, the one of least (v − v_s)ᵀP(v − v_s); false: one near the start
  bool predicts = false;      // true: if the start is far off, the first step is taken on the faces that hold its λ
  int max_iterations;         // limit on the Newton steps
  int patience = 0;           // the best residual must fall to 0.3 of itself in so many Newton steps; 0: no such limit
};

template <class Real>
struct PolishReport {
  bool converged = false;
  int iterations = 0;
  Real residual = Real(-1);  // of PolishState's `best`, computed in the units of the scaled problem; negative: none yet
};

/// The progress of a run; in memory like the options.
template <class Real>
struct PolishProgress {
  Real rho, epsilon;          // present ρ and ε
  Real speed;                 // u_0 at the start
  Real descent, linear;       // F·d and its part base·d, at the point where the last step began
  Real residual;              // of the present (v, λ⁺)
  Real contact, motion;       // parts of `residual`: that of contacts and rows, and that of the motion
  Real last_outer;            // residual at the last outer step; negative before the first
  Real checkpoint;            // best residual at the last test of the patience; negative before the first
  int outers;                 // outer steps so far; in least-motion mode those since ε last changed
  bool changed;               // a weight or Q has changed since the matrix was factored
  bool shortens;              // the last step may be shortened if the augmented Lagrangian rises at its end
  Real least_imbalance;       // least max_B ‖F_B‖∞/S_B of the present inner problem; negative: none yet
  int flat;                   // Newton steps since least_imbalance last fell to half
  bool solved;                // the last step crossed to no other face, so F = 0 except for rounding
  bool rounding;              // what is left of F is rounding, which grows with ρ
  bool settled;               // the inner problem is solved well enough for the multipliers to move
  bool ended;                 // the run has converged, or further steps are not worth their cost
  PolishReport<Real> report;  // of the run so far
};

template <class Real>
struct PolishState {
  Array<Real> v, center, direction;  // (nv) v, v_c, and d of the last step
  Array<Real> base, pull, newton;    // (nv) at v: F − Jᵀλ⁺; Q (v_c − v); Jᵀλ⁺ at first, then F
  Array<Real> lambda, trial, u, du;  // (contacts, dim) λ; λ⁺ at v; J v; J d of the last step
  Array<Real> row_lambda, row_trial, u_row, du_row;  // (rows) the same of general rows
  Array<Real> from_v, from_u, from_u_row;            // as v, u, u_row: the point where the last step began
  Array<Real> block_force;                           // (blocks) γ_b, set at the start of a run
  Array<Real> scale;                                 // (blocks) S_B of the (v, λ⁺) that was judged last
  Array<Real> stiffness;                             // (groups) ρ_i / ρ, set at the start of a run
  Array<bool> renewed;                               // (groups) whether the last evaluation changed the weight
  AnswerArrays<Real> best;                           // (v, λ⁺) of the least residual so far
  Array<PolishOptions<Real>> options;                // of the present run
  Array<PolishProgress<Real>> progress;              // of the present run
  Array<PolishReport<Real>> found;  // of the polish before the present one, while the least motion is sought
};

template <class Real>
ST_FN PolishState<Real> take_polish(const SolverCapacity& capacity, Arena& arena) {
  const auto take = [&](int count) { return arena.take<Real>(static_cast<std::size_t>(count)); };
  const int n = capacity.nv, m = capacity.shape.dimension * capacity.max_contacts, r = capacity.max_rows;
  PolishState<Real> x{};
  x.v = take(n), x.center = take(n), x.direction = take(n), x.base = take(n), x.pull = take(n), x.newton = take(n);
  x.lambda = take(m), x.trial = take(m), x.u = take(m), x.du = take(m);
  x.row_lambda = take(r), x.row_trial = take(r), x.u_row = take(r), x.du_row = take(r);
  x.from_v = take(n), x.from_u = take(m), x.from_u_row = take(r);
  x.block_force = take(capacity.num_blocks), x.scale = take(capacity.num_blocks),
  x.stiffness = take(capacity.max_contacts + capacity.max_rows);
  x.renewed = arena.take<bool>(static_cast<std::size_t>(capacity.max_contacts + capacity.max_rows));
  x.best = take_answer<Real>(capacity, arena);
  x.options = arena.take<PolishOptions<Real>>(1), x.progress = arena.take<PolishProgress<Real>>(1);
  x.found = arena.take<PolishReport<Real>>(1);
  return x;
}

template <class Real>
ST_FN Real clamp_row(const ScaledProblem<Real>& s, Real lambda, int r) {
  const Real low = s.row_lower[r], high = s.row_upper[r];
  return lambda < low ? low : (lambda > high ? high : lambda);
}

/// λ_r⁺ of (2) before the clamp
template <class Real>
ST_FN Real free_row_impulse(const ScaledProblem<Real>& s, Real lambda, Real Jv, Real rho, int r) {
  return (lambda - rho * (Jv + s.row_offset[r])) / (rho * s.row_compliance[r] + Real(1));
}

/// weight ← value. True if the weight changed.
template <class Real>
ST_FN bool renew(const Sym3<Real>& value, Sym3<Real>& weight) {
  const bool same = weight.nn == value.nn && weight.nt == value.nt && weight.no == value.no && weight.tt == value.tt &&
                    weight.to == value.to && weight.oo == value.oo;
  weight = value;
  return !same;
}

/// Computes λ⁺ of a row and its weight D_r. True if the weight changed.
template <class Real, class Factor>
ST_FN bool evaluate_row(const ScaledProblem<Real>& s, Real rho, int r, ReducedSystem<Real, Factor>& system,
                        PolishState<Real>& x) {
  const Real rho_r = rho * x.stiffness[s.num_contacts + r];
  const Real free = free_row_impulse(s, x.row_lambda[r], x.u_row[r], rho_r, r);
  x.row_trial[r] = clamp_row(s, free, r);
  Real& weight = system.weight[s.num_contacts + r].nn;
  const Real last = weight;
  weight = free == x.row_trial[r] ? rho_r / (rho_r * s.row_compliance[r] + Real(1)) : Real(0);
  return weight != last;
}

/// Computes base, pull and Jᵀλ⁺ (in `newton`) at v.
template <class Team, class Real, class Factor>
ST_PHASE void evaluate_motion(const Team& team, const ScaledProblem<Real>& s, const ReducedSystem<Real, Factor>& system,
                              PolishState<Real>& x) {
  each_range(team, s, [&](const DofRange& dofs) {
    write_motion_base(s, system, dofs, x.v, x.center, x.pull, x.base);
    write_JT(team, s, system, dofs, x.trial, x.row_trial, x.newton);
  });
}

/// Adds the base to Jᵀλ⁺, so that `newton` holds F.
template <class Team, class Real>
ST_FN void finish_newton_vector(const Team& team, const ScaledProblem<Real>& s, PolishState<Real>& x) {
  team.each(s.nv, [&](int j) { x.newton[j] += x.base[j]; });
}

namespace polish_detail {

/// λ_i⁺ of (1) with its derivative
template <class Real>
ST_FN ConeProjection<Real> project_contact(const ScaledProblem<Real>& s, const Vec3<Real>& lambda, const Vec3<Real>& Jv,
                                           Real rho, int i) {
  const Vec3<Real> u = Jv + load3(s.offset + 3 * i);
  return project_to_cone(s.table, s.mu[2 * i], s.mu[2 * i + 1], lambda - rho * u);
}

/// The same with torsion.
template <class Real>
ST_FN ContactProjection<Real> project_contact(const ScaledProblem<Real>& s, const ContactVector<Real>& lambda,
                                              const ContactVector<Real>& Jv, Real rho, int i) {
  const ContactVector<Real> u = Jv + s.load(s.offset, i);
  return project_to_cone(s.table, s.friction(i), lambda - rho * u);
}

template <class Real>
ST_FN ContactVector<Real> project_contact_point(const ScaledProblem<Real>& s, const ContactVector<Real>& lambda,
                                                const ContactVector<Real>& Jv, Real rho, int i) {
  const ContactVector<Real> u = Jv + s.load(s.offset, i);
  return project_point_to_cone(s.table, s.friction(i), lambda - rho * u);
}

/// Computes λ⁺ and W_i of a contact with torsion. Always true, because the weight is not compared with the last one.
template <class Real, class Factor>
ST_APART bool evaluate_torsion(const ScaledProblem<Real>& s, Real rho, int i, ReducedSystem<Real, Factor>& system,
                               PolishState<Real>& x) {
  const auto p = project_contact(s, s.load(x.lambda, i), s.load(x.u, i), rho, i);
  s.store(x.trial, i, p.point);
  store_weight(i, scaled(rho, p.derivative), system);
  return true;
}

/// Computes λ⁺ and W_i of a contact. True if the weight changed.
template <class Real, class Factor>
ST_FN bool evaluate_contact(const ScaledProblem<Real>& s, Real rho, int i, ReducedSystem<Real, Factor>& system,
                            PolishState<Real>& x) {
  const Real rho_i = rho * x.stiffness[i];
  if (s.dim == 4) return evaluate_torsion(s, rho_i, i, system, x);
  const auto p = project_contact(s, load3(x.lambda + 3 * i), load3(x.u + 3 * i), rho_i, i);
  store3(x.trial + 3 * i, p.point);
  return renew(scaled(rho_i, p.derivative), system.weight[i]);
}

/// Computes λ⁺, the weights W_i and D_r, base, pull and Jᵀλ⁺ (in `newton`) at v; notes whether a weight changed.
template <class Team, class Real, class Factor>
ST_PHASE void evaluate(const Team& team, const ScaledProblem<Real>& s, ReducedSystem<Real, Factor>& system,
                       PolishState<Real>& x) {
  const Real rho = x.progress->rho;
  team.each(s.num_contacts, [&](int i) { x.renewed[i] = evaluate_contact(s, rho, i, system, x); });
  team.each(s.num_rows, [&](int r) { x.renewed[s.num_contacts + r] = evaluate_row(s, rho, r, system, x); });
  evaluate_motion(team, s, system, x);
  const int renewed = team.sum(s.num_groups, 0, [&](int i) { return x.renewed[i] ? 1 : 0; });
  if (renewed > 0) team.once([&] { x.progress->changed = true; });
}

template <class Real>
struct MotionResidual {
  Real proximal;  // max_B ‖F_B‖∞/S_B
  Real exact;     // max_B ‖(g − H v + Jᵀλ⁺)_B‖∞/S_B
};

/// Number of outer steps after which the multipliers of the least motion are exact, because ρ is far above ε.
constexpr int kSettledOuters = 2;

/// max_B ‖(Q (v_c − v))_B‖∞/S_B
template <class Team, class Real>
ST_FN Real largest_pull(const Team& team, const ScaledProblem<Real>& s, const PolishState<Real>& x) {
  return largest_relative(team, s, x.scale, [&](int j) { return x.pull[j]; });
}

/// How small F has to be in least-motion mode: a thousandth of the pull εP (v − v_s), which is itself far below the
/// tolerance. Once v is the least and only the multipliers still move, 3 % of the pull is enough.
template <class Team, class Real>
ST_FN Real settled_imbalance(const Team& team, const ScaledProblem<Real>& s, const PolishState<Real>& x) {
  const Real share = x.progress->outers == 0 ? Real(1e-3) : Real(0.03);
  return larger(share * largest_pull(team, s, x), sizeof(Real) == 8 ? Real(1e-15) : Real(1e-7));
}

template <class Team, class Real>
ST_FN MotionResidual<Real> measure_motion(const Team& team, const ScaledProblem<Real>& s, const PolishState<Real>& x) {
  return {largest_relative(team, s, x.scale, [&](int j) { return x.newton[j]; }),
          largest_relative(team, s, x.scale, [&](int j) { return x.newton[j] - x.pull[j]; })};
}

/// ‖λ⁺ − P_K(λ⁺ − ρ u)‖ of a contact with torsion.
template <class Real>
ST_APART Real torsion_map(const ScaledProblem<Real>& s, Real rho, const PolishState<Real>& x, int i) {
  const ContactVector<Real> lambda = s.load(x.trial, i);
  return norm(lambda - project_contact_point(s, lambda, s.load(x.u, i), rho, i));
}

/// The larger of the contact and the row part of the residual of (v, λ⁺); `impulse` is ‖λ⁺‖∞ (num_groups), `speed` u_0.
template <class Team, class Real>
ST_PHASE Real natural_residual(const Team& team, const ScaledProblem<Real>& s, Pointer<const Real> impulse, Real speed,
                               const PolishState<Real>& x) {
  const Real contacts = team.max(s.num_contacts, Real(0), [&](int i) {
    const Real scale = group_scale(s, x.scale, i, impulse[i]), rho = scale / speed;
    if (s.dim == 4) return torsion_map(s, rho, x, i) / scale;
    const Vec3<Real> lambda = load3(x.trial + 3 * i);
    return norm(lambda - project_contact(s, lambda, load3(x.u + 3 * i), rho, i).point) / scale;
  });
  const Real rows = team.max(s.num_rows, Real(0), [&](int r) {
    const int group = s.num_contacts + r;
    const Real scale = group_scale(s, x.scale, group, impulse[group]), rho = scale / speed;
    const Real lambda = x.row_trial[r], u = x.u_row[r] + s.row_offset[r] + s.row_compliance[r] * lambda;
    return std::fabs(lambda - clamp_row(s, lambda - rho * u, r)) / scale;
  });
  return larger(contacts, rows);
}

}  // namespace polish_detail

}  // namespace stiction
