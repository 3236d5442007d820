// The classic projected Gauss-Seidel method on the contacts' blocks, with the exact projection onto each cone.
//
//   S v = g + εP v_c + Jᵀλ,   S = H + εP = UᵀU by kinematic tree                                           (1)
//   sweeps over all contacts and rows, and a new v_c after each: (2), (3) and (4) of pgs_sweep.hpp
//   σ_i >= ‖J_i S⁻¹ J_iᵀ‖ of a contact,  σ_r = J_r S⁻¹ J_rᵀ + R_r of a row
//
// A tree whose H is regular has ε = 0 and is solved directly. For other trees (4) is a proximal point iteration, which
// is exact in the limit, so that a singular H needs no lasting regularisation. σ_i is the largest row sum of the
// contact's block J_i S⁻¹ J_iᵀ; the relaxation factor is 1, and no step grows. Under Coulomb's law s_i is the shift of
// the present u_i.
//
//   symbol       variable        shape
//   U            factor          blocks as H
//   S⁻¹Jᵀ        response        (groups, stride) rows as J
//   S⁻¹εP        pull            blocks as H
//   1/σ          step            (groups)
//   ε of a tree  epsilon         (blocks)
//
// Like all solvers it reports the residual of kernels/problem/residual.hpp, and often it does not reach a small one.
#pragma once

#include "kernels/solver/splitting/pgs_sweep.hpp"

