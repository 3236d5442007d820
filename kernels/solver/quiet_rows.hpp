// Rows whose answer the start tells. A robot has two limits on every joint and is at few of them, its motors are hardly
// ever at the limit of their force, and dry friction mostly goes on to hold a joint, or to slow it down. A problem is
// first solved without such rows:
//
//   bound    λ_r at l_r or u_r at the start; b_r + R_r λ_r has the sign that keeps it there, also with 2 J_r v:
//            g += J_rᵀ λ_r; nothing, if λ_r = 0, as that of a limit that is far                                   (1)
//   sprung   R_r > 0 on one block, λ_r inside of [l_r, u_r] at the start: part of H and g,
//            H += J_rᵀ J_r/R_r,  g −= J_rᵀ b_r/R_r,  λ_r = −(J_r v + b_r)/R_r                                      (2)
//   held     R_r = 0 on one dof k, λ_r inside of [l_r, u_r] at the start: v_k = −b_r/J_rk leaves H and g,
//            g −= H_k v_k,  H_k = H_kᵀ = 0 but for H_kk,  λ_r = (H v − g − Σ J_sᵀ λ_s)_k/J_rk of the whole       (3)
//
// No dof is held in a tree on which a contact presses at the start, or a row that is solved. The answer stands if the
// signs of (1) are as expected, up to rounding, and λ_r is in [l_r, u_r] for (2) and (3); rows of which this is not so
// are solved in a second try, and if that does not stand either, all are. The whole is judged anew: a row that is left
// out can raise u_0, and (2) and (3) change the scales of impulses (residual.hpp). No row is left out where H leaves a
// dof without inertia, because a limit or a spring may be all that holds it.
//
//   symbol   variable   shape
//   H        H, entry   blocks as those of the problem
//   g        g          (nv)
#pragma once

#include "kernels/solver/ground/reduced_system.hpp"
#include "kernels/solver/working_set.hpp"

