// Infeasible and unbounded steps: the certificates are checked here from the raw problem alone.
#include <gtest/gtest.h>

#include "tests/solver/all_solvers.hpp"
#include "tests/solver/generated_problems.hpp"
#include "tests/solver/solve.hpp"
#include "tests/solver/tolerances.hpp"
#include "tests/solver/torsion_problems.hpp"

namespace stiction::test {
namespace {

std::vector<int> block_addresses(const RawProblem<double>& p) {
  std::vector<int> adr;
  int next = 0;
  for (int n : p.block_size) adr.push_back(next), next += n;
  return adr;
}

/// J d of contact i, n t o r.
std::array<double, 4> contact_rate(const RawProblem<double>& p, std::size_t i, const std::vector<double>& d) {
  const auto adr = block_addresses(p);
  std::array<double, 4> u{};
  for (std::size_t s = 0; s < 2; ++s) {
    const int b = p.contacts[i].block[s];
    if (b < 0) continue;
    const std::size_t n = static_cast<std::size_t>(p.block_size[static_cast<std::size_t>(b)]);
    for (std::size_t r = 0; r < static_cast<std::size_t>(p.dimension); ++r)
      for (std::size_t j = 0; j < n; ++j)
        u[r] += p.contacts[i].J[s][r * n + j] * d[static_cast<std::size_t>(adr[static_cast<std::size_t>(b)]) + j];
  }
  return u;
}

constexpr ConeType kCones[] = {
#define ST_CONE(enumerator, name, ...) ConeType::enumerator,
#include "kernels/problem/cones.inc"
#undef ST_CONE
};

/// Least g·u over the rays g = (1, D) of the cone.
double least_ray_dot(const RawProblem<double>& p, std::size_t i, const std::array<double, 4>& u) {
  const double t = p.contacts[i].mu_t * u[1], o = p.contacts[i].mu_o * u[2];
  if (p.cone == ConeType::kQuadratic) return u[0] - std::hypot(t, o, p.contacts[i].mu_r * u[3]);
  double least = u[0] - p.contacts[i].mu_r * std::fabs(u[3]);
  if (p.cone == ConeType::kBox) return std::fmin(least, u[0] - std::fabs(t) - std::fabs(o));
  for (int k = 0; k < p.facets; ++k) {
    const double angle = 2 * M_PI * k / p.facets;
    least = std::fmin(least, u[0] + std::cos(angle) * t + std::sin(angle) * o);
  }
  return least;
}

/// The least λ_n with (λ_n, t, o, r) in the cone; pyramids of four facets, and flat ones, only.
double least_normal(const RawProblem<double>& p, std::size_t i, const double* y) {
  const double mu[] = {p.contacts[i].mu_t, p.contacts[i].mu_o, p.contacts[i].mu_r};
  double share[3] = {};
  for (int axis = 0; axis < p.dimension - 1; ++axis) {
    if (mu[axis] == 0 && y[1 + axis] != 0) return std::numeric_limits<double>::infinity();
    share[axis] = mu[axis] > 0 ? std::fabs(y[1 + axis]) / mu[axis] : 0;
  }
  const double a = share[0], b = share[1];
  if (p.cone == ConeType::kQuadratic) return std::hypot(a, b, share[2]);
  return (p.cone == ConeType::kBox ? std::fmax(a, b) : a + b) + share[2];
}

/// d: H d = 0, J d in K*, gᵀ d > 0, everything relative to |d|.
void expect_free_direction(const RawProblem<double>& p, const std::vector<double>& d) {
  double size = 0, work = 0, g_size = 0;
  for (std::size_t j = 0; j < d.size(); ++j) {
    size = std::fmax(size, std::fabs(d[j] * p.dof_radius[j]));
    work += p.g[j] * d[j];
    g_size = std::fmax(g_size, std::fabs(p.g[j] / p.dof_radius[j]));
  }
  ASSERT_GT(size, 0.0);
  EXPECT_GT(work, 1e-6 * size * g_size);
  const auto adr = block_addresses(p);
  for (std::size_t b = 0; b < p.H.size(); ++b) {
    const std::size_t n = static_cast<std::size_t>(p.block_size[b]);
    double largest = 1e-300;
    for (double x : p.H[b]) largest = std::fmax(largest, std::fabs(x));
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < n; ++j) sum += p.H[b][i * n + j] * d[static_cast<std::size_t>(adr[b]) + j];
      EXPECT_LE(std::fabs(sum), kCertificate * largest * size);
    }
  }
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    EXPECT_GE(least_ray_dot(p, i, contact_rate(p, i, d)), -kCertificate * size) << i;
  }
}

