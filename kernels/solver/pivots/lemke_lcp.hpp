// Raw linear complementarity problems by Lemke's method (kernels/problem/lcp.hpp, pivots/pivots.hpp).
//
// Tries up to LcpOptions::covers covering vectors. An answer is judged by its residual only, whatever the end of the
// pivots; the best one is kept. A ray is reported after the last cover. A ray's direction may prove that there is no
// solution: if M is positive semi-definite it does; for other M, as with Coulomb friction, it is checked and usually
// fails. All arithmetic on the basis is in double, whatever Real is.
#pragma once

#include <climits>

#include "kernels/solver/pivots/pivots.hpp"
#include "kernels/solver/pivots/scaling.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

/// kSingular: a basis was lost, or the equations of free variables contradict one another.
enum class LcpStatus { kConverged, kInfeasible, kRay, kPivotLimit, kSingular, kNotFinite };

struct LcpOptions {
  double tolerance = 1e-9;   // on the residual of kernels/problem/lcp.hpp [-]
  int covers = 5;            // number of covering vectors to try
  int max_pivots = INT_MAX;  // limit on the pivots of all covers together
};

template <class Real>
struct LcpReport {
  LcpStatus status;
  int pivots;               // of all covers together
  int rays;                 // number of covers that ended in a ray
  Real residual;            // of the z that was written
  const Real* certificate;  // kInfeasible: y (n) of kernels/problem/lcp.hpp, in the solver's scratch; else null
};

template <class Real>
struct LemkeMemory {
  LemkeSystem system;
  LemkeScales scales;
  LemkeBasis basis;
  LemkeWork work;
  Array<Real> trial, certificate;  // (n) z of the last cover; y of the last ray, in the problem's units
};

template <class Real>
ST_FN LemkeMemory<Real> take_lemke_memory(int n, Arena& arena) {
  const std::size_t size = static_cast<std::size_t>(n);
  LemkeMemory<Real> m{};
  m.system = {n, arena.take<double>(size * size), arena.take<double>(size), arena.take<double>(size), nullptr};
  m.scales = take_lemke_scales(n, arena);
  m.basis = take_lemke_basis(n, arena);
  m.work = take_lemke_work(n, arena);
  m.trial = arena.take<Real>(size);
  m.certificate = arena.take<Real>(size);
  return m;
}

/// Bytes of scratch that `solve_lcp` needs.
template <class Real>
inline std::size_t lcp_scratch(int n) {
  using Memory = LemkeMemory<Real>;
  return placed_bytes<Memory>([&](Arena& arena, Memory& m) { m = take_lemke_memory<Real>(n, arena); }).all;
}

namespace lemke_detail {

/// The violation that rounding may leave in a certificate, and the gain that it must have (kernels/problem/lcp.hpp).
constexpr double kCertificateViolation = 1e-10;
constexpr double kCertificateGain = 1e-7;
/// Variables may be negative by this much after a refinement on the same basis; the residual then judges the answer.
constexpr double kRefinable = 1e-9;

/// Writes z of the basic solution, without z0, in the problem's units.
template <class Team, class Real>
ST_FN void write_basic_solution(const Team& team, const LemkeMemory<Real>& m, Pointer<Real> z) {
  const auto& system = m.system;
  team.each(system.n, [&](int j) {
    const int p = m.basis.position[j];
    const double value = p < 0 ? 0.0 : (system.is_free_at(j) ? m.work.x[p] : larger(m.work.x[p], 0.0));
    z[j] = static_cast<Real>(value * m.scales.column[j] / *m.scales.unit);
  });
}

/// Writes the z part of the ray's direction (1, −c), scaled so that its largest entry is 1.
template <class Team, class Real>
ST_FN void write_ray(const Team& team, const LemkeMemory<Real>& m, int entering, Pointer<Real> y) {
  const auto& system = m.system;
  const auto direction = [&](int j) {
    const int p = m.basis.position[j];
    const double value = j == entering ? 1.0 : (p < 0 ? 0.0 : -m.work.c[p]);
    return (system.is_free_at(j) ? value : larger(value, 0.0)) * m.scales.column[j];
  };
  const double largest = team.max(system.n, 0.0, [&](int j) { return std::fabs(direction(j)); });
  const double unit = largest > 0.0 ? 1.0 / largest : 0.0;
  team.each(system.n, [&](int j) { y[j] = static_cast<Real>(direction(j) * unit); });
}

template <class Team, class Real>
ST_FN bool is_finite(const Team& team, const LcpProblem<Real>& p) {
  const double bad = team.sum(p.size, 0.0, [&](int i) {
    double count = std::isfinite(p.q[i]) ? 0.0 : 1.0;
    for (int j = 0; j < p.size; ++j) count += std::isfinite(p.at(i, j)) ? 0.0 : 1.0;
    return count;
  });
  return bad == 0.0;
}

ST_FN LcpStatus status_of(LemkeEnd end) {
  if (end == LemkeEnd::kRay) return LcpStatus::kRay;
  return end == LemkeEnd::kPivotLimit ? LcpStatus::kPivotLimit : LcpStatus::kSingular;
}

/// Tries one covering vector from a fresh start, with at most `most_pivots` pivots. Returns how they ended.
template <class Team, class Real>
ST_FN LemkeRun try_cover(const Team& team, int attempt, int most_pivots, LemkeMemory<Real>& m) {
  if (!start_lemke_basis(team, m.system, m.basis, m.work.c)) return {LemkeEnd::kSingular, 0, -1};
  choose_cover(team, m.basis, attempt, m.system);
  return run_lemke(team, m.system, most_pivots, m.basis, m.work);
}

/// z ← m.trial if its residual is smaller.
template <class Team, class Real>
ST_FN void keep_if_better(const Team& team, const LcpProblem<Real>& p, const LemkeMemory<Real>& m,
                          LcpReport<Real>& report, Real* z) {
  const Real residual = compute_lcp_residual(team, p, m.trial);
  if (!(residual < report.residual)) return;
  report.residual = residual;
  team.each(p.size, [&](int j) { z[j] = m.trial[j]; });
}

/// Checks the ray in which the pivots ended; true if it proves that there is no solution.
template <class Team, class Real>
ST_PHASE bool certify_ray(const Team& team, const LcpProblem<Real>& p, int entering, LemkeMemory<Real>& m) {
  write_ray(team, m, entering, m.certificate);
  const auto proof = check_lcp_certificate(team, p, m.certificate);
  const double rounding = sizeof(Real) == 8 ? kCertificateViolation : 1e-5;
  return proof.violation <= rounding && proof.gain >= kCertificateGain;
}

}  // namespace lemke_detail

