// Rows whose answer the start tells. A robot has two limits on every joint and is hardly ever at one of them, and few
// of its actuators are at the limit of their force. A problem is first solved without such rows:
//
//   idle     C = [0, ∞), λ_r = 0 and b_r > 2 max(−J_r v, 0) at the start: left out, λ_r = 0                        (1)
//   sprung   R_r > 0 on one block, λ_r inside C at the start: part of H and g,
//            H += J_rᵀ J_r/R_r,  g −= J_rᵀ b_r/R_r,  λ_r = −(J_r v + b_r)/R_r                                      (2)
//
// The answer stands if J_r v + b_r >= 0 for all rows of (1) and λ_r is in C for all of (2); else all rows are solved.
// The whole is judged anew: an idle row adds no term to the residual but can raise u_0, and (2) changes the scales of
// impulses (residual.hpp). No row is left out where H leaves a dof without inertia, because a limit or a spring may be
// all that holds it.
//
//   symbol   variable   shape
//   H        H, entry   blocks as those of the problem
//   g        g          (nv)
#pragma once

#include "kernels/solver/ground/reduced_system.hpp"
#include "kernels/solver/working_set.hpp"

namespace stiction {

enum class RowKind : int { kSolved, kIdle, kSprung };  // what becomes of a row

/// The smaller problem's H, g and rows, the start and the answer of its rows.
template <class Real>
struct QuietRows {
  Array<RowKind> kind;          // (num_rows) of the whole problem
  Array<GeneralRow<Real>> row;  // (num_rows) of which `count` are used
  Array<Real> warm, answer;     // (num_rows)
  Array<const Real*> H;         // (num_blocks)
  Array<Real> entry;            // (Σ n²)
  Array<int> adr;               // (num_blocks) start of a block in `entry`
  Array<Real> g;                // (nv)
  int count = 0, sprung = 0;
};

template <class Real>
ST_FN QuietRows<Real> take_quiet_rows(const SolverCapacity& capacity, Arena& arena) {
  const std::size_t rows = static_cast<std::size_t>(capacity.max_rows), nv = static_cast<std::size_t>(capacity.nv);
  QuietRows<Real> quiet;
  quiet.kind = arena.take<RowKind>(rows);
  quiet.row = arena.take<GeneralRow<Real>>(rows);
  quiet.warm = arena.take<Real>(rows), quiet.answer = arena.take<Real>(rows);
  quiet.H = arena.take<const Real*>(static_cast<std::size_t>(capacity.num_blocks));
  quiet.entry = arena.take<Real>(diagonal_entries(capacity));
  quiet.adr = arena.take<int>(static_cast<std::size_t>(capacity.num_blocks));
  quiet.g = arena.take<Real>(nv);
  return quiet;
}

namespace quiet_detail {

// fewer quiet rows than this are not worth a copy of the others
constexpr int kLeastQuiet = 4;

/// (1)
template <class Real>
ST_FN bool is_idle(const ContactProblem<Real>& p, const WarmStart<Real>& warm, int r) {
  const GeneralRow<Real>& row = p.rows[r];
  if (row.lower != Real(0) || !std::isinf(row.upper) || !(row.offset > Real(0))) return false;
  if (warm.row_lambda && warm.row_lambda[r] != Real(0)) return false;
  return !warm.v || row.offset + Real(2) * row_velocity_alone(p, row, warm.v) > Real(0);
}

/// (2)
template <class Real>
ST_FN bool is_sprung(const ContactProblem<Real>& p, const WarmStart<Real>& warm, int r) {
  const GeneralRow<Real>& row = p.rows[r];
  const bool alone = (row.side[0].block < 0) != (row.side[1].block < 0);
  if (!alone || !(row.compliance > Real(0)) || !warm.row_lambda) return false;
  return warm.row_lambda[r] > row.lower && warm.row_lambda[r] < row.upper;
}

/// Adds row r to H and g by (2).
template <class Real>
ST_FN void add_spring(const ContactProblem<Real>& p, int r, QuietRows<Real>& quiet) {
  const GeneralRow<Real>& row = p.rows[r];
  const BlockJacobian<Real>& side = row.side[row.side[0].block < 0 ? 1 : 0];
  const int block = side.block, n = p.block_size[block], adr = p.block_adr[block];
  const Real* J = side.J;
  Real* H = quiet.entry + quiet.adr[block];
  const Real slope = Real(1) / row.compliance;
  for (int i = 0; i < n; ++i) {
    if (J[i] == Real(0)) continue;
    for (int j = 0; j < n; ++j) H[i * n + j] += slope * J[i] * J[j];
    quiet.g[adr + i] -= slope * row.offset * J[i];
  }
}

/// Writes H and g of the smaller problem.
template <class Real>
ST_FN void add_springs(const ContactProblem<Real>& p, QuietRows<Real>& quiet) {
  int at = 0;
  for (int b = 0; b < p.num_blocks; ++b) {
    quiet.adr[b] = at, quiet.H[b] = quiet.entry + at;
    for (int i = 0; i < p.block_size[b] * p.block_size[b]; ++i) quiet.entry[at++] = p.H[b][i];
  }
  for (int j = 0; j < p.nv; ++j) quiet.g[j] = p.g[j];
  for (int r = 0; r < p.num_rows; ++r)
    if (quiet.kind[r] == RowKind::kSprung) add_spring(p, r, quiet);
}

/// Lists the rows that are not quiet, with their start. False if too few are quiet.
template <class Real>
ST_FN bool leaves_out_rows(const ContactProblem<Real>& p, const WarmStart<Real>& warm, QuietRows<Real>& quiet) {
  for (int r = 0; r < p.num_rows; ++r) {
    const RowKind kind = is_sprung(p, warm, r) ? RowKind::kSprung
                         : is_idle(p, warm, r) ? RowKind::kIdle
                                               : RowKind::kSolved;
    quiet.kind[r] = kind;
    quiet.sprung += kind == RowKind::kSprung ? 1 : 0;
    if (kind != RowKind::kSolved) continue;
    if (warm.row_lambda) quiet.warm[quiet.count] = warm.row_lambda[r];
    quiet.row[quiet.count++] = p.rows[r];
  }
  return p.num_rows - quiet.count >= kLeastQuiet;
}

/// The problem without its quiet rows.
template <class Real>
ST_FN ContactProblem<Real> without_quiet_rows(const ContactProblem<Real>& p, QuietRows<Real>& quiet) {
  ContactProblem<Real> q = p;
  q.rows = quiet.row, q.num_rows = quiet.count;
  if (quiet.sprung == 0) return q;
  add_springs(p, quiet);
  q.H = quiet.H, q.g = quiet.g;
  return q;
}

/// Gives every row its λ. False if the answer does not stand.
template <class Real>
ST_FN bool write_rows(const ContactProblem<Real>& p, const QuietRows<Real>& quiet, ContactSolution<Real>& out) {
  bool stands = true;
  for (int r = 0, next = 0; r < p.num_rows; ++r) {
    if (quiet.kind[r] == RowKind::kSolved) {
      out.row_lambda[r] = quiet.answer[next++];
      continue;
    }
    const GeneralRow<Real>& row = p.rows[r];
    const Real u = row_velocity_alone(p, row, out.v) + row.offset;
    const bool sprung = quiet.kind[r] == RowKind::kSprung;
    const Real lambda = sprung ? -u / row.compliance : Real(0);
    out.row_lambda[r] = lambda;
    stands = stands && (sprung ? lambda >= row.lower && lambda <= row.upper : u >= Real(0));
  }
  return stands;
}

}  // namespace quiet_detail

/// Solves p by solve(problem, config, warm, task, arena, answer), without its quiet rows if there are enough of them.
template <class Team, class Real, class Solve>
ST_FN SolverReport<Real> solve_without_quiet_rows(const Team& team, const ContactProblem<Real>& p,
                                                  const SolverConfig& config, const WarmStart<Real>& warm, Arena arena,
                                                  ContactSolution<Real>& out, Solve solve) {
  using namespace quiet_detail;
  constexpr std::uint32_t kProven = status::kInfeasible | status::kUnbounded | status::kNotFinite;
  QuietRows<Real> quiet = take_quiet_rows<Real>(capacity_of(p), arena);
  if (!leaves_out_rows(p, warm, quiet) || !working_set_detail::has_inertia(team, p))
    return solve(p, config, warm, IslandTask::kAll, arena, out);
  const ContactProblem<Real> q = without_quiet_rows(p, quiet);
  WarmStart<Real> start = warm;
  if (warm.row_lambda) start.row_lambda = quiet.warm;
  ContactSolution<Real> answer{out.v, out.lambda, quiet.answer};
  SolverReport<Real> report = solve(q, config, start, IslandTask::kBounded, arena, answer);
  const Real tolerance = static_cast<Real>(config.tolerance);
  const bool solved = report.status == status::kConverged, stands = write_rows(p, quiet, out);
  report.residual = island_detail::judge_whole(team, p, arena, out);
  const bool lost = solved && !(report.residual <= tolerance);
  if (stands && !lost && !(report.status & kProven)) return report;
  const int spent = report.iterations;
  if (spent >= most_iterations(config)) {
    report.status = status::kIterationLimit;
    report.certificate = nullptr;
    return report;
  }
  report = solve(p, without_iterations(config, spent), warm, IslandTask::kAll, arena, out);
  report.iterations += spent;
  return report;
}

}  // namespace stiction
