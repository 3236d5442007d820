// Proximal augmented Lagrangian with semismooth Newton: from a good (v, λ) to the accuracy that double allows.
//
//   λ_i⁺(v) = P_K(λ_i − ρ û_i(v))                                                              (1)
//   λ_r⁺(v) = clamp((λ_r/ρ − J_r v − b_r)/(R_r + 1/ρ), l_r, u_r)                               (2)
//   0 = F(v) = g − H v − εP (v − v_c) + Jᵀλ⁺(v)                                                (3)
//   (H + εP + Σ ρ J_iᵀ DP_K J_i + Σ D_r J_rᵀJ_r) d = F,  v ← v + α d                           (4)
//   outer: λ ← λ⁺, v_c ← v; when the residual fell by less than 0.3: ρ ← 5ρ (25ρ if it hardly fell), or ε ← ε/10
//   where the motion is what lags (a body that a small force moves a long way before a contact holds it)
//
// −F is the gradient of a convex piecewise quadratic, so the Newton steps end after finitely many sets of active
// facets; α is searched on its slope along d, which needs projections only. No dual matrix is ever formed, so dependent
// rows do no harm. In least-motion mode P is the mass and v_c = 0 until (3) is solved (least_motion.hpp).
#pragma once

#include "kernels/solver/reduced_system.hpp"

namespace stiction {

template <class Real>
struct PolishState {
  Real *v, *center, *direction;                   // (nv) v, v_c, d
  Real *base, *pull, *newton;                     // (nv) F − Jᵀλ⁺, εP (v_c − v), Jᵀλ⁺ and then F
  Real *lambda, *trial, *u, *du;                  // (contacts, 3) λ, λ⁺, J v, J d
  Real *row_lambda, *row_trial, *u_row, *du_row;  // (rows)
  Real* block_force;                              // (blocks) γ_b
  Real* stiffness;                                // (groups) ρ_i / ρ
  Real *best_v, *best_lambda, *best_row_lambda;   // as v, λ: the least residual so far