namespace stiction {

template <class Real>
ST_FN void take_pgs_memory(const SolverCapacity& capacity, Arena& arena, PgsMemory<Real>& m) {
  m.scaled = take_scaled_problem<Real>(capacity, arena);
  const auto take = [&](int count) { return arena.take<Real>(static_cast<std::size_t>(count)); };
  int square = 0;
  for (int b = 0; b < capacity.num_blocks; ++b) square += capacity.block_size[b] * capacity.block_size[b];
  const int groups = capacity.max_contacts + capacity.max_rows;
  m.colours = take_colours(capacity, m.scaled.stride, arena);
  m.factor = take(square), m.inverse_diagonal = take(capacity.nv), m.pull = take(square);
  m.response = take(groups * m.scaled.stride), m.step = take(groups), m.epsilon = take(capacity.num_blocks);
  m.v = take(capacity.nv), m.center = take(capacity.nv),
  m.lambda = take(capacity.shape.dimension * capacity.max_contacts), m.row_lambda = take(capacity.max_rows);
  m.side_velocity = take(2 * groups * capacity.shape.dimension);
  m.change = take(groups * capacity.shape.dimension);
  m.best = take_answer<Real>(capacity, arena);
  m.residual =
      take_residual_scratch<Real>(capacity.nv, capacity.num_blocks, capacity.max_contacts, capacity.max_rows, arena);
  m.residual.touching = m.colours.touching(m.scaled.dof_block);
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

/// x ← S⁻¹ x of one tree; the entries of x are `stride` apart.
template <class Real>
ST_FN void solve_tree(const PgsMemory<Real>& m, int b, int stride, Pointer<Real> x) {
  const ScaledProblem<Real>& s = m.scaled;
  const int n = s.block_size[b];
  const Real* U = m.factor + s.H_adr[b];
  const Real* inverse = m.inverse_diagonal + s.block_adr[b];
  solve_rows(U, n, inverse, n, x, stride, 1);
  for (int i = n - 1; i >= 0; --i) {
    Real entry = x[i * stride];
    for (int j = i + 1; j < n; ++j) entry -= U[i * n + j] * x[j * stride];
    x[i * stride] = entry * inverse[i];
  }
}

/// Computes ε and U of one tree.
template <class Real>
ST_FN void prepare_tree(int b, PgsMemory<Real>& m) {
  m.epsilon[b] = factor_tree(Real(0), b, m) ? Real(0) : proximal_weight<Real>();
  if (m.epsilon[b] > Real(0)) factor_tree(m.epsilon[b], b, m);
}

/// Computes the columns `dofs` of S⁻¹εP.
template <class Real>
ST_FN void prepare_pull(const DofRange& dofs, PgsMemory<Real>& m) {
  const ScaledProblem<Real>& s = m.scaled;
  const Real epsilon = m.epsilon[dofs.block];
  if (!(epsilon > Real(0))) return;
  const int n = s.block_size[dofs.block], adr = s.H_adr[dofs.block];
  for (int j = dofs.begin - s.block_adr[dofs.block]; j < dofs.end - s.block_adr[dofs.block]; ++j) {
    for (int i = 0; i < n; ++i) m.pull[adr + i * n + j] = epsilon * s.P[adr + i * n + j];
    solve_tree(m, dofs.block, n, m.pull + adr + j);
  }
}

/// Computes row `row` of S⁻¹Jᵀ of one moving side.
template <class Real>
ST_FN void prepare_entry(const SideEntry& at, PgsMemory<Real>& m) {
  const ScaledProblem<Real>& s = m.scaled;
  const int b = s.group_block[at.side], n = s.block_size[b];
  const Real* J = s.jacobian(at.side / 2, at.side % 2) + at.row * n;
  Real* Y = m.response_of(at.side) + at.row * n;
  for (int j = 0; j < n; ++j) Y[j] = J[j];
  solve_tree(m, b, 1, Y);
}

/// Computes S⁻¹Jᵀ of all groups.
template <class Team, class Real>
ST_FN void prepare_responses(const Team& team, PgsMemory<Real>& m) {
  const ScaledProblem<Real>& s = m.scaled;
  if constexpr (Team::kLanes > 1) {
    team.each(m.colours.start[*m.colours.count].entries, [&](int k) { prepare_entry(m.colours.entry[k], m); });
  } else {
    team.each(2 * s.num_groups, [&](int side) {
      for (int row = 0; s.group_block[side] >= 0 && row < group_rows(s, side / 2); ++row)
        prepare_entry(SideEntry{side, row}, m);
    });
  }
}

/// Entry (r, q) of the block J S⁻¹ Jᵀ
template <class Real>
ST_FN Real multiply_response(int group, int r, int q, const PgsMemory<Real>& m) {
  const ScaledProblem<Real>& s = m.scaled;
  Real sum = Real(0);
  for (int side = 2 * group; side < 2 * group + 2; ++side) {
    const int b = s.group_block[side];
    if (b < 0) continue;
    const int n = s.block_size[b];
    const Real *J = s.jacobian(group, side % 2) + r * n, *Y = m.response_of(side) + q * n;
    for (int j = 0; j < n; ++j) sum += J[j] * Y[j];
  }
  return sum;
}

/// Computes 1/σ of one group.
template <class Real>
ST_FN void prepare_step(int group, PgsMemory<Real>& m) {
  const ScaledProblem<Real>& s = m.scaled;
  const int rows = group_rows(s, group);
  Real sigma = Real(0);
  for (int r = 0; r < rows; ++r) {
    Real row = Real(0);
    for (int q = 0; q < rows; ++q) row += std::fabs(multiply_response(group, r, q, m));
    sigma = larger(sigma, row);
  }
  if (group >= s.num_contacts) sigma += s.row_compliance[group - s.num_contacts];
  m.step[group] = sigma > Real(0) ? Real(1) / sigma : Real(0);
}

/// Computes v of (1) for λ = 0, with the present v_c, in one tree.
template <class Real>
ST_FN void start_tree(int b, PgsMemory<Real>& m) {
  const ScaledProblem<Real>& s = m.scaled;
  const DofRange dofs = dofs_of_block(s, b);
  for (int j = dofs.begin; j < dofs.end; ++j) m.v[j] = s.g[j];
  add_product(s, s.P, m.epsilon[b], dofs, m.center, m.v);
  solve_tree(m, b, 1, m.v + dofs.begin);
}

/// Adds the response to the present λ to v.
template <class Team, class Real>
ST_FN void add_responses(const Team& team, PgsMemory<Real>& m) {
  const ScaledProblem<Real>& s = m.scaled;
  const auto impulse = [&](int group) -> const Real* {
    return group < s.num_contacts ? m.lambda + static_cast<std::ptrdiff_t>(group) * s.dim
                                  : m.row_lambda + (group - s.num_contacts);
  };
  for (int k = 0; k < *m.colours.count; ++k)
    respond_together(team, m.colours.start[k], m.colours.start[k + 1], impulse, m);
}

/// Computes the colours, the factors and the responses, and starts from λ of the warm start, with its v as v_c.
template <class Team, class Real>
ST_FN void start(const Team& team, const ContactProblem<Real>& p, const WarmStart<Real>& warm, PgsMemory<Real>& m) {
  const ScaledProblem<Real>& s = m.scaled;
  AnswerArrays<Real> start{m.center, m.lambda, m.row_lambda};
  scale_warm_start(team, p, &warm, s, start);
  team.each(p.num_rows, [&](int r) { m.row_lambda[r] = clamped(m.row_lambda[r], s.row_lower[r], s.row_upper[r]); });
  find_colours(team, s, m.colours);
  team.each(p.num_blocks, [&](int b) { prepare_tree(b, m); });
  each_dofs(team, s, [&](const DofRange& dofs) { prepare_pull(dofs, m); });
  prepare_responses(team, m);
  team.each(s.num_groups, [&](int group) { prepare_step(group, m); });
  if constexpr (Team::kLanes > 1) team.each(2 * s.dim * s.num_groups, [&](int k) { m.side_velocity[k] = Real(0); });
  team.each(p.num_blocks, [&](int b) { start_tree(b, m); });
  add_responses(team, m);
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
