// Newton's method on the impulses (Alart, Curnier), for a single lane, few velocities and a regular H; every law, every
// cone. From the last step's impulses it takes a few steps, and each costs as much as few groups press.
//
//   v = H⁻¹(g + Jᵀλ),  u_i = J_i v + b_i + φ_i/h e_n                                                          (1)
//   F_i = f_i(λ_i − ρ_i u_i) − λ_i = 0      f_i: the projection onto the cone; Coulomb's law: coulomb_impulse.hpp
//                                           a general row: u_r = J_r v + b_r + R_r λ_r, f_r the clamp         (2)
//   (I − D_i) δ_i + D_i (ρ_i Σ_j G_ij δ_j + (ρ_i R_i + ε) δ_i) = F_i,   λ ← λ + δ,   D_i = f_i'               (3)
//
// G is singular, or nearly so, where rows depend on each other, as those of neighbouring points on two faces do; ε then
// keeps the steps short. It is in proportion to the error, so that the convergence stays quadratic, and does not change
// what solves (2). Nothing makes the error fall in every step: a long step often leads to the right contacts. The run
// is given up when the error does not halve in a few steps; the attempts that follow need no good start.
#pragma once

#include "kernels/linalg/small_lu.hpp"
#include "kernels/solver/ground/contact_response.hpp"
#include "kernels/solver/impulses/velocity_step.hpp"
#include "kernels/solver/solver.hpp"