namespace stiction {

enum class RowKind : int { kSolved, kBound, kSprung, kHeld };  // what becomes of a row

/// The smaller problem's H, g and rows, the start and the answer of its rows.
template <class Real>
struct QuietRows {
  Array<RowKind> kind;          // (num_rows) of the whole problem
  Array<GeneralRow<Real>> row;  // (num_rows) of which `count` are used
  Array<Real> warm, answer;     // (num_rows)
  Array<const Real*> H;         // (num_blocks)
  Array<Real> entry;            // (Σ n²)
  Array<int> adr;               // (num_blocks) start of a block in `entry`
  Array<int> pressed;           // (num_blocks) 1: a contact or a row that is solved may press on it
  Array<int> holder;            // (nv) the row that holds a dof; -1: none
  Array<Real> g;                // (nv)
  int count = 0, moved = 0;     // rows that are solved; rows that change H or g
};

template <class Real>
ST_FN QuietRows<Real> take_quiet_rows(const SolverCapacity& capacity, Arena& arena) {
  const std::size_t rows = static_cast<std::size_t>(capacity.max_rows), nv = static_cast<std::size_t>(capacity.nv);
  const std::size_t blocks = static_cast<std::size_t>(capacity.num_blocks);
  QuietRows<Real> quiet;
  quiet.kind = arena.take<RowKind>(rows);
  quiet.row = arena.take<GeneralRow<Real>>(rows);
  quiet.warm = arena.take<Real>(rows), quiet.answer = arena.take<Real>(rows);
  quiet.H = arena.take<const Real*>(blocks);
  quiet.entry = arena.take<Real>(diagonal_entries(capacity));
  quiet.adr = arena.take<int>(blocks), quiet.pressed = arena.take<int>(blocks), quiet.holder = arena.take<int>(nv);
  quiet.g = arena.take<Real>(nv);
  return quiet;
}

namespace quiet_detail {

// fewer quiet rows than this are not worth a copy of the others
constexpr int kLeastQuiet = 4;
constexpr int kMostAttempts = 2;

/// λ_r of the start; 0 if it has none.
template <class Real>
ST_FN Real start_of_row(const WarmStart<Real>& warm, int r) {
  return warm.row_lambda ? warm.row_lambda[r] : Real(0);
}

/// The sign that u_r must not lose while λ_r is at its lower (1) or upper (-1) bound; 0: λ_r is at neither.
template <class Real>
ST_FN Real sign_at_bound(const GeneralRow<Real>& row, Real lambda) {
  return lambda == row.lower ? Real(1) : lambda == row.upper ? Real(-1) : Real(0);
}

/// (1), but for velocities up to `still`
template <class Real>
ST_FN bool is_bound(const ContactProblem<Real>& p, const WarmStart<Real>& warm, Real still, int r) {
  const GeneralRow<Real>& row = p.rows[r];
  const Real lambda = start_of_row(warm, r), sign = sign_at_bound(row, lambda);
  const Real apart = sign * (row.offset + row.compliance * lambda);
  if (sign == Real(0) || !(apart >= Real(0))) return false;
  return apart + (warm.v ? sign * Real(2) * row_velocity_alone(p, row, warm.v) : Real(0)) >= -still;
}

/// True if row r acts on one block, and λ_r is inside of its bounds at the start.
template <class Real>
ST_FN bool is_inside(const ContactProblem<Real>& p, const WarmStart<Real>& warm, int r) {
  const GeneralRow<Real>& row = p.rows[r];
  if ((row.side[0].block < 0) == (row.side[1].block < 0) || !warm.row_lambda) return false;
  return warm.row_lambda[r] > row.lower && warm.row_lambda[r] < row.upper;
}

/// The side of a row that acts on one block.
template <class Real>
ST_FN const BlockJacobian<Real>& only_side(const GeneralRow<Real>& row) {
  return row.side[row.side[0].block < 0 ? 1 : 0];
}

/// The dof that row r may hold; -1: none.
template <class Real>
ST_FN int held_dof(const ContactProblem<Real>& p, const GeneralRow<Real>& row) {
  const BlockJacobian<Real>& side = only_side(row);
  const bool holds = row.compliance == Real(0) && row.column >= 0 && side.J[row.column] != Real(0);
  return holds ? p.block_adr[side.block] + row.column : -1;
}

/// What becomes of row r, if nothing presses on what it holds. Lists the dof that it holds.
template <class Real>
ST_FN RowKind kind_of_row(const ContactProblem<Real>& p, const WarmStart<Real>& warm, Real still, int r,
                          QuietRows<Real>& quiet) {
  if (!(p.rows[r].lower <= p.rows[r].upper)) return RowKind::kSolved;  // and refused: it is not well posed
  if (is_bound(p, warm, still, r)) return RowKind::kBound;
  if (!is_inside(p, warm, r)) return RowKind::kSolved;
  if (p.rows[r].compliance > Real(0)) return RowKind::kSprung;
  const int dof = held_dof(p, p.rows[r]);
  if (dof < 0 || quiet.holder[dof] >= 0) return RowKind::kSolved;
  quiet.holder[dof] = r;
  return RowKind::kHeld;
}

template <class Real>
ST_FN void press(const BlockJacobian<Real> (&side)[2], QuietRows<Real>& quiet) {
  for (const BlockJacobian<Real>& s : side)
    if (s.block >= 0) quiet.pressed[s.block] = 1;
}

/// Finds the blocks on which something may press: contacts that carry at the start, and rows that are solved.
template <class Real>
ST_FN void find_pressed_blocks(const ContactProblem<Real>& p, const WarmStart<Real>& warm, QuietRows<Real>& quiet) {
  for (int b = 0; b < p.num_blocks; ++b) quiet.pressed[b] = 0;
  for (int i = 0; i < p.num_contacts; ++i)
    if (!warm.lambda || warm.lambda[p.dimension * i] != Real(0)) press(p.contacts[i].side, quiet);
  for (int r = 0; r < p.num_rows; ++r)
    if (quiet.kind[r] == RowKind::kSolved) press(p.rows[r].side, quiet);
}

/// Adds row r to H and g by (2).
template <class Real>
ST_FN void add_spring(const ContactProblem<Real>& p, int r, QuietRows<Real>& quiet) {
  const GeneralRow<Real>& row = p.rows[r];
  const BlockJacobian<Real>& side = only_side(row);
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

/// Adds the impulse of row r to g by (1).
template <class Real>
ST_FN void add_impulse(const ContactProblem<Real>& p, const GeneralRow<Real>& row, Real lambda,
                       QuietRows<Real>& quiet) {
  for (const BlockJacobian<Real>& side : row.side)
    for (int i = 0; side.block >= 0 && i < p.block_size[side.block]; ++i)
      quiet.g[p.block_adr[side.block] + i] += side.J[i] * lambda;
}

/// Takes the dof that a row holds out of H and g by (3).
template <class Real>
ST_FN void hold_dof(const ContactProblem<Real>& p, const GeneralRow<Real>& row, QuietRows<Real>& quiet) {
  const BlockJacobian<Real>& side = only_side(row);
  const int n = p.block_size[side.block], k = row.column;
  Real *H = quiet.entry + quiet.adr[side.block], *g = quiet.g + p.block_adr[side.block];
  const Real v = -row.offset / side.J[k];
  for (int i = 0; i < n; ++i) {
    if (i == k) continue;
    g[i] -= H[i * n + k] * v;
    H[i * n + k] = H[k * n + i] = Real(0);
  }
  g[k] = H[k * n + k] * v;
}

/// Writes H and g of the smaller problem.
template <class Real>
ST_FN void move_rows(const ContactProblem<Real>& p, const WarmStart<Real>& warm, QuietRows<Real>& quiet) {
  int at = 0;
  for (int b = 0; b < p.num_blocks; ++b) {
    quiet.adr[b] = at, quiet.H[b] = quiet.entry + at;
    for (int i = 0; i < p.block_size[b] * p.block_size[b]; ++i) quiet.entry[at++] = p.H[b][i];
  }
  for (int j = 0; j < p.nv; ++j) quiet.g[j] = p.g[j];
  for (int r = 0; r < p.num_rows; ++r) {
    const Real lambda = start_of_row(warm, r);
    if (quiet.kind[r] == RowKind::kSprung) add_spring(p, r, quiet);
    if (quiet.kind[r] == RowKind::kBound && lambda != Real(0)) add_impulse(p, p.rows[r], lambda, quiet);
  }
  for (int r = 0; r < p.num_rows; ++r)
    if (quiet.kind[r] == RowKind::kHeld) hold_dof(p, p.rows[r], quiet);
}

/// Says what becomes of every row.
template <class Real>
ST_FN void choose_kinds(const ContactProblem<Real>& p, const WarmStart<Real>& warm, Real still,
                        QuietRows<Real>& quiet) {
  for (int j = 0; j < p.nv; ++j) quiet.holder[j] = -1;
  for (int r = 0; r < p.num_rows; ++r) quiet.kind[r] = kind_of_row(p, warm, still, r, quiet);
}

/// Lists the rows that are solved, with their start. False if too few are quiet.
template <class Real>
ST_FN bool leaves_out_rows(const ContactProblem<Real>& p, const WarmStart<Real>& warm, QuietRows<Real>& quiet) {
  quiet.count = quiet.moved = 0;
  find_pressed_blocks(p, warm, quiet);
  for (int r = 0; r < p.num_rows; ++r) {
    RowKind& kind = quiet.kind[r];
    if (kind == RowKind::kHeld && quiet.pressed[only_side(p.rows[r]).block] != 0) kind = RowKind::kSolved;
    const bool moved = kind != RowKind::kBound || start_of_row(warm, r) != Real(0);
    quiet.moved += kind != RowKind::kSolved && moved ? 1 : 0;
    if (kind != RowKind::kSolved) continue;
    if (warm.row_lambda) quiet.warm[quiet.count] = warm.row_lambda[r];
    quiet.row[quiet.count++] = p.rows[r];
  }
  return p.num_rows - quiet.count >= kLeastQuiet;
}

/// The problem without its quiet rows.
template <class Real>
ST_FN ContactProblem<Real> without_quiet_rows(const ContactProblem<Real>& p, const WarmStart<Real>& warm,
                                              QuietRows<Real>& quiet) {
  ContactProblem<Real> q = p;
  q.rows = quiet.row, q.num_rows = quiet.count;
  if (quiet.moved == 0) return q;
  move_rows(p, warm, quiet);
  q.H = quiet.H, q.g = quiet.g;
  return q;
}

/// λ_r of (3), once all other rows of its block have theirs.
template <class Real>
ST_FN Real holding_impulse(const ContactProblem<Real>& p, const GeneralRow<Real>& row, const ContactSolution<Real>& x) {
  const BlockJacobian<Real>& side = only_side(row);
  const int block = side.block, k = row.column, n = p.block_size[block], adr = p.block_adr[block];
  Real impulse = -p.g[adr + k];
  for (int j = 0; j < n; ++j) impulse += p.H[block][k * n + j] * x.v[adr + j];
  for (int s = 0; s < p.num_rows; ++s) {
    const GeneralRow<Real>& other = p.rows[s];
    if (x.row_lambda[s] == Real(0) || (other.column >= 0 && other.column != k)) continue;
    for (const BlockJacobian<Real>& of_other : other.side)
      if (of_other.block == block) impulse -= of_other.J[k] * x.row_lambda[s];
  }
  return impulse / side.J[k];
}

/// λ_r of a row that was left out by (1) or (2); `stands`: false if it contradicts what was expected.
template <class Real>
ST_FN Real impulse_of_row(const ContactProblem<Real>& p, const WarmStart<Real>& warm, Real still, int r, RowKind kind,
                          const ContactSolution<Real>& x, bool& stands) {
  const GeneralRow<Real>& row = p.rows[r];
  const Real u = row_velocity_alone(p, row, x.v) + row.offset;
  if (kind == RowKind::kSprung) {
    const Real lambda = -u / row.compliance;
    stands = lambda >= row.lower && lambda <= row.upper;
    return lambda;
  }
  const Real lambda = start_of_row(warm, r);
  stands = row.lower == row.upper || sign_at_bound(row, lambda) * (u + row.compliance * lambda) >= -still;
  return lambda;
}

/// Gives every row its λ. Rows whose answer does not stand are to be solved from now on; false if there are any.
template <class Real>
ST_FN bool write_rows(const ContactProblem<Real>& p, const WarmStart<Real>& warm, Real still, QuietRows<Real>& quiet,
                      ContactSolution<Real>& out) {
  bool all = true;
  const auto settle = [&](int r, bool stands) {
    if (!stands) quiet.kind[r] = RowKind::kSolved;
    all = all && stands;
  };
  for (int r = 0, next = 0; r < p.num_rows; ++r) {
    bool stands = true;
    const RowKind kind = quiet.kind[r];
    out.row_lambda[r] = kind == RowKind::kSolved ? quiet.answer[next++]
                        : kind == RowKind::kHeld ? Real(0)
                                                 : impulse_of_row(p, warm, still, r, kind, out, stands);
    settle(r, stands);
  }
  for (int r = 0; r < p.num_rows; ++r) {
    if (quiet.kind[r] != RowKind::kHeld) continue;
    const Real lambda = holding_impulse(p, p.rows[r], out);
    out.row_lambda[r] = lambda;
    settle(r, lambda >= p.rows[r].lower && lambda <= p.rows[r].upper);
  }
  return all;
}

}  // namespace quiet_detail

/// Solves p by solve(problem, config, warm, task, arena, answer), without its quiet rows if there are enough of them;
/// rows that turn out not to be quiet are solved in a second try.
template <class Team, class Real, class Solve>
ST_FN SolverReport<Real> solve_without_quiet_rows(const Team& team, const ContactProblem<Real>& p,
                                                  const SolverConfig& config, const WarmStart<Real>& warm, Arena arena,
                                                  ContactSolution<Real>& out, Solve solve) {
  using namespace quiet_detail;
  constexpr std::uint32_t kProven = status::kInfeasible | status::kUnbounded | status::kNotFinite;
  const Real tolerance = static_cast<Real>(config.tolerance), still = still_speed(p, tolerance);
  QuietRows<Real> quiet = take_quiet_rows<Real>(capacity_of(p), arena);
  choose_kinds(p, warm, still, quiet);
  int spent = 0;
  for (int attempt = 0, stands = 0; attempt < kMostAttempts && !stands; ++attempt) {
    if (!leaves_out_rows(p, warm, quiet) || (attempt == 0 && !working_set_detail::has_inertia(team, p))) break;
    const ContactProblem<Real> q = without_quiet_rows(p, warm, quiet);
    WarmStart<Real> start = warm;
    if (warm.row_lambda) start.row_lambda = quiet.warm;
    ContactSolution<Real> answer{out.v, out.lambda, quiet.answer};
    const SolverConfig left = without_iterations(config, spent);
    SolverReport<Real> report = solve(q, left, start, IslandTask::kBounded, arena, answer);
    report.iterations = spent = spent + report.iterations;
    const bool solved = report.status == status::kConverged;
    stands = write_rows(p, warm, still, quiet, out) ? 1 : 0;
    report.residual = judge_problem(team, p, arena, out);
    const bool lost = solved && !(report.residual <= tolerance);
    if (stands && !lost && !(report.status & kProven)) return report;
    if (spent < most_iterations(config)) continue;
    report.status = status::kIterationLimit;
    report.certificate = nullptr;
    return report;
  }
  SolverReport<Real> report = solve(p, without_iterations(config, spent), warm, IslandTask::kAll, arena, out);
  report.iterations += spent;
  return report;
}

}  // namespace stiction