  ST_FN AnswerArrays<Real> answer() const { return {best_v, best_lambda, best_row_lambda}; }
};

template <class Real>
ST_FN PolishState<Real> take_polish(const SolverCapacity& c, Arena& arena) {
  const auto take = [&](int count) { return arena.take<Real>(static_cast<std::size_t>(count)); };
  const int n = c.nv, m = 3 * c.max_contacts, r = c.max_rows;
  PolishState<Real> x{};
  x.v = take(n), x.center = take(n), x.direction = take(n), x.base = take(n), x.pull = take(n), x.newton = take(n);
  x.lambda = take(m), x.trial = take(m), x.u = take(m), x.du = take(m);
  x.row_lambda = take(r), x.row_trial = take(r), x.u_row = take(r), x.du_row = take(r);
  x.block_force = take(c.num_blocks), x.stiffness = take(c.max_contacts + c.max_rows);
  x.best_v = take(n), x.best_lambda = take(m), x.best_row_lambda = take(r);
  return x;
}

template <class Real>
struct PolishOptions {
  Real epsilon;        // ε of the proximal term
  Real tolerance;      // on the residual
  Real speed_floor;    // 1 mm/h in the units of the scaled problem
  Real stiffness;      // first ρ over ρ of the residual
  bool least_motion;   // among several v the one of least vᵀPv; else the one next to the start
  int max_iterations;  // Newton steps
  int patience;        // Newton steps in which the best residual must fall to 0.3 of what it was; 0: no such limit
};

template <class Real>
struct PolishReport {
  bool converged;
  int iterations;
  Real residual;  // of best_v, best_lambda; in the scaled problem's arithmetic
};

namespace polish_detail {

template <class Real>
struct Magnitudes {
  Real lambda;  // max(‖λ⁺‖∞, ε)
  Real speed;   // u_0
  Real force;   // max(‖g‖∞, ‖Jᵀλ⁺‖∞, ε)
};

/// (1) with its derivative
template <class Real>
ST_FN ConeProjection<Real> project_contact(const ScaledProblem<Real>& s, const Vec3<Real>& lambda, const Vec3<Real>& Jv,
                                           Real rho, int i) {
  const Vec3<Real> u = Jv + load3(s.offset + 3 * i);
  return project_to_pyramid(s.table, s.mu[2 * i], s.mu[2 * i + 1], lambda - rho * u);
}

template <class Real>
ST_FN Real clamp_row(const ScaledProblem<Real>& s, Real lambda, int r) {
  const Real low = s.row_lower[r], high = s.row_upper[r];
  return lambda < low ? low : (lambda > high ? high : lambda);
}

/// (2) before the clamp
template <class Real>
ST_FN Real free_row_impulse(const ScaledProblem<Real>& s, Real lambda, Real Jv, Real rho, int r) {
  return (lambda - rho * (Jv + s.row_offset[r])) / (rho * s.row_compliance[r] + Real(1));
}

/// λ⁺, the weights W_i, D_r, base, pull and Jᵀλ⁺ (in `newton`) at v.
template <class Team, class Real, class Factor>
ST_PHASE void evaluate(const Team& team, const ScaledProblem<Real>& s, const ReducedSystem<Real, Factor>& system,
                       Real rho, const PolishState<Real>& x) {
  team.each(s.num_contacts, [&](int i) {
    const Real rho_i = rho * x.stiffness[i];
    const auto p = project_contact(s, load3(x.lambda + 3 * i), load3(x.u + 3 * i), rho_i, i);
    const Sym3<Real>& d = p.derivative;
    store3(x.trial + 3 * i, p.point);
    system.weight[i] = {rho_i * d.nn, rho_i * d.nt, rho_i * d.no, rho_i * d.tt, rho_i * d.to, rho_i * d.oo};
  });
  team.each(s.num_rows, [&](int r) {
    const Real rho_r = rho * x.stiffness[s.num_contacts + r];
    const Real free = free_row_impulse(s, x.row_lambda[r], x.u_row[r], rho_r, r);
    x.row_trial[r] = clamp_row(s, free, r);
    system.weight[s.num_contacts + r].nn =
        free == x.row_trial[r] ? rho_r / (rho_r * s.row_compliance[r] + Real(1)) : Real(0);
  });
  team.each(s.num_blocks, [&](int b) {
    motion_base_block(s, system, b, x.v, x.center, x.pull, x.base);
    for (int j = s.block_adr[b]; j < s.block_adr[b] + s.block_size[b]; ++j) x.newton[j] = Real(0);
    add_JT_block(s, system, b, x.trial, x.row_trial, x.newton);
  });
}

template <class Team, class Real>
ST_FN Magnitudes<Real> measure_magnitudes(const Team& team, const ScaledProblem<Real>& s, Real speed_floor,
                                          const PolishState<Real>& x) {
  const Real lambda = team.max(3 * s.num_contacts, Real(0), [&](int i) { return std::fabs(x.trial[i]); });
  const Real rows = team.max(s.num_rows, Real(0), [&](int r) { return std::fabs(x.row_trial[r]); });
  const Real speed =
      team.max(s.num_contacts, Real(0), [&](int i) { return norm(load3(x.u + 3 * i) + load3(s.scripted + 3 * i)); });
  const Real row_speed = team.max(s.num_rows, Real(0), [&](int r) { return std::fabs(x.u_row[r]); });
  const Real force = team.max(s.nv, Real(0), [&](int j) { return std::fabs(x.newton[j]); });
  return {larger(larger(lambda, rows), Real(1)), larger(larger(speed, row_speed), speed_floor), larger(force, Real(1))};
}

template <class Real>
struct MotionResidual {
  Real proximal;  // ‖F‖∞
  Real exact;     // ‖g − H v + Jᵀλ⁺‖∞
};

/// Outer steps after which the multipliers of the least motion are exact: ρ is far above ε.
constexpr int kSettledOuters = 2;

/// In least-motion mode F is solved to a thousandth of the pull εP v, which is far below the tolerance itself.
template <class Team, class Real>
ST_FN Real settled_imbalance(const Team& team, const ScaledProblem<Real>& s, Real force, const PolishState<Real>& x) {
  const Real pull = team.max(s.nv, Real(0), [&](int j) { return std::fabs(x.pull[j]); });
  return larger(Real(1e-3) * pull, (sizeof(Real) == 8 ? Real(1e-15) : Real(1e-7)) * force);
}

/// Adds the base to Jᵀλ⁺, which makes F.
template <class Team, class Real>
ST_FN void finish_newton_vector(const Team& team, const ScaledProblem<Real>& s, const PolishState<Real>& x) {
  team.each(s.nv, [&](int j) { x.newton[j] += x.base[j]; });
}

template <class Team, class Real>
ST_FN MotionResidual<Real> measure_motion(const Team& team, const ScaledProblem<Real>& s, const PolishState<Real>& x) {
  return {team.max(s.nv, Real(0), [&](int j) { return std::fabs(x.newton[j]); }),
          team.max(s.nv, Real(0), [&](int j) { return std::fabs(x.newton[j] - x.pull[j]); })};
}

/// The contact and row parts of the residual of (v, λ⁺).
template <class Team, class Real>
ST_FN Real natural_residual(const Team& team, const ScaledProblem<Real>& s, const Magnitudes<Real>& scale,
                            const PolishState<Real>& x) {
  const Real rho = scale.lambda / scale.speed;
  const Real contacts = team.max(s.num_contacts, Real(0), [&](int i) {
    const Vec3<Real> lambda = load3(x.trial + 3 * i);
    return norm(lambda - project_contact(s, lambda, load3(x.u + 3 * i), rho, i).point);
  });
  const Real rows = team.max(s.num_rows, Real(0), [&](int r) {
    const Real lambda = x.row_trial[r], u = x.u_row[r] + s.row_offset[r] + s.row_compliance[r] * lambda;
    return std::fabs(lambda - clamp_row(s, lambda - rho * u, r));
  });
  return larger(contacts, rows) / scale.lambda;
}

/// Slope of the augmented Lagrangian at v + α d, from the linear part and the projections.
template <class Team, class Real>
ST_FN Real slope_along(const Team& team, const ScaledProblem<Real>& s, Real rho, Real linear, Real alpha,
                       const PolishState<Real>& x) {
  return linear - team.sum(s.num_contacts, Real(0), [&](int i) {
    const Vec3<Real> du = load3(x.du + 3 * i);
    const Real rho_i = rho * x.stiffness[i];
    const auto p = project_contact(s, load3(x.lambda + 3 * i), load3(x.u + 3 * i) + alpha * du, rho_i, i);
    return dot(p.point, du);
  }) - team.sum(s.num_rows, Real(0), [&](int r) {
    const Real rho_r = rho * x.stiffness[s.num_contacts + r];
    const Real free = free_row_impulse(s, x.row_lambda[r], x.u_row[r] + alpha * x.du_row[r], rho_r, r);
    return clamp_row(s, free, r) * x.du_row[r];
  });
}

/// Projections of one line search at most.
constexpr int kSearchTrials = 24;

/// Step along d: 1 unless the slope there is clearly positive, then near the root of the slope: regula falsi
/// (Illinois), every third trial a bisection, as the slope may jump by orders of magnitude where a contact closes.
template <class Team, class Real, class Factor>
ST_FN Real search_step(const Team& team, const ScaledProblem<Real>& s, const ReducedSystem<Real, Factor>& system,
                       Real rho, const PolishState<Real>& x) {
  // slope(α) = −base·d + α dᵀ(H + εP)d − Σ λ⁺(α)·J d
  const Real descent = team.sum(s.nv, Real(0), [&](int j) { return x.newton[j] * x.direction[j]; });
  const Real linear = -team.sum(s.nv, Real(0), [&](int j) { return x.base[j] * x.direction[j]; });
  const Real curvature = descent - team.sum(s.num_contacts, Real(0), [&](int i) {
    return quadratic_form(system.weight[i], load3(x.du + 3 * i));
  }) - team.sum(s.num_rows, Real(0), [&](int r) {
    return system.weight[s.num_contacts + r].nn * x.du_row[r] * x.du_row[r];
  });
  Real low = Real(0), high = Real(1), slope_low = -descent;
  Real slope_high = slope_along(team, s, rho, linear + curvature, Real(1), x);
  const Real enough = Real(0.1) * descent;
  if (!(slope_high > enough)) return Real(1);
  Real alpha = Real(1);
  for (int trial = 0; trial < kSearchTrials; ++trial) {
    const bool halve = trial % 3 == 2;
    alpha = halve ? Real(0.5) * (low + high) : low - slope_low * (high - low) / (slope_high - slope_low);
    const Real slope = slope_along(team, s, rho, linear + alpha * curvature, alpha, x);
    if (std::fabs(slope) <= enough) return alpha;
    if (slope > Real(0)) {
      high = alpha, slope_high = slope, slope_low *= Real(0.5);
    } else {
      low = alpha, slope_low = slope, slope_high *= Real(0.5);
    }
  }
  return alpha;
}

template <class Team, class Real>
ST_FN void keep_best(const Team& team, const ScaledProblem<Real>& s, const PolishState<Real>& x) {
  team.each(s.nv, [&](int j) { x.best_v[j] = x.v[j]; });
  team.each(3 * s.num_contacts, [&](int i) { x.best_lambda[i] = x.trial[i]; });
  team.each(s.num_rows, [&](int r) { x.best_row_lambda[r] = x.row_trial[r]; });
}

/// γ_b: the largest impulse that a block sees at the start, at least 1e-6 of ‖g‖∞.
template <class Real, class Factor>
ST_FN Real measure_block_force(const ScaledProblem<Real>& s, const ReducedSystem<Real, Factor>& system, int b,
                               const PolishState<Real>& x) {
  Real force = Real(1e-6);
  for (int j = s.block_adr[b]; j < s.block_adr[b] + s.block_size[b]; ++j) force = larger(force, std::fabs(s.g[j]));
  const int slot = system.pattern.row_start[system.pattern.position[b]];
  for (int k = system.source_start[slot]; k < system.source_start[slot + 1]; ++k) {
    const int i = system.source[k] / 4;
    if (i >= s.num_contacts) {
      force = larger(force, std::fabs(x.row_lambda[i - s.num_contacts]));
    } else {
      for (int a = 3 * i; a < 3 * i + 3; ++a) force = larger(force, std::fabs(x.lambda[a]));
    }
  }
  return force;
}

/// Scales ρ_i and Q to the impulses of the bodies they act on: ρ_i = ρ min γ_b, Q_b = ε γ_b / u_0.
template <class Team, class Real, class Factor>
ST_FN void scale_to_blocks(const Team& team, const ScaledProblem<Real>& s, const ReducedSystem<Real, Factor>& system,
                           Real weight, const PolishState<Real>& x) {
  team.each(s.num_blocks, [&](int b) {
    const int n = s.block_size[b];
    const Real force = measure_block_force(s, system, b, x);
    x.block_force[b] = force;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) system.proximal[s.H_adr[b] + i * n + j] = i == j ? weight * force : Real(0);
  });
  team.each(s.num_groups, [&](int i) {
    const int a = s.group_block[2 * i], b = s.group_block[2 * i + 1];
    const Real force_a = x.block_force[a >= 0 ? a : (b >= 0 ? b : 0)];
    const Real force_b = x.block_force[b >= 0 ? b : (a >= 0 ? a : 0)];
    x.stiffness[i] = smaller(force_a, force_b);
  });
}

/// The proximal term is not weakened below this ε: the matrix has to stay regular in double.
template <class Real>
constexpr Real kLeastProximal = Real(1e-9);

/// Q ← factor Q
template <class Team, class Real, class Factor>
ST_FN void weaken_proximal(const Team& team, const ScaledProblem<Real>& s, Real factor,
                           const ReducedSystem<Real, Factor>& system) {
  team.each(s.num_blocks, [&](int b) {
    const int begin = s.H_adr[b], end = begin + s.block_size[b] * s.block_size[b];
    for (int ij = begin; ij < end; ++ij) system.proximal[ij] *= factor;
  });
}

/// u_0 at the start
template <class Team, class Real>
ST_FN Real first_speed(const Team& team, const ScaledProblem<Real>& s, const PolishOptions<Real>& options,
                       const PolishState<Real>& x) {
  const Real speed =
      team.max(s.num_contacts, Real(0), [&](int i) { return norm(load3(x.u + 3 * i) + load3(s.scripted + 3 * i)); });
  const Real row_speed = team.max(s.num_rows, Real(0), [&](int r) { return std::fabs(x.u_row[r]); });
  return larger(larger(speed, row_speed), options.speed_floor);
}

template <class Team, class Real>
ST_FN void accept_multipliers(const Team& team, const ScaledProblem<Real>& s, const PolishState<Real>& x) {
  team.each(3 * s.num_contacts, [&](int i) { x.lambda[i] = x.trial[i]; });
  team.each(s.num_rows, [&](int r) { x.row_lambda[r] = x.row_trial[r]; });
}

template <class Team, class Real, class Factor>
ST_FN void newton_step(const Team& team, const ScaledProblem<Real>& s, const ReducedSystem<Real, Factor>& system,
                       Real rho, const PolishState<Real>& x) {
  factor_reduced_system(team, s, system);
  team.each(s.nv, [&](int j) { x.direction[j] = x.newton[j]; });
  solve_reduced_system(team, s, system, x.direction);
  multiply_J(team, s, x.direction, x.du, x.du_row);
  const Real alpha = search_step(team, s, system, rho, x);
  team.each(s.nv, [&](int j) { x.v[j] += alpha * x.direction[j]; });
  team.each(3 * s.num_contacts, [&](int i) { x.u[i] += alpha * x.du[i]; });
  team.each(s.num_rows, [&](int r) { x.u_row[r] += alpha * x.du_row[r]; });
}

}  // namespace polish_detail

