// Lemke's method on raw LCPs and MLCPs: hand-made, random, pathological.
#include <gtest/gtest.h>

#include <set>

#include "kernels/solver/pivots/lemke_lcp.hpp"
#include "tests/solver/generated_lcps.hpp"
#include "tests/solver/samples.hpp"
#include "tests/solver/solve.hpp"
#include "tests/solver/tolerances.hpp"

namespace stiction::test {
namespace {

struct LcpAnswer {
  LcpReport<double> report;
  Vector z, certificate;
};

template <class Team = HostTeam<>>
LcpAnswer solve_raw(const RawLcp& p) {
  const auto stored = p.store();
  Scratch memory(lcp_scratch<double>(static_cast<int>(p.q.size())));
  LcpAnswer a;
  a.z = Vector::Zero(p.q.size());
  a.report = solve_lcp(Team{}, stored.view(), LcpOptions{}, Arena(memory.base()), a.z.data());
  if (a.report.certificate) a.certificate = Eigen::Map<const Vector>(a.report.certificate, p.q.size());
  a.report.certificate = nullptr;
  return a;
}

/// ‖min(z, w)‖∞ from the raw data, relative to ‖q‖∞; free rows count with |w|.
double raw_residual(const RawLcp& p, const Vector& z) {
  const Vector w = p.M * z + p.q;
  const double unit = p.q.cwiseAbs().maxCoeff(), largest = p.M.cwiseAbs().maxCoeff();
  double worst = 0;
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    const bool free = !p.is_free.empty() && p.is_free[static_cast<std::size_t>(i)];
    worst = std::max(worst, free ? std::fabs(w(i)) : std::fabs(std::min(z(i) * largest, w(i))));
  }
  return worst / unit;
}

void expect_solved(const RawLcp& p, const LcpAnswer& a, const std::string& name) {
  EXPECT_EQ(a.report.status, LcpStatus::kConverged) << name << " residual " << a.report.residual;
  EXPECT_LE(raw_residual(p, a.z), kLcpResidual) << name;
}

/// y >= 0, Mᵀy <= 0, qᵀy < 0 (free: any, = 0): no z >= 0 has M z + q >= 0.
void expect_certificate(const RawLcp& p, const Vector& y, const std::string& name) {
  ASSERT_EQ(y.size(), p.q.size()) << name;
  const Vector product = p.M.transpose() * y;
  const double unit = p.M.cwiseAbs().maxCoeff() * y.cwiseAbs().sum();
  for (Eigen::Index i = 0; i < y.size(); ++i) {
    const bool free = !p.is_free.empty() && p.is_free[static_cast<std::size_t>(i)];
    EXPECT_LE(free ? std::fabs(product(i)) : product(i), kCertificate * unit) << name;
    if (!free) {
      EXPECT_GE(y(i), 0.0) << name;
    }
  }
  EXPECT_LT(p.q.dot(y), 0.0) << name;
}

RawLcp lcp(std::vector<std::vector<double>> M, std::vector<double> q, std::vector<int> is_free = {}) {
  const auto n = static_cast<Eigen::Index>(q.size());
  RawLcp p{Matrix(n, n), Eigen::Map<Vector>(q.data(), n), std::move(is_free)};
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j) p.M(i, j) = M[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  return p;
}

TEST(Lemke, SolvesAPositiveDefiniteProblemByHand) {
  const auto p = lcp({{2, 1}, {1, 2}}, {-5, -6});
  const auto a = solve_raw(p);
  expect_solved(p, a, "2 x 2");
  EXPECT_NEAR(a.z(0), 4.0 / 3, kExactLcp);
  EXPECT_NEAR(a.z(1), 7.0 / 3, kExactLcp);
}

TEST(Lemke, TakesZeroWhereTheRightHandSideIsPositive) {
  const auto a = solve_raw(lcp({{-1}}, {2}));
  EXPECT_EQ(a.report.status, LcpStatus::kConverged);
  EXPECT_EQ(a.report.pivots, 0);
  EXPECT_EQ(a.z(0), 0.0);
}

TEST(Lemke, SolvesAnEmptyProblem) {
  const auto a = solve_raw(lcp({}, {}));
  EXPECT_EQ(a.report.status, LcpStatus::kConverged);
}

TEST(Lemke, SolvesFreeVariablesWithASingularBlock) {
  // min ½ 0 v² − v with v <= 3: v free with H = 0, λ >= 0 holds it
  const auto p = lcp({{0, 1}, {-1, 0}}, {-1, 3}, {1, 0});
  const auto a = solve_raw(p);
  expect_solved(p, a, "bounded by one row");
  EXPECT_NEAR(a.z(0), 3, kExactLcp);
  EXPECT_NEAR(a.z(1), 1, kExactLcp);
}

TEST(Lemke, SaysNotFinite) {
  EXPECT_EQ(solve_raw(lcp({{1, 0}, {0, std::nan("")}}, {-1, -1})).report.status, LcpStatus::kNotFinite);
  EXPECT_EQ(solve_raw(lcp({{1}}, {-INFINITY})).report.status, LcpStatus::kNotFinite);
}

TEST(Lemke, FindsASolutionWheneverEnumerationFindsOneOfAMonotoneProblem) {
  Rng rng(11);
  int solvable = 0, unsolvable = 0;
  for (int i = 0; i < samples(1000); ++i) {
    const auto n = static_cast<Eigen::Index>(uniform(rng, 1, 8)), rank = static_cast<Eigen::Index>(uniform(rng, 0, 7));
    RawLcp p{Matrix::Zero(n, n), Vector(n), {}};
    Matrix A(rank, n), S(n, n);
    for (auto& x : A.reshaped()) x = std::round(uniform(rng, -3, 3));
    for (auto& x : S.reshaped()) x = std::round(uniform(rng, -2, 2));
    for (auto& x : p.q) x = std::round(uniform(rng, -3, 3));
    p.M = A.transpose() * A + S - S.transpose();
    if (p.q.isZero()) continue;
    const auto all = enumerate_solutions(p, kExactLcp);
    const auto a = solve_raw(p);
    const std::string name = "problem " + std::to_string(i);
    if (!all.empty()) {
      ++solvable;
      expect_solved(p, a, name);
    } else if (a.report.status != LcpStatus::kConverged) {
      ++unsolvable;
      EXPECT_EQ(a.report.status, LcpStatus::kInfeasible) << name;
      expect_certificate(p, a.certificate, name);
    }
  }
  EXPECT_GT(solvable, 0);
  EXPECT_GT(unsolvable, 0);
}

TEST(Lemke, AgreesWithEnumerationOnMixedProblems) {
  Rng rng(12);
  int solvable = 0;
  for (int i = 0; i < samples(200); ++i) {
    const Eigen::Index n = 7, free = 3;
    RawLcp p{Matrix::Zero(n, n), Vector(n), {1, 1, 1, 0, 0, 0, 0}};
    Matrix A(i % 3, free), C(n - free, free);
    for (auto& x : A.reshaped()) x = std::round(uniform(rng, -3, 3));
    for (auto& x : C.reshaped()) x = std::round(uniform(rng, -3, 3));
    for (auto& x : p.q) x = std::round(uniform(rng, -3, 3));
    if (p.q.isZero()) continue;
    p.M.topLeftCorner(free, free) = A.transpose() * A;  // singular: rank i % 3 < 3
    p.M.bottomLeftCorner(n - free, free) = C;
    p.M.topRightCorner(free, n - free) = -C.transpose();
    const auto all = enumerate_solutions(p, kExactLcp);
    const auto a = solve_raw(p);
    if (a.report.status == LcpStatus::kInfeasible) {
      EXPECT_TRUE(all.empty()) << i;
      expect_certificate(p, a.certificate, std::to_string(i));
    } else if (!all.empty()) {
      ++solvable;
      expect_solved(p, a, std::to_string(i));
    }
  }
  EXPECT_GT(solvable, 0);
}

TEST(Lemke, SolvesRandomStewartTrinkleProblems) {
  Rng rng(13);
  int rays = 0, solved = 0, pivots = 0;
  const int count = samples(1000);
  for (int i = 0; i < count; ++i) {
    const auto o = random_stewart_trinkle_options(rng);
    const auto s = random_stewart_trinkle(rng, o);
    const auto a = solve_raw(s.lcp);
    rays += a.report.rays, pivots += a.report.pivots;
    solved += raw_residual(s.lcp, a.z) <= kLcpResidual;
    expect_solved(s.lcp, a,
                  "problem " + std::to_string(i) + ", " + std::to_string(o.contacts) + " contacts, redundant " +
                      std::to_string(o.redundant));
  }
  RecordProperty("solved", solved);
  RecordProperty("rays", rays);
  RecordProperty("pivots", pivots);
  EXPECT_EQ(solved, count);
}

TEST(Lemke, SolvesAMassRatioOfAMillion) {
  Rng rng(14);
  for (int i = 0; i < samples(20); ++i) {
    StewartTrinkleOptions o;
    o.bodies = 4, o.contacts = 8 + i % 8, o.tangents = 4 + i % 5, o.redundant = i % 2;
    o.min_mass = 1e-3, o.max_mass = 1e3;
    const auto s = random_stewart_trinkle(rng, o);
    expect_solved(s.lcp, solve_raw(s.lcp), "problem " + std::to_string(i));
  }
}

/// Lemke's method with a running tableau and the first of the tied rows; true if a basis came back.
bool cycles_without_the_lexicographic_rule(const RawLcp& p, const Vector& d) {
  const Eigen::Index n = p.q.size();
  Matrix T(n, 2 * n + 2);  // w, z, z0, q
  T << Matrix::Identity(n, n), -p.M, -d, p.q;
  std::vector<Eigen::Index> basis(static_cast<std::size_t>(n));
  for (Eigen::Index i = 0; i < n; ++i) basis[static_cast<std::size_t>(i)] = i;
  std::set<std::vector<Eigen::Index>> seen;
  const auto pivot = [&](Eigen::Index r, Eigen::Index c) {
    T.row(r) /= T(r, c);
    for (Eigen::Index i = 0; i < n; ++i)
      if (i != r) T.row(i) -= T(i, c) * T.row(r);
    const Eigen::Index left = basis[static_cast<std::size_t>(r)];
    basis[static_cast<std::size_t>(r)] = c;
    return left;
  };
  Eigen::Index r = 0;
  for (Eigen::Index i = 1; i < n; ++i)
    if (p.q(i) / d(i) < p.q(r) / d(r)) r = i;
  Eigen::Index left = pivot(r, 2 * n);
  for (;;) {
    if (!seen.insert(basis).second) return true;
    const Eigen::Index entering = left < n ? left + n : left - n;
    r = -1;
    for (Eigen::Index i = 0; i < n; ++i)
      if (T(i, entering) > 1e-12 &&
          (r < 0 || T(i, 2 * n + 1) / T(i, entering) < T(r, 2 * n + 1) / T(r, entering) - 1e-12))
        r = i;
    if (r < 0) return false;
    left = pivot(r, entering);
    if (left == 2 * n) return false;
  }
}

TEST(Lemke, DoesNotCycleWhereTheFirstTiedRowDoes) {
  // Kostreva 1979: all rows tie in every pivot
  const auto p = lcp({{1, 2, 0}, {0, 1, 2}, {2, 0, 1}}, {-1, -1, -1});
  EXPECT_TRUE(cycles_without_the_lexicographic_rule(p, Vector::Ones(3)));
  const auto a = solve_raw(p);
  expect_solved(p, a, "Kostreva");
  for (Eigen::Index i = 0; i < 3; ++i) EXPECT_NEAR(a.z(i), 1.0 / 3, kExactLcp);
}

/// A rod of mass 1 and half length 1 whose lower end slides with friction at angle θ from the floor: the normal
/// acceleration is a = p f + b, p = 1 + 3 cos θ (cos θ − μ sin θ), and Painlevé's paradox is p < 0.
double painleve_slope(double mu, double theta) {
  return 1 + 3 * std::cos(theta) * (std::cos(theta) - mu * std::sin(theta));
}

TEST(Lemke, SaysThatPainlevesRodHasNoAcceleration) {
  const double slope = painleve_slope(2.0, 1.0);
  ASSERT_LT(slope, 0.0);
  const auto p = lcp({{slope}}, {-9.81});
  EXPECT_TRUE(enumerate_solutions(p, kExactLcp).empty());
  const auto a = solve_raw(p);
  EXPECT_EQ(a.report.status, LcpStatus::kInfeasible);
  expect_certificate(p, a.certificate, "rod");
}

TEST(Lemke, FindsOneOfTheTwoAccelerationsOfPainlevesRod) {
  const auto p = lcp({{painleve_slope(2.0, 1.0)}}, {3.0});  // ω² sin θ exceeds g
  EXPECT_EQ(enumerate_solutions(p, kExactLcp).size(), 2u);
  expect_solved(p, solve_raw(p), "rod");
}

/// The Stewart-Trinkle step of the same rod: velocities (x, y, ω) of the centre, the end at (−cos θ, −sin θ).
RawLcp painleve_step(double mu, double theta, const Vector& velocity, double h) {
  const Vector mass = (Vector(3) << 1, 1, 1.0 / 3).finished();
  Matrix F = Matrix::Zero(3, 4);
  F.col(0) << 0, 1, -std::cos(theta);  // normal
  F.col(1) << 1, 0, std::sin(theta);   // friction along +x, −x
  F.col(2) = -F.col(1);
  const Matrix G = mass.cwiseInverse().asDiagonal() * F;
  RawLcp p{F.transpose() * G, F.transpose() * (velocity + h * Vector::Unit(3, 1) * -9.81), {}};
  p.M.row(3) << mu, -1, -1, 0;
  p.M(1, 3) = p.M(2, 3) = 1;
  return p;
}

TEST(Lemke, SolvesPainlevesRodInVelocities) {
  for (const double speed : {-5.0, -1.0, 0.0, 1.0, 5.0})
    for (const double spin : {0.0, 2.0, -2.0}) {
      Vector v(3);
      v << speed, spin * std::cos(1.0), spin;
      const auto p = painleve_step(2.0, 1.0, v, 0.01);
      const auto a = solve_raw(p);
      expect_solved(p, a, "speed " + std::to_string(speed) + " spin " + std::to_string(spin));
      EXPECT_FALSE(enumerate_solutions(p, kExactLcp).empty());
    }
}

TEST(Lemke, SaysInBoundedPivotsThatClosingWallsLeaveNoRoom) {
  // v >= 1 and −v >= 1 with a mass between them
  const auto p = lcp({{1, -1}, {-1, 1}}, {-1, -1});
  const auto a = solve_raw(p);
  EXPECT_EQ(a.report.status, LcpStatus::kInfeasible);
  EXPECT_LE(a.report.pivots, 4);
  expect_certificate(p, a.certificate, "walls");
}

TEST(Lemke, TheOrderOfPhasesDoesNotMatter) {
  Rng rng(15);
  for (int i = 0; i < 10; ++i) {
    auto o = random_stewart_trinkle_options(rng);
    o.redundant = i % 2;
    const auto s = random_stewart_trinkle(rng, o);
    const auto forward = solve_raw<HostTeam<PhaseOrder::kForward>>(s.lcp);
    for (const auto& other :
         {solve_raw<HostTeam<PhaseOrder::kBackward>>(s.lcp), solve_raw<HostTeam<PhaseOrder::kStrided>>(s.lcp)}) {
      EXPECT_EQ(forward.z, other.z);
      EXPECT_EQ(forward.report.pivots, other.report.pivots);
    }
  }
}

TEST(Lemke, SinglePrecisionDataIsSolvedToItsOwnRounding) {
  // rounding to float makes a semi-definite matrix indefinite: a few such problems have no solution
  Rng rng(16);
  int solved = 0;
  const int count = samples(100);
  for (int i = 0; i < count; ++i) {
    const auto s = random_stewart_trinkle(rng, random_stewart_trinkle_options(rng));
    const auto stored = s.lcp.store<float>();
    std::vector<float> z(stored.q.size());
    Scratch memory(lcp_scratch<float>(static_cast<int>(z.size())));
    LcpOptions options;
    options.tolerance = kFloatLcp;
    const auto report = solve_lcp(HostTeam<>{}, stored.view(), options, Arena(memory.base()), z.data());
    solved += report.status == LcpStatus::kConverged;
    EXPECT_EQ(report.status == LcpStatus::kConverged, report.residual <= static_cast<float>(kFloatLcp)) << i;
  }
  EXPECT_GE(solved, kShareFloatLcp * count);
}

}  // namespace
}  // namespace stiction::test