/// y in K, Jᵀy = 0, Σ y·(b + φ/h e_n) < 0.
void expect_opposing_impulses(const RawProblem<double>& p, const std::vector<double>& y) {
  std::vector<double> resultant(p.g.size(), 0.0);
  double size = 0, product = 0;
  const std::size_t dim = static_cast<std::size_t>(p.dimension);
  const auto adr = block_addresses(p);
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    const auto& c = p.contacts[i];
    const double* of = &y[dim * i];
    for (std::size_t a = 0; a < dim; ++a) size = std::fmax(size, std::fabs(of[a]) / (a == 3 ? c.radius : 1));
    for (std::size_t a = 0; a < dim; ++a) product += of[a] * (c.offset[a] + (a == 0 ? c.gap_rate : 0));
    if (p.facets == 4) {
      EXPECT_LE(least_normal(p, i, of), of[0] * (1 + kCertificate)) << i;
    }
    for (std::size_t s = 0; s < 2; ++s) {
      if (c.block[s] < 0) continue;
      const std::size_t b = static_cast<std::size_t>(c.block[s]), n = static_cast<std::size_t>(p.block_size[b]);
      for (std::size_t r = 0; r < dim; ++r)
        for (std::size_t j = 0; j < n; ++j)
          resultant[static_cast<std::size_t>(adr[b]) + j] += c.J[s][r * n + j] * of[r];
    }
  }
  for (std::size_t r = 0; r < p.rows.size(); ++r) {
    const double value = y[dim * p.contacts.size() + r];
    size = std::fmax(size, std::fabs(value) / p.rows[r].radius);
    product += value * p.rows[r].offset;
    if (!std::isinf(p.rows[r].lower)) {
      EXPECT_GE(value, 0.0) << r;
    }
    if (!std::isinf(p.rows[r].upper)) {
      EXPECT_LE(value, 0.0) << r;
    }
    for (std::size_t s = 0; s < 2; ++s) {
      if (p.rows[r].block[s] < 0) continue;
      const std::size_t b = static_cast<std::size_t>(p.rows[r].block[s]);
      for (std::size_t j = 0; j < static_cast<std::size_t>(p.block_size[b]); ++j)
        resultant[static_cast<std::size_t>(adr[b]) + j] += p.rows[r].J[s][j] * value;
    }
  }
  ASSERT_GT(size, 0.0);
  EXPECT_LT(product, 0.0);
  for (std::size_t j = 0; j < resultant.size(); ++j)
    EXPECT_LE(std::fabs(resultant[j] / p.dof_radius[j]), kCertificate * size) << j;
}

/// A point between two walls that overlap it by `left` and `right` metres.
RawProblem<double> closing_walls(double left, double right, double mu = 0.5) {
  RawProblem<double> p;
  p.step_size = 0.1;
  p.add_block({0, 0, 0}, {0, 0, -1}, {1, 1, 1}, {1, 1, 1});
  const auto add = [&](double gap, std::vector<double> J) {
    RawContact<double> c;
    c.block = {-1, 0}, c.J[1] = std::move(J), c.gap_rate = gap / p.step_size, c.mu_t = c.mu_o = mu;
    p.contacts.push_back(c);
  };
  add(-left, {1, 0, 0, 0, 1, 0, 0, 0, 1});
  add(-right, {-1, 0, 0, 0, -1, 0, 0, 0, 1});
  add(0, {0, 0, 1, 1, 0, 0, 0, 1, 0});
  return p;
}

template <class Solver>
class CertificatesOf : public testing::Test {};
TYPED_TEST_SUITE(CertificatesOf, AllSolvers);

TYPED_TEST(CertificatesOf, ClosingWallsAreInfeasibleAndTheLeastOverlapIsReported) {
  for (const ConeType cone : kCones) {
    if (!can_solve(TypeParam::kName, cone)) continue;
    auto p = closing_walls(0.004, 0.002);
    p.cone = cone;
    const auto a = solve_with<TypeParam>(p, kAsked);
    ASSERT_EQ(a.report.status, status::kInfeasible);
    expect_opposing_impulses(p, a.certificate);
    EXPECT_NEAR(a.report.violation, 0.006, kViolation);
    for (double v : a.v) EXPECT_TRUE(std::isfinite(v));
  }
}