namespace stiction {

namespace impulse_detail {

/// ε as a share of the error, and its bounds.
template <class Real>
constexpr Real kRidge = Real(0.1);
template <class Real>
constexpr Real kLeastRidge = sizeof(Real) == 8 ? Real(1e-8) : Real(1e-5);
template <class Real>
constexpr Real kMostRidge = Real(1e-2);
constexpr int kMostNewtonSteps = 24;
/// The error has to halve in so many steps.
constexpr int kPatience = 8;

template <class Real>
ST_FN int rows_of_group(const ScaledProblem<Real>& s, int group) {
  return group < s.num_contacts ? s.dim : 1;
}

template <class Real>
ST_FN Real* impulse_of_group(const ScaledProblem<Real>& s, int group, ImpulseState<Real>& x) {
  return group < s.num_contacts ? x.lambda + s.dim * group : x.row_lambda + (group - s.num_contacts);
}

/// Writes the rows A of a new member.
template <class Real>
ST_FN void whiten_member(const ScaledProblem<Real>& s, int group, Pointer<Real> rows, ImpulseState<Real>& x) {
  const int count = rows_of_group(s, group);
  Real* scratch = x.matrix;  // the rows of one side, one after the other
  for (int k = 0; k < count * s.nv; ++k) rows[k] = Real(0);
  for (int side = 0; side < 2; ++side) {
    const int b = s.group_block[2 * group + side];
    if (b < 0) continue;
    const int n = s.block_size[b];
    const Real* J = s.jacobian(group, side);
    for (int k = 0; k < count * n; ++k) scratch[k] = J[k];
    whiten_tree(s, b, count, x.trees, scratch);
    for (int a = 0; a < count; ++a)
      for (int j = 0; j < n; ++j) rows[a * s.nv + s.block_adr[b] + j] = scratch[a * n + j];
  }
}

/// Makes a group a member; false if there is no room.
template <class Real>
ST_FN bool add_member(const ScaledProblem<Real>& s, int group, ImpulseState<Real>& x) {
  ImpulseProgress<Real>& now = *x.now;
  const int count = rows_of_group(s, group), first = now.rows, m = now.members;
  if (first + count > ImpulseLimit::kRows) return false;
  whiten_member(s, group, x.whitened + first * s.nv, x);
  Real largest = Real(0);
  for (int a = first; a < first + count; ++a)
    largest = larger(largest, dot_rows(s.nv, x.whitened + a * s.nv, x.whitened + a * s.nv));
  x.member[group] = m, x.group[m] = group, x.first[m] = first;
  for (int a = first; a < first + count; ++a) x.owner[a] = m;
  if (group >= s.num_contacts) largest += s.row_compliance[group - s.num_contacts];
  x.rho[m] = largest > Real(0) ? Real(1) / largest : Real(1);
  ++now.members, now.rows += count;
  return true;
}

/// x.v += J_iᵀλ_i
template <class Real>
ST_FN void add_force(const ScaledProblem<Real>& s, int group, ImpulseState<Real>& x) {
  const Real* lambda = impulse_of_group(s, group, x);
  const int rows = rows_of_group(s, group);
  for (int side = 0; side < 2; ++side) {
    const int b = s.group_block[2 * group + side];
    const int n = b >= 0 ? s.block_size[b] : 0;
    for (int a = 0; a < rows && n > 0; ++a)
      if (lambda[a] != Real(0)) add_scaled(n, lambda[a], s.jacobian(group, side) + a * n, x.v + s.block_adr[b]);
  }
}

/// (1)
template <class Team, class Real>
ST_FN void find_motion(const Team& team, const ScaledProblem<Real>& s, ImpulseState<Real>& x) {
  for (int j = 0; j < s.nv; ++j) x.v[j] = s.g[j];
  for (int i = 0; i < s.num_groups; ++i) add_force(s, i, x);
  for (int b = 0; b < s.num_blocks; ++b) {
    whiten_tree(s, b, 1, x.trees, x.v + s.block_adr[b]);
    unwhiten_tree(s, b, x.trees, x.v + s.block_adr[b]);
  }
  multiply_J(team, s, x.v, x.u, x.u_row);
}

/// D = W (I + e_n σᵀ), row-major (dim, dim). True if it is not 0.
template <class Real>
ST_FN bool store_slope(const ContactResponse<Real>& response, int dim, Real* D) {
  const Sym4<Real>& W = response.weight;
  const ContactVector<Real> sigma = response.slope;
  const Real rows[4][4] = {{W.nto.nn, W.nto.nt, W.nto.no, W.r.n},
                           {W.nto.nt, W.nto.tt, W.nto.to, W.r.t},
                           {W.nto.no, W.nto.to, W.nto.oo, W.r.o},
                           {W.r.n, W.r.t, W.r.o, W.r.r}};
  const Real along[4] = {sigma.n, sigma.t, sigma.o, sigma.r};
  bool any = false;
  for (int a = 0; a < dim; ++a)
    for (int c = 0; c < dim; ++c) {
      D[a * dim + c] = rows[a][c] + rows[a][0] * along[c];
      any = any || D[a * dim + c] != Real(0);
    }
  return any;
}

/// What (2) leaves, in the units of the tolerance's bounds.
template <class Real>
struct ImpulseError {
  Real impulse = Real(0);   // largest |F_i|
  Real velocity = Real(0);  // largest |F_i|/ρ_i
  Real largest = Real(0);   // largest |f_i|
};

template <class Real>
ST_FN void add_error(Real gap, Real rho, Real impulse, ImpulseError<Real>& error) {
  error.impulse = larger(error.impulse, gap);
  error.velocity = larger(error.velocity, gap / rho);
  error.largest = larger(error.largest, impulse);
}

/// F and D of contact i; makes it a member if it presses. False if there is no room.
template <class Real>
ST_FN bool evaluate_contact(const ScaledProblem<Real>& s, ContactLaw law, int i, ImpulseState<Real>& x,
                            ImpulseError<Real>& error) {
  if (x.member[i] < 0) {
    const ContactVector<Real> lambda = s.load(x.lambda, i);
    if (dot(lambda, lambda) == Real(0)) {
      const ContactResponse<Real> f = resolve_contact(s, law, lambda, s.load(x.u, i), Real(1), i);
      if (dot(f.lambda, f.lambda) == Real(0)) return true;
    }
    if (!add_member(s, i, x)) return false;
  }
  const int m = x.member[i];
  const ContactResponse<Real> f = resolve_contact(s, law, s.load(x.lambda, i), s.load(x.u, i), x.rho[m], i);
  const ContactVector<Real> gap = f.lambda - s.load(x.lambda, i);
  Real* F = x.gap + x.first[m];
  F[0] = gap.n, F[1] = gap.t, F[2] = gap.o;
  if (s.dim == 4) F[3] = gap.r;
  const bool slopes = store_slope(f, s.dim, x.slope + 16 * m);
  x.moves[m] = slopes || dot(gap, gap) > Real(0);
  add_error(norm(gap), x.rho[m], norm(f.lambda), error);
  return true;
}

/// The same for a general row.
template <class Real>
ST_FN bool evaluate_row(const ScaledProblem<Real>& s, int r, ImpulseState<Real>& x, ImpulseError<Real>& error) {
  const int group = s.num_contacts + r;
  const Real lambda = x.row_lambda[r], low = s.row_lower[r], high = s.row_upper[r];
  const Real value = x.u_row[r] + s.row_offset[r] + s.row_compliance[r] * lambda;
  if (x.member[group] < 0) {
    if ((lambda == low && value >= Real(0)) || (lambda == high && value <= Real(0))) return true;
    if (!add_member(s, group, x)) return false;
  }
  const int m = x.member[group];
  const Real z = lambda - x.rho[m] * value, f = clamped(z, low, high), gap = f - lambda;
  x.gap[x.first[m]] = gap;
  x.slope[16 * m] = f == z ? Real(1) : Real(0);
  x.moves[m] = f == z || gap != Real(0);
  add_error(std::fabs(gap), x.rho[m], std::fabs(f), error);
  return true;
}

/// (2); false if there is no room.
template <class Real>
ST_FN bool evaluate(const ScaledProblem<Real>& s, ContactLaw law, ImpulseState<Real>& x, ImpulseError<Real>& error) {
  error = {};
  for (int i = 0; i < s.num_contacts; ++i)
    if (!evaluate_contact(s, law, i, x, error)) return false;
  for (int r = 0; r < s.num_rows; ++r)
    if (!evaluate_row(s, r, x, error)) return false;
  return true;
}

/// Lists the rows of the members that move, and returns their number.
template <class Real>
ST_FN int list_moving_rows(const ScaledProblem<Real>& s, ImpulseState<Real>& x) {
  int count = 0;
  for (int m = 0; m < x.now->members; ++m)
    for (int a = 0; x.moves[m] && a < rows_of_group(s, x.group[m]); ++a) x.moving[count++] = x.first[m] + a;
  return count;
}

/// Adds the rows that have come since the last call to G.
template <class Real>
ST_FN void complete_gram(const ScaledProblem<Real>& s, ImpulseState<Real>& x) {
  constexpr int kRows = ImpulseLimit::kRows;
  for (int& a = x.now->multiplied; a < x.now->rows; ++a)
    for (int c = 0; c <= a; ++c)
      x.gram[a * kRows + c] = x.gram[c * kRows + a] = dot_rows(s.nv, x.whitened + a * s.nv, x.whitened + c * s.nv);
}

/// Writes row k of (3), where n rows move. Overwrites x.step.
template <class Real>
ST_FN void write_row(const ScaledProblem<Real>& s, int k, int n, Real ridge, ImpulseState<Real>& x) {
  const int m = x.owner[x.moving[k]], group = x.group[m], dim = rows_of_group(s, group), first = x.first[m];
  const int a = x.moving[k] - first;
  const Real* D = x.slope + 16 * m + a * dim;
  for (int c = 0; c < x.now->rows; ++c) x.step[c] = Real(0);
  for (int d = 0; d < dim; ++d)
    add_scaled(x.now->rows, x.rho[m] * D[d], x.gram + (first + d) * ImpulseLimit::kRows, x.step);
  Real* out = x.matrix + k * n;
  for (int c = 0; c < n; ++c) out[c] = x.step[x.moving[c]];
  const Real share = kept_share(s, m, ridge, x);
  for (int d = 0; d < dim; ++d) out[k - a + d] -= share * D[d];
  out[k] += Real(1);
}

/// Takes the step (3), n of whose rows move; false if its matrix is singular.
template <class Real>
ST_FN bool move_by_rows(const ScaledProblem<Real>& s, int n, Real ridge, ImpulseState<Real>& x) {
  complete_gram(s, x);
  for (int k = 0; k < n; ++k) write_row(s, k, n, ridge, x);
  for (int k = 0; k < n; ++k) x.step[k] = x.gap[x.moving[k]];
  if (!factor_rows(x.matrix.data(), n, x.exchanged.data())) return false;
  solve_rows(x.matrix.data(), n, x.exchanged.data(), x.step.data());
  for (int k = 0; k < n; ++k) {
    const int row = x.moving[k], m = x.owner[row];
    impulse_of_group(s, x.group[m], x)[row - x.first[m]] += x.step[k];
  }
  return true;
}

/// The same through the velocities (velocity_step.hpp). Overwrites D and v, which the next measurement renews.
template <class Real>
ST_FN bool move_by_velocities(const ScaledProblem<Real>& s, Real ridge, ImpulseState<Real>& x) {
  const int nv = s.nv;
  for (int j = 0; j < nv; ++j) x.v[j] = Real(0);
  for (int k = 0; k < nv * nv; ++k) x.matrix[k] = k % (nv + 1) == 0 ? Real(1) : Real(0);
  for (int m = 0; m < x.now->members; ++m) {
    if (!x.moves[m]) continue;
    const int dim = rows_of_group(s, x.group[m]);
    if (!eliminate_member(m, dim, kept_share(s, m, ridge, x), x)) return false;
    add_to_velocities(nv, m, dim, x);
  }
  if (!factor_rows(x.matrix.data(), nv, x.exchanged.data())) return false;
  solve_rows(x.matrix.data(), nv, x.exchanged.data(), x.v.data());
  for (int m = 0; m < x.now->members; ++m)
    if (x.moves[m]) add_step(nv, m, rows_of_group(s, x.group[m]), impulse_of_group(s, x.group[m], x), x);
  return true;
}

/// Takes the step (3), by way of what is less work; false if its matrix is singular.
template <class Real>
ST_FN bool move_impulses(const ScaledProblem<Real>& s, ImpulseState<Real>& x) {
  const int n = list_moving_rows(s, x);
  const Real ridge = clamped(kRidge<Real> * x.now->error, kLeastRidge<Real>, kMostRidge<Real>);
  return goes_through_velocities<Real>(n, s.nv) ? move_by_velocities(s, ridge, x) : move_by_rows(s, n, ridge, x);
}

/// Computes v, F and D of the present impulses, and their error. False if there is no room for all that press.
template <class Team, class Real>
ST_FN bool measure(const Team& team, const ScaledProblem<Real>& s, ContactLaw law, Real speed_floor,
                   ImpulseState<Real>& x) {
  find_motion(team, s, x);
  ImpulseError<Real> error;
  if (!evaluate(s, law, x, error)) return false;
  const Real speed = largest_speed(team, s, x.u, x.u_row, speed_floor);
  x.now->error = larger(error.impulse / larger(error.largest, s.impulse_floor), error.velocity / speed);
  return std::isfinite(x.now->error);
}

/// Ends on impulses within the cones and bounds: λ ← f(λ − ρ u), and v to match.
template <class Team, class Real>
ST_FN void leave_answer(const Team& team, const ScaledProblem<Real>& s, ImpulseState<Real>& x) {
  for (int row = 0; row < x.now->rows; ++row) {
    const int m = x.owner[row], a = row - x.first[m];
    impulse_of_group(s, x.group[m], x)[a] += x.gap[row];
  }
  find_motion(team, s, x);
}

/// True if the contacts that press at the start have more rows than there is room for.
template <class Real>
ST_FN bool presses_too_much(const ScaledProblem<Real>& s, const ImpulseState<Real>& x) {
  int rows = 0;
  for (int i = 0; i < s.num_contacts; ++i) rows += x.lambda[s.dim * i] > Real(0) ? s.dim : 0;
  return rows > ImpulseLimit::kRows;
}

/// True if the start hardly moves: then it has to be as good as a start that stands, or what lies still would creep.
template <class Real>
ST_FN bool creeps(const ScaledProblem<Real>& s, Real speed_floor, const ImpulseState<Real>& x) {
  Real fastest = Real(0);
  for (int j = 0; j < s.nv; ++j) fastest = larger(fastest, std::fabs(x.v[j]));
  return fastest <= Real(1e-6) * speed_floor;
}

/// False if the run is to be given up.
template <class Real>
ST_FN bool makes_progress(int most_steps, ImpulseProgress<Real>& now) {
  const bool better = now.best < Real(0) || now.error < Real(0.5) * now.best;
  now.idle = better ? 0 : now.idle + 1;
  if (better) now.best = now.error;
  return now.steps < most_steps && now.idle < kPatience;
}

}  // namespace impulse_detail

/// Takes at most `most_steps` steps, or kMostNewtonSteps if that is less, from the impulses in the state. Leaves the
/// answer there; x.now->solved tells whether it is one.
template <class Team, class Real>
ST_PHASE void solve_for_impulses(const Team& team, const ScaledProblem<Real>& s, ContactLaw law, Real tolerance,
                                 Real speed_floor, int most_steps, ImpulseState<Real>& x) {
  using namespace impulse_detail;
  ImpulseProgress<Real>& now = *x.now;
  now = {.regular = true};
  if (presses_too_much(s, x)) return;
  for (int b = 0; b < s.num_blocks && now.regular; ++b) now.regular = factor_tree(s, Real(0), b, x.trees);
  if (!now.regular) return;
  for (int i = 0; i < s.num_groups; ++i) x.member[i] = -1;
  for (int r = 0; r < s.num_rows; ++r) x.row_lambda[r] = clamped(x.row_lambda[r], s.row_lower[r], s.row_upper[r]);
  while (measure(team, s, law, speed_floor, x)) {
    now.solved = now.error <= tolerance;
    const bool stands =
        now.steps > 0 || !creeps(s, speed_floor, x) ? now.solved : now.error <= kAsGood<Real> * tolerance;
    const bool goes_on = !stands && makes_progress(smaller(most_steps, kMostNewtonSteps), now) && move_impulses(s, x);
    if (!goes_on) return now.solved ? leave_answer(team, s, x) : void();
    ++now.steps;
  }
  now.solved = false;
}

}  // namespace stiction
