// The classic projected Gauss-Seidel method on the contacts' blocks, with the exact projection onto each cone.
//
//   S v = g + εP v_c + Jᵀλ,   S = H + εP = UᵀU by kinematic tree                                           (1)
//   contact   λ_i ← P_K(λ_i − û_i/σ_i),  û_i = J_i v + b_i + (φ_i/h + s_i) e_n,  σ_i >= ‖J_i S⁻¹ J_iᵀ‖     (2)
//   row       λ_r ← clamp(λ_r − (J_r v + b_r + R_r λ_r)/(J_r S⁻¹ J_rᵀ + R_r), l_r, u_r)                    (3)
//   after each of these: v ← v + S⁻¹ Jᵀ Δλ
//   after each sweep: v ← v + S⁻¹ εP (v − v_c), v_c ← v as it was before                               (4)
//
// A tree whose H is regular has ε = 0 and is solved directly. For other trees (4) is a proximal point iteration, which
// is exact in the limit, so that a singular H needs no lasting regularisation. σ_i is the largest row sum of the
// contact's block J_i S⁻¹ J_iᵀ; the relaxation factor is 1, and no step grows. Under Coulomb's law s_i is the shift of
// the present u_i.
//
//   symbol       variable        shape
//   U            factor          blocks as H
//   S⁻¹Jᵀ        response        (groups, stride) rows as J
//   1/σ          step            (groups)
//   ε of a tree  epsilon         (blocks)
//
// Like all solvers it reports the residual of kernels/problem/residual.hpp, and often it does not reach a small one.
#pragma once

#include "kernels/solver/ground/answer.hpp"
#include "kernels/solver/ground/reduced_products.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

template <class Real>
struct PgsMemory {
  ScaledProblem<Real> scaled;
  Array<Real> factor, inverse_diagonal, response, step, epsilon;  // see the table; 1/U_jj (nv); set by `start`
  Array<Real> v, center, lambda, row_lambda;  // (nv), (nv) v_c, (contacts, dim), (rows) the present iterate
  AnswerArrays<Real> best;
  ResidualScratch<Real> residual;

  ST_FN AnswerArrays<Real> answer() const { return {v, lambda, row_lambda}; }
};

template <class Real>
ST_FN void take_pgs_memory(const SolverCapacity& capacity, Arena& arena, PgsMemory<Real>& m) {
  m.scaled = take_scaled_problem<Real>(capacity, arena);
  const auto take = [&](int count) { return arena.take<Real>(static_cast<std::size_t>(count)); };
  int square = 0;
  for (int b = 0; b < capacity.num_blocks; ++b) square += capacity.block_size[b] * capacity.block_size[b];
  const int groups = capacity.max_contacts + capacity.max_rows;
  m.factor = take(square), m.inverse_diagonal = take(capacity.nv);
  m.response = take(groups * m.scaled.stride), m.step = take(groups), m.epsilon = take(capacity.num_blocks);
  m.v = take(capacity.nv), m.center = take(capacity.nv),
  m.lambda = take(capacity.shape.dimension * capacity.max_contacts), m.row_lambda = take(capacity.max_rows);
  m.best = take_answer<Real>(capacity, arena);
  m.residual = take_residual_scratch<Real>(capacity.nv, capacity.num_blocks, capacity.max_contacts, arena);
}

/// Bytes of scratch that `solve_pgs` needs.
template <class Real, class Factor>
inline ScratchBytes pgs_scratch(const SolverCapacity& capacity) {
  using Memory = PgsMemory<Real>;
  return placed_bytes<Memory>([&](Arena& arena, Memory& m) { take_pgs_memory(capacity, arena, m); });
}