TEST(Certificates, OverlapWithAWayOutIsFeasible) {
  // the wall asks v_x >= 0.04 + v_z/2, the floor v_z >= v_x/2: the boundary layers of Anitescu's law
  auto p = closing_walls(0.004, -0.05);
  const auto a = solve(p, kAsked);
  ASSERT_EQ(a.report.status, status::kConverged);
  EXPECT_NEAR(a.v[0], 0.04 / 0.75, kHandNumber);
  EXPECT_NEAR(a.v[2], 0.02 / 0.75, kHandNumber);
  EXPECT_EQ(a.report.violation, 0.0);
}

TYPED_TEST(CertificatesOf, AnUnsupportedBodyIsUnbounded) {
  for (const ConeType cone : kCones) {
    if (!can_solve(TypeParam::kName, cone)) continue;
    auto p = closing_walls(-1, -1, 0.0);  // with friction Anitescu's law would hold it between the walls
    p.cone = cone;
    p.contacts.pop_back();
    const auto a = solve_with<TypeParam>(p, kAsked);
    ASSERT_EQ(a.report.status, status::kUnbounded);
    expect_free_direction(p, a.certificate);
    EXPECT_NEAR(a.certificate[2], -1.0, 1e-6);
    for (double v : a.v) EXPECT_TRUE(std::isfinite(v));
  }
}

TYPED_TEST(CertificatesOf, ABodyThatSlidesOffATiltedFrictionlessPlaneIsUnbounded) {
  RawProblem<double> p;
  p.step_size = 0.01;
  p.add_block({0, 0, 0}, {0, 0, -1}, {1, 1, 1}, {1, 1, 1});
  RawContact<double> c;
  c.block = {-1, 0}, c.J[1] = {-.6, 0, .8, .8, 0, .6, 0, 1, 0};
  p.contacts.push_back(c);
  const auto a = solve_with<TypeParam>(p, kAsked);
  ASSERT_EQ(a.report.status, status::kUnbounded);
  expect_free_direction(p, a.certificate);
  p.contacts[0].mu_t = p.contacts[0].mu_o = 0.76;  // above tan: it rests
  EXPECT_EQ(solve_with<TypeParam>(p, kAsked).report.status, status::kConverged);
}

TYPED_TEST(CertificatesOf, OpposingLimitsAreInfeasible) {
  RawProblem<double> p;
  p.add_block({1}, {0}, {0.05}, {0});
  for (const double sign : {1.0, -1.0}) {
    RawRow<double> row;
    row.block = {-1, 0}, row.J[1] = {sign}, row.offset = -0.1, row.radius = 0.05;
    p.rows.push_back(row);
  }
  const auto a = solve_with<TypeParam>(p, kAsked);
  ASSERT_EQ(a.report.status, status::kInfeasible);
  expect_opposing_impulses(p, a.certificate);
}

TYPED_TEST(CertificatesOf, AnOverlapThatAStiffJointCannotOpenIsInfeasible) {
  RawProblem<double> p;  // a finger that slides along the face it overlaps, driven by a spring far above g
  p.step_size = 0.01;
  p.add_block({20}, {0}, {1}, {0});
  RawContact<double> c;
  c.block = {-1, 0}, c.J[1] = {0, 0, 1}, c.gap_rate = -1e-4 / p.step_size, c.mu_t = c.mu_o = 1;
  p.contacts.push_back(c);
  RawRow<double> closed;
  closed.block = {-1, 0}, closed.J[1] = {1};
  p.rows.push_back(closed);
  const auto a = solve_with<TypeParam>(p, kAsked);
  ASSERT_EQ(a.report.status, status::kInfeasible);
  expect_opposing_impulses(p, a.certificate);
  EXPECT_NEAR(a.report.violation, 1e-4, kViolation);
}