/// Writes the best answer of up to `options.covers` covering vectors to z (n). m.system holds the scaled problem
/// afterwards.
template <class Team, class Real>
ST_PHASE LcpReport<Real> solve_lcp(const Team& team, LcpProblem<Real> p, LcpOptions options, LemkeMemory<Real>& m,
                                   Pointer<Real> z) {
  using namespace lemke_detail;
  LcpReport<Real> report{LcpStatus::kConverged, 0, 0, Real(0), nullptr};
  team.each(p.size, [&](int j) { z[j] = Real(0); });
  if (!is_finite(team, p)) return {LcpStatus::kNotFinite, 0, 0, Real(0), nullptr};
  team.once([&] { m.system.n = p.size, m.system.is_free = p.is_free; });
  scale_lcp(team, p, m.scales, m.system);
  report.residual = compute_lcp_residual(team, p, z);
  for (int attempt = 0; attempt < options.covers; ++attempt) {
    const LemkeRun run = try_cover(team, attempt, options.max_pivots - report.pivots, m);
    report.pivots += run.pivots;
    report.status = status_of(run.end);
    if (run.end == LemkeEnd::kRay) {
      ++report.rays;
      if (certify_ray(team, p, run.entering, m)) {
        report.status = LcpStatus::kInfeasible, report.certificate = m.certificate;
        return report;
      }
    }
    if (polish_basis(team, m.system, m.basis, m.work)) {
      write_basic_solution(team, m, m.trial);
      keep_if_better(team, p, m, report, z);
    }
    if (report.residual <= static_cast<Real>(options.tolerance)) break;
    if (report.pivots >= options.max_pivots) {
      report.status = LcpStatus::kPivotLimit;
      break;
    }
  }
  if (report.residual <= static_cast<Real>(options.tolerance)) report.status = LcpStatus::kConverged;
  return report;
}

/// Computes Δz of w = M Δz + q on the active set of the factored basis in m, for the same M as its last problem. False
/// if z + Δz or w is negative beyond rounding; Δz must then not be used.
template <class Team, class Real>
ST_PHASE bool refine_on_basis(const Team& team, LcpProblem<Real> p, Pointer<const Real> z, LemkeMemory<Real>& m,
                              Pointer<Real> change) {
  using namespace lemke_detail;
  const int n = p.size;
  if (m.basis.position[2 * n] >= 0) return false;
  team.each(n, [&](int row) { m.work.lexico[row] = static_cast<double>(p.q[row]) * m.scales.row[row]; });
  solve_basis(team, m.system, m.work.lexico, m.basis, m.work.x);
  team.each(n, [&](int j) {
    const int position = m.basis.position[j];
    change[j] = position < 0 ? -z[j] : static_cast<Real>(m.work.x[position] * m.scales.column[j]);
  });
  const double least =
      team.argmin(n, 0.0,
                  [&](int position) {
                    const int variable = m.basis.variable[position];
                    if (!m.system.restricted(variable)) return 0.0;
                    const double x = m.work.x[position];
                    return variable < n ? x + static_cast<double>(z[variable]) / m.scales.column[variable] : x;
                  })
          .value;
  return least >= -kRefinable;
}

template <class Team, class Real>
ST_FN LcpReport<Real> solve_lcp(const Team& team, const LcpProblem<Real>& p, const LcpOptions& options, Arena arena,
                                Pointer<Real> z) {
  using Memory = LemkeMemory<Real>;
  auto& m = place<Memory>(team, arena, [&](Arena& rest, Memory& m) { m = take_lemke_memory<Real>(p.size, rest); });
  return solve_lcp(team, p, options, m, z);
}

}  // namespace stiction