/// Polishes x.v, x.lambda, x.row_lambda around x.center; the result is in best_*.
template <class Team, class Real, class Factor>
ST_PHASE PolishReport<Real> polish(const Team& team, const ScaledProblem<Real>& s, const PolishOptions<Real>& options,
                                   const ReducedSystem<Real, Factor>& system, const PolishState<Real>& x) {
  using namespace polish_detail;
  PolishReport<Real> report{false, 0, Real(-1)};
  multiply_J(team, s, x.v, x.u, x.u_row);
  const Real speed = first_speed(team, s, options, x);
  Real rho = options.stiffness / speed, last_outer = Real(-1);
  Real epsilon = options.epsilon;
  scale_to_blocks(team, s, system, epsilon / speed, x);
  if (options.least_motion) set_least_motion_proximal(team, s, epsilon, system);
  int outers = 0;
  Real checkpoint = Real(-1);
  for (;; ++report.iterations) {
    evaluate(team, s, system, rho, x);

    // the residual of (v, λ⁺)
    const auto scale = measure_magnitudes(team, s, options.speed_floor, x);
    finish_newton_vector(team, s, x);
    const auto motion = measure_motion(team, s, x);
    const Real contact = natural_residual(team, s, scale, x);
    const Real residual = larger(contact, motion.exact / scale.force);
    if (!std::isfinite(residual)) return report;
    const bool eligible = !options.least_motion || outers >= kSettledOuters;
    if (eligible && (report.residual < Real(0) || residual < report.residual)) {
      report.residual = residual;
      keep_best(team, s, x);
    }
    report.converged = report.residual >= Real(0) && report.residual <= options.tolerance;
    if (report.converged || report.iterations >= options.max_iterations) return report;
    if (options.patience > 0 && report.iterations % options.patience == 0) {
      if (checkpoint >= Real(0) && report.residual > Real(0.3) * checkpoint) return report;
      checkpoint = report.residual;
    }

    // outer step: the inner problem is solved well enough for the multipliers to move
    const Real enough = options.least_motion ? settled_imbalance(team, s, scale.force, x)
                                             : Real(0.1) * larger(contact, options.tolerance) * scale.force;
    if (motion.proximal <= enough) {
      accept_multipliers(team, s, x);
      ++outers;
      if (!options.least_motion) {
        team.each(s.nv, [&](int j) { x.center[j] = x.v[j]; });
        if (last_outer >= Real(0) && residual > Real(0.3) * last_outer) {
          if (contact >= motion.exact / scale.force)
            rho *= residual > Real(0.8) * last_outer ? Real(25) : Real(5);
          else if (epsilon > kLeastProximal<Real>)
            epsilon *= Real(0.1), weaken_proximal(team, s, Real(0.1), system);
        }
        last_outer = residual;
      }
      evaluate(team, s, system, rho, x);
      finish_newton_vector(team, s, x);
    }
    newton_step(team, s, system, rho, x);
  }
}

}  // namespace stiction