TEST(Certificates, StacksPressedTogetherAreInfeasibleOrSolved) {
  Rng rng(7);
  int infeasible = 0;
  for (int i = 0; i < 120; ++i) {
    StackOptions o;
    o.boxes = 3, o.columns = 1, o.robot_dofs = 0, o.step_size = i % 2 ? 0.01 : 0.1, o.facets = 4;
    o.mass_in_H = i % 4 < 2 ? 1 : 0;
    auto p = random_stack(rng, o);
    RawContact<double> lid;  // a ceiling that overlaps the topmost box by up to 10 mm: nothing can give way
    lid.block = {-1, 2};
    lid.J[1] = free_body_rows(upright_frame(), {0, 0, 0.03}, 1);
    for (std::size_t j = 0; j < 6; ++j) lid.J[1][j] *= -1;
    lid.gap_rate = -uniform(rng, -0.002, 0.01) / o.step_size, lid.mu_t = lid.mu_o = 0.5;
    p.contacts.push_back(lid);
    p.cone = kCones[i % 3];
    if (i % 4 < 2) p = add_torsion(rng, p, p.cone);
    const auto a = solve(p, 1e-8);
    ASSERT_TRUE(a.report.status == status::kConverged || a.report.status == status::kInfeasible)
        << i << " status " << a.report.status << " residual " << a.report.residual;
    if (!a.has(status::kInfeasible)) continue;
    ++infeasible;
    expect_opposing_impulses(p, a.certificate);
    EXPECT_GT(a.report.violation, 0.0);
  }
  EXPECT_GT(infeasible, 30);
}

/// Free bodies that overlap their surroundings and each other in random directions, with or without mass in H.
RawProblem<double> random_overlaps(Rng& rng, double mass_in_H) {
  RawProblem<double> p;
  const double m = mass_in_H, I = 1e-3 * mass_in_H;
  const int bodies = 1 + static_cast<int>(uniform(rng, 0, 3)), contacts = 4 + static_cast<int>(uniform(rng, 0, 20));
  for (int b = 0; b < bodies; ++b)
    p.add_block({m, m, m, I, I, I}, {0, 0, -0.1, 0, 0, 0}, {1, 1, 1, .03, .03, .03}, {1, 1, 1, 1e-3, 1e-3, 1e-3});
  for (int k = 0; k < contacts; ++k) {
    RawContact<double> c;
    const Frame3 frame = random_frame(rng);
    const std::array<double, 3> arm{uniform(rng, -.03, .03), uniform(rng, -.03, .03), uniform(rng, -.03, .03)};
    const int b = static_cast<int>(uniform(rng, 0, bodies));
    const bool pair = bodies > 1 && uniform(rng, 0, 1) < 0.4;
    c.block = {pair ? (b + 1) % bodies : -1, b};
    c.J[1] = free_body_rows(frame, arm, 1);
    if (pair) c.J[0] = free_body_rows(frame, arm, -1);
    c.gap_rate = uniform(rng, -1, 0.3);
    c.mu_t = uniform(rng, 0.05, 1.5), c.mu_o = uniform(rng, 0.05, 1.5);
    p.contacts.push_back(c);
  }
  return p;
}

TEST(Certificates, RandomOverlapsAreSolvedOrExplained) {
  Rng rng(13);
  int explained = 0;
  for (int i = 0; i < 300; ++i) {
    auto p = random_overlaps(rng, i % 2);
    p.cone = kCones[i % 3];
    if (i % 4 < 2) p = add_torsion(rng, p, p.cone);
    const auto a = solve(p, 1e-8);
    explained += a.has(status::kConverged | status::kInfeasible | status::kUnbounded);
    if (a.has(status::kInfeasible)) expect_opposing_impulses(p, a.certificate);
    if (a.has(status::kUnbounded)) expect_free_direction(p, a.certificate);
  }
  EXPECT_GE(explained, kShareExplained * 300);
}

TEST(Certificates, BodiesWithoutFloorAreUnbounded) {
  Rng rng(11);
  for (int i = 0; i < 120; ++i) {
    StackOptions o;
    o.boxes = 4, o.columns = 2, o.robot_dofs = i % 2 ? 4 : 0, o.finger_contacts = 2;
    auto p = random_stack(rng, o);
    std::vector<RawContact<double>> kept;
    for (const auto& c : p.contacts)
      if (!(c.block[0] < 0 && c.block[1] == 0)) kept.push_back(c);
    p.contacts = kept;
    p.cone = kCones[i % 3];
    if (i % 4 < 2) p = add_torsion(rng, p, p.cone);
    const auto a = solve(p, 1e-8);
    if (a.has(status::kConverged)) continue;  // a finger may happen to hold the column
    ASSERT_EQ(a.report.status, status::kUnbounded) << i << " residual " << a.report.residual;
    expect_free_direction(p, a.certificate);
    for (double v : a.v) EXPECT_TRUE(std::isfinite(v));
  }
}

}  // namespace
}  // namespace stiction::test