namespace pgs_detail {

constexpr int kSweepsPerIteration = 100;
constexpr int kCheck = 10;  // number of sweeps between two evaluations of the residual

/// ε, in units in which g and the velocities are of size 1 and the largest diagonal entry of P is 1
/// (docs/adr/0603-gauss-seidel-moves-its-centre-every-sweep.md).
template <class Real>
ST_FN Real proximal_weight() {
  return Real(30);
}

/// Computes U of one tree for a given ε; false if a pivot is nothing but rounding.
template <class Real>
ST_FN bool factor_tree(Real epsilon, int b, PgsMemory<Real>& m) {
  const ScaledProblem<Real>& s = m.scaled;
  const int n = s.block_size[b], adr = s.H_adr[b];
  Real* U = m.factor + adr;
  Real* inverse = m.inverse_diagonal + s.block_adr[b];
  for (int ij = 0; ij < n * n; ++ij) U[ij] = s.H[adr + ij] + epsilon * s.P[adr + ij];
  bool regular = true;
  for (int j = 0; j < n; ++j) inverse[j] = U[j * n + j];
  factor_diagonal(U, n, n, inverse);
  const Real least = sizeof(Real) == 8 ? Real(1e-10) : Real(1e-5);
  for (int j = 0; j < n; ++j) {
    const Real original = s.H[adr + j * n + j] + epsilon * s.P[adr + j * n + j];
    regular = regular && Real(1) > least * original * inverse[j] * inverse[j] && inverse[j] > Real(1e-12) &&
              original > Real(0);
  }
  return regular;
}

/// x ← S⁻¹ x of one tree
template <class Real>
ST_FN void solve_tree(const PgsMemory<Real>& m, int b, Pointer<Real> x) {
  const ScaledProblem<Real>& s = m.scaled;
  const int n = s.block_size[b];
  const Real* U = m.factor + s.H_adr[b];
  const Real* inverse = m.inverse_diagonal + s.block_adr[b];
  solve_rows(U, n, inverse, n, x, 1, 1);
  for (int i = n - 1; i >= 0; --i) {
    for (int j = i + 1; j < n; ++j) x[i] -= U[i * n + j] * x[j];
    x[i] *= inverse[i];
  }
}

template <class Real>
ST_FN int group_rows(const ScaledProblem<Real>& s, int group) {
  return group < s.num_contacts ? s.dim : 1;
}

template <class Real>
ST_FN Real* response_of(PgsMemory<Real>& m, int group, int side) {
  return m.response + static_cast<std::ptrdiff_t>(group) * m.scaled.stride + side * m.scaled.second;
}

/// Entry (r, q) of the block J S⁻¹ Jᵀ
template <class Real>
ST_FN Real multiply_response(int group, int r, int q, PgsMemory<Real>& m) {
  const ScaledProblem<Real>& s = m.scaled;
  Real sum = Real(0);
  for (int side = 0; side < 2; ++side) {
    const int b = s.group_block[2 * group + side];
    if (b < 0) continue;
    const int n = s.block_size[b];
    const Real *J = s.jacobian(group, side) + r * n, *Y = response_of(m, group, side) + q * n;
    for (int j = 0; j < n; ++j) sum += J[j] * Y[j];
  }
  return sum;
}

/// Computes S⁻¹Jᵀ and 1/σ of one group
template <class Real>
ST_FN void prepare_group(int group, PgsMemory<Real>& m) {
  const ScaledProblem<Real>& s = m.scaled;
  const int rows = group_rows(s, group);
  for (int side = 0; side < 2; ++side) {
    const int b = s.group_block[2 * group + side];
    if (b < 0) continue;
    const int n = s.block_size[b];
    const Real* J = s.jacobian(group, side);
    Real* Y = response_of(m, group, side);
    for (int r = 0; r < rows; ++r) {
      for (int j = 0; j < n; ++j) Y[r * n + j] = J[r * n + j];
      solve_tree(m, b, Y + r * n);
    }
  }
  Real sigma = Real(0);
  for (int r = 0; r < rows; ++r) {
    Real row = Real(0);
    for (int q = 0; q < rows; ++q) row += std::fabs(multiply_response(group, r, q, m));
    sigma = larger(sigma, row);
  }
  if (group >= s.num_contacts) sigma += s.row_compliance[group - s.num_contacts];
  m.step[group] = sigma > Real(0) ? Real(1) / sigma : Real(0);
}

/// v += S⁻¹Jᵀ Δλ
template <class Real>
ST_FN void respond(int group, const ContactVector<Real>& change, PgsMemory<Real>& m) {
  const ScaledProblem<Real>& s = m.scaled;
  for (int side = 0; side < 2; ++side) {
    const int b = s.group_block[2 * group + side];
    if (b < 0) continue;
    const int n = s.block_size[b];
    const Real* Y = response_of(m, group, side);
    Real* v = m.v + s.block_adr[b];
    for (int r = 0; r < group_rows(s, group); ++r) {
      const Real entry = r == 0 ? change.n : r == 1 ? change.t : r == 2 ? change.o : change.r;
      for (int j = 0; j < n; ++j) v[j] += Y[r * n + j] * entry;
    }
  }
}

/// The update (2) of contact i
template <class Real>
ST_FN void relax_contact(ContactLaw law, int i, PgsMemory<Real>& m) {
  const ScaledProblem<Real>& s = m.scaled;
  const ContactVector<Real> Jv = multiply_all_rows(s, i, m.v), old = s.load(m.lambda, i);
  const Friction<Real> mu = s.friction(i);
  ContactVector<Real> u = Jv + s.load(s.offset, i);
  u.n += shift_gap(law, s.table, mu, u);
  const ContactVector<Real> next = project_to_cone(s.table, mu, old - m.step[i] * u).point;
  s.store(m.lambda, i, next);
  respond(i, next - old, m);
}

/// The update (3) of general row r
template <class Real>
ST_FN void relax_row(int r, PgsMemory<Real>& m) {
  const ScaledProblem<Real>& s = m.scaled;
  const int group = s.num_contacts + r;
  const Real old = m.row_lambda[r];
  const Real u = multiply_row(s, r, m.v) + s.row_offset[r] + s.row_compliance[r] * old;
  const Real next = clamped(old - m.step[group] * u, s.row_lower[r], s.row_upper[r]);
  m.row_lambda[r] = next;
  respond(group, {next - old, Real(0), Real(0), Real(0)}, m);
}

/// The update (4) of one tree
template <class Real>
ST_FN void move_center(int b, PgsMemory<Real>& m, Pointer<Real> pull) {
  const ScaledProblem<Real>& s = m.scaled;
  const DofRange dofs = dofs_of_block(s, b);
  if (!(m.epsilon[b] > Real(0))) return;
  for (int j = dofs.begin; j < dofs.end; ++j) pull[j] = Real(0);
  add_product_of_difference(s, s.P, m.epsilon[b], dofs, m.v, m.center, pull);
  solve_tree(m, b, pull + dofs.begin);
  for (int j = dofs.begin; j < dofs.end; ++j) m.center[j] = m.v[j], m.v[j] += pull[j];
}

/// Computes v of (1) for one tree, with the present v_c and λ
template <class Real>
ST_FN void start_tree(int b, PgsMemory<Real>& m) {
  const ScaledProblem<Real>& s = m.scaled;
  const int n = s.block_size[b], adr = s.block_adr[b];
  const Real* center = m.center;
  for (int j = adr; j < adr + n; ++j) m.v[j] = s.g[j];
  add_product(s, s.P, m.epsilon[b], dofs_of_block(s, b), center, m.v);
  for (int group = 0; group < s.num_groups; ++group)
    for (int side = 0; side < 2; ++side) {
      if (s.group_block[2 * group + side] != b) continue;
      const Real* J = s.jacobian(group, side);
      const Real* f = group < s.num_contacts ? m.lambda + s.dim * group : m.row_lambda + (group - s.num_contacts);
      for (int r = 0; r < group_rows(s, group); ++r)
        for (int j = 0; j < n; ++j) m.v[adr + j] += J[r * n + j] * f[r];
    }
  solve_tree(m, b, m.v + adr);
}

/// One sweep over all groups in their order, by one lane.
template <class Team, class Real>
ST_PHASE void sweep(const Team& team, ContactLaw law, PgsMemory<Real>& m) {
  team.once([&] {
    for (int i = 0; i < m.scaled.num_contacts; ++i) relax_contact(law, i, m);
    for (int r = 0; r < m.scaled.num_rows; ++r) relax_row(r, m);
  });
}

/// Computes the factors and the responses, and starts from λ of the warm start, with its v as v_c.
template <class Team, class Real>
ST_FN void start(const Team& team, const ContactProblem<Real>& p, const WarmStart<Real>& warm, PgsMemory<Real>& m) {
  const ScaledProblem<Real>& s = m.scaled;
  AnswerArrays<Real> start{m.center, m.lambda, m.row_lambda};
  scale_warm_start(team, p, &warm, s, start);
  team.each(p.num_rows, [&](int r) { m.row_lambda[r] = clamped(m.row_lambda[r], s.row_lower[r], s.row_upper[r]); });
  team.each(p.num_blocks, [&](int b) {
    m.epsilon[b] = factor_tree(Real(0), b, m) ? Real(0) : proximal_weight<Real>();
    if (m.epsilon[b] > Real(0)) factor_tree(m.epsilon[b], b, m);
  });
  team.each(s.num_groups, [&](int i) { prepare_group(i, m); });
  team.each(p.num_blocks, [&](int b) { start_tree(b, m); });
}

/// Computes the certified residual of (v, λ) and keeps the best answer.
template <class Team, class Real>
ST_FN Real check(const Team& team, const ContactProblem<Real>& p, PgsMemory<Real>& m, ContactSolution<Real>& out,
                 Real* least) {
  const Real residual = write_answer(team, p, m.scaled, m.answer(), m.residual, out).total;
  *least = keep_best(team, m.scaled, m.answer(), residual, *least, m.best);
  return residual;
}

/// Runs sweeps until the residual is within the tolerance. Returns their number.
template <class Team, class Real>
ST_FN int iterate(const Team& team, const ContactProblem<Real>& p, Real tolerance, int max_sweeps, PgsMemory<Real>& m,
                  ContactSolution<Real>& out, Real* least) {
  for (int sweeps = 0;; ++sweeps) {
    if (sweeps % kCheck == 0 || sweeps == max_sweeps) {
      const Real residual = check(team, p, m, out, least);
      if (*least <= tolerance || !std::isfinite(residual) || sweeps == max_sweeps) return sweeps;
    }
    sweep(team, p.law, m);
    team.each(p.num_blocks, [&](int b) { move_center(b, m, m.residual.motion); });
  }
}

}  // namespace pgs_detail

template <class Team, class Real, class Factor>
ST_FN SolverReport<Real> solve_pgs(const Team& team, const ContactProblem<Real>& p, const SolverConfig& config,
                                   const WarmStart<Real>& warm, Arena arena, ContactSolution<Real>& out) {
  if (!is_well_posed(team, p)) return report_not_finite(team, p, out);
  using Memory = PgsMemory<Real>;
  auto& m = place<Memory>(team, arena, [&](Arena& rest, Memory& m) { take_pgs_memory(capacity_of(p), rest, m); });
  scale_problem(team, p, m.scaled);
  pgs_detail::start(team, p, warm, m);
  SolverReport<Real> report{status::kIterationLimit, 0, Real(-1), Real(0), nullptr};
  const Real tolerance = static_cast<Real>(config.tolerance);
  const int sweeps = smaller(pgs_detail::kSweepsPerIteration * config.max_iterations, most_iterations(config));
  report.iterations = pgs_detail::iterate(team, p, tolerance, sweeps, m, out, &report.residual);
  finish_report(team, p, config, m.scaled, m.best, m.residual, out, &report);
  return report;
}

}  // namespace stiction
