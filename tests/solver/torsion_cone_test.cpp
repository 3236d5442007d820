// The cones with torsion: their projection is optimal, Coulomb's law of one contact holds, and both derivatives are
// those of differences; also without friction along some of the axes.
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "kernels/problem/coulomb_impulse.hpp"
#include "kernels/problem/shift.hpp"
#include "kernels/team/team.hpp"
#include "tests/solver/generated_problems.hpp"
#include "tests/solver/tolerances.hpp"

namespace stiction::test {
namespace {

using Vector = ContactVector<double>;

template <class Real>
struct Table {
  Table(ConeType type, int facets) {
    const ConeShape shape = shape_cone(ContactLaw::kAnitescu, type, facets, 4);
    cosine.resize(static_cast<std::size_t>(shape.polygon)), sine = cosine;
    table = {shape.polygon, cosine.data(), sine.data(), shape.cone};
    fill_facet_table(HostTeam<>{}, table);
  }
  std::vector<Real> cosine, sine;
  FacetTable<Real> table;
};

struct Kind {
  ConeType type;
  int facets;
  const char* name;
};
std::ostream& operator<<(std::ostream& out, const Kind& kind) { return out << kind.name; }

constexpr Kind kKinds[] = {{ConeType::kQuadratic, 4, "Quadratic"}, {ConeType::kPyramid, 3, "Pyramid3"},
                           {ConeType::kPyramid, 4, "Pyramid4"},    {ConeType::kPyramid, 5, "Pyramid5"},
                           {ConeType::kPyramid, 12, "Pyramid12"},  {ConeType::kBox, 4, "Box"}};

class TorsionCone : public testing::TestWithParam<Kind> {
 protected:
  const Table<double> table_{GetParam().type, GetParam().facets};
  const FacetTable<double>& kTable = table_.table;
};
class TorsionImpulse : public TorsionCone {};

/// μ between e⁻⁶ and e², 0 on every axis in turn, two alike now and then.
Friction<double> random_friction(Rng& rng, int i) {
  Friction<double> mu{std::exp(uniform(rng, -4, 2)), std::exp(uniform(rng, -4, 2)), std::exp(uniform(rng, -6, 1))};
  if (i % 4 == 0) mu.mu_o = mu.mu_t;
  if (i % 7 == 0) mu.mu_t = 0;
  if (i % 5 == 0) mu.mu_o = 0;
  if (i % 11 == 0) mu.mu_r = 0;
  return mu;
}

Vector random_vector(Rng& rng, double least_normal) {
  const auto entry = [&] { return uniform(rng, -1, 1) * std::exp(uniform(rng, -3, 2)); };
  return {uniform(rng, least_normal, 1), entry(), entry(), entry()};
}

template <class Real>
ContactVector<Real> project(const FacetTable<Real>& table, const Friction<Real>& mu, const ContactVector<Real>& x) {
  return project_to_cone(table, mu, x).point;
}

/// The least Σ β with Σ β_k (D_k) = (t, o), β >= 0: of all solutions with one or two generators.
double gauge(const FacetTable<double>& table, const Friction<double>& mu, double t, double o) {
  double least = t == 0 && o == 0 ? 0 : INFINITY;
  for (int j = 0; j < table.facets; ++j)
    for (int k = 0; k <= j; ++k) {
      const auto a = facet_generator(table, j, mu.mu_t, mu.mu_o), b = facet_generator(table, k, mu.mu_t, mu.mu_o);
      const double det = a.y * b.z - a.z * b.y, along = a.y * t + a.z * o;
      if (det != 0 && (t * b.z - o * b.y) / det >= 0 && (a.y * o - a.z * t) / det >= 0)
        least = std::fmin(least, (t * b.z - o * b.y + a.y * o - a.z * t) / det);
      if (j == k && a.y * o == a.z * t && along > 0) least = std::fmin(least, along / (a.y * a.y + a.z * a.z));
    }
  return least;
}

/// How far p is outside of the cone, in the normal direction.
double outside(const FacetTable<double>& table, const Friction<double>& mu, const Vector& p) {
  if ((mu.mu_t == 0 && p.t != 0) || (mu.mu_o == 0 && p.o != 0) || (mu.mu_r == 0 && p.r != 0)) return INFINITY;
  const double turn = mu.mu_r > 0 ? std::fabs(p.r) / mu.mu_r : 0;
  if (!is_round(table.cone)) return gauge(table, mu, p.t, p.o) + turn - p.n;
  return std::hypot(mu.mu_t > 0 ? p.t / mu.mu_t : 0, mu.mu_o > 0 ? p.o / mu.mu_o : 0, turn) - p.n;
}

double largest_of(const Friction<double>& mu) { return std::fmax(mu.mu_t, std::fmax(mu.mu_o, mu.mu_r)); }

/// The least coefficient that is not 0, at most 1.
double least_of(const Friction<double>& mu) {
  double least = 1;
  for (const double m : {mu.mu_t, mu.mu_o, mu.mu_r})
    if (m > 0) least = std::fmin(least, m);
  return least;
}

TEST_P(TorsionCone, ProjectionIsOptimal) {
  Rng rng(700);
  constexpr int kCount = 10000;
  for (int i = 0; i < kCount; ++i) {
    const auto mu = random_friction(rng, i);
    const Vector x = random_vector(rng, -1), p = project(kTable, mu, x), rest = x - p;
    const double size = norm(x);
    // p ∈ K,  p − x ∈ K*,  p ⊥ x − p
    EXPECT_LE(outside(kTable, mu, p), kProjection * size / least_of(mu)) << i;
    EXPECT_LE(dual_cone_violation(kTable, mu, -1.0 * rest), kProjection * size * (1 + largest_of(mu))) << i;
    EXPECT_NEAR(dot(p, rest), 0.0, kProjection * size * size) << i;
    EXPECT_LE(norm(project(kTable, mu, p) - p), kProjection * size) << i;
  }
}

/// The projection of x onto a cone, against a point that is known.
void expect_point(const Kind& kind, const Friction<double>& mu, const Vector& x, const Vector& point) {
  const Table<double> table(kind.type, kind.facets);
  EXPECT_LE(norm(project(table.table, mu, x) - point), kExact) << kind;
}

TEST(TorsionHandNumbers, OfAQuadraticCone) {
  const Kind round = kKinds[0];
  const Friction<double> one{1, 1, 1};
  expect_point(round, one, {2, 1, 1, -1}, {2, 1, 1, -1});      // inside: √3 < 2
  expect_point(round, one, {-2, 1, 1, -1}, {0, 0, 0, 0});      // in the polar cone
  expect_point(round, one, {0, 2, -2, 1}, {1.5, 1, -1, 0.5});  // half of what is outside: ‖(2, 2, 1)‖ = 3
}

TEST(TorsionHandNumbers, OfAPyramid) {
  const Kind pyramid = kKinds[2];
  const Friction<double> one{1, 1, 1};
  expect_point(pyramid, one, {3, 1, 1, -1}, {3, 1, 1, -1});              // on the surface
  expect_point(pyramid, one, {2, 1, 1, -1}, {2.25, 0.75, 0.75, -0.75});  // a quarter of (1, −1, −1, 1) from there
  expect_point(pyramid, one, {-2, 1, 1, -1}, {0, 0, 0, 0});              // in the polar cone
  expect_point(pyramid, one, {0, 4, 0, 1}, {2, 2, 0, 0});                // on the ray (1, 1, 0, 0)
  expect_point(pyramid, one, {0, 2, 0, 1}, {1, 1, 0, 0});                // on that ray, where the tip joins in
  expect_point(pyramid, one, {0, 1, 0, 4}, {2, 0, 0, 2});                // on the ray (1, 0, 0, 1)
  expect_point(pyramid, {1, 1, 0.5}, {0, 1, 0, 2}, {5. / 6, 1. / 6, 0, 1. / 3});  // between (1, 1, 0, 0) and the tip
}

TEST(TorsionHandNumbers, OfAllConesWithoutFrictionAlongAnAxis) {
  for (const Kind& kind : kKinds) {
    expect_point(kind, {0, 0, 0.5}, {0, 3, 4, 1}, {0.4, 0, 0, 0.2});  // onto the ray (1, 0, 0, 1/2)
    expect_point(kind, {0, 0, 0}, {3, 1, 1, 1}, {3, 0, 0, 0});
  }
}

TEST_P(TorsionCone, WithoutTorsionIsTheConeOfThreeRows) {
  Rng rng(701);
  for (int i = 0; i < 2000; ++i) {
    auto mu = random_friction(rng, i);
    mu.mu_r = 0;
    const Vector x = random_vector(rng, -1);
    const auto p = project_to_cone(kTable, mu, x);
    const auto flat = project_to_cone(kTable, mu.mu_t, mu.mu_o, x.nto());
    EXPECT_EQ(norm(p.point.nto() - flat.point), 0.0);
    EXPECT_EQ(p.point.r, 0.0);
    EXPECT_EQ(norm(p.derivative.r), 0.0);
  }
}

TEST_P(TorsionCone, DerivativeOfTheProjectionIsThatOfDifferences) {
  Rng rng(702);
  int smooth = 0;
  constexpr int kCount = 20000;
  for (int i = 0; i < kCount; ++i) {
    const auto mu = random_friction(rng, i);
    const Vector x = random_vector(rng, -1), d = random_vector(rng, -1), unit = (1 / norm(d)) * d;
    const auto at = project_to_cone(kTable, mu, x);
    const auto before = project_to_cone(kTable, mu, x - kDifference * unit);
    const auto after = project_to_cone(kTable, mu, x + kDifference * unit);
    if (norm(after.derivative * unit - before.derivative * unit) > kSameFace) continue;
    ++smooth;
    const Vector measured = (0.5 / kDifference) * (after.point - before.point);
    EXPECT_LE(norm(measured - at.derivative * unit), kSectionDerivative) << i;
    EXPECT_GE(dot(unit, at.derivative * unit), -kProjection) << i;
  }
  EXPECT_GE(smooth, kShareSmooth * kCount);
}

TEST_P(TorsionImpulse, SatisfiesCoulombsLawWithTheVelocityThatItLeaves) {
  Rng rng(703);
  constexpr int kCount = 10000;
  for (int i = 0; i < kCount; ++i) {
    const auto mu = random_friction(rng, i);
    const Vector z = random_vector(rng, -0.3), lambda = resolve_coulomb(kTable, mu, z).lambda, y = lambda - z;
    const double size = norm(z), bound = kProjection * (size * size + size);
    EXPECT_GE(y.n, 0.0);
    EXPECT_EQ(lambda.n * y.n, 0.0);
    // λ ∈ K, and friction resists with all that the section has
    EXPECT_LE(norm(project(kTable, mu, lambda) - lambda), bound) << i;
    EXPECT_NEAR(-(dot(lambda, y) - lambda.n * y.n), lambda.n * support_friction(kTable, mu, y), bound) << i;
  }
}

TEST_P(TorsionImpulse, DerivativeIsThatOfDifferences) {
  Rng rng(704);
  int smooth = 0;
  constexpr int kCount = 20000;
  const auto predict = [](const ContactResponse<double>& p, Vector d) {
    d.n += dot(p.slope, d);
    return p.weight * d;
  };
  for (int i = 0; i < kCount; ++i) {
    const auto mu = random_friction(rng, i);
    const Vector z = random_vector(rng, -0.3), d = random_vector(rng, -1), unit = (1 / norm(d)) * d;
    const auto at = resolve_coulomb(kTable, mu, z);
    const auto before = resolve_coulomb(kTable, mu, z - kDifference * unit);
    const auto after = resolve_coulomb(kTable, mu, z + kDifference * unit);
    if (norm(predict(after, unit) - predict(before, unit)) > kSameFace || !(z.n > kNearTip)) continue;
    ++smooth;
    const Vector measured = (0.5 / kDifference) * (after.lambda - before.lambda);
    EXPECT_LE(norm(measured - predict(at, unit)), kSectionDerivative) << i;
    EXPECT_GE(dot(unit, at.weight * unit), -kProjection) << i;
  }
  EXPECT_GE(smooth, kSharePressed * kCount);
}

TEST_P(TorsionCone, LiesInsideOfTheEllipsoidIfItsPolygonDoes) {
  if (GetParam().type == ConeType::kBox) GTEST_SKIP() << "the corners of a box are outside of the ellipse";
  const Table<double> round(ConeType::kQuadratic, 4);
  Rng rng(705);
  for (int i = 0; i < 5000; ++i) {
    const auto mu = random_friction(rng, i);
    const Vector x = random_vector(rng, -1), p = project(kTable, mu, x);
    EXPECT_LE(outside(round.table, mu, p), kProjection * norm(x) / least_of(mu)) << i;
  }
}

TEST_P(TorsionCone, SmoothSupportIsAboveTheSupportAndItsSlopeIsThatOfDifferences) {
  Rng rng(706);
  for (int i = 0; i < 5000; ++i) {
    const auto mu = random_friction(rng, i);
    const Vector u = random_vector(rng, -1), d = random_vector(rng, -1), unit = (1 / norm(d)) * d;
    const double delta = std::exp(uniform(rng, -2, 0)), sharp = support_friction(kTable, mu, u);
    const auto at = smooth_support(kTable, mu, u, delta);
    EXPECT_GE(at.s, sharp * (1 - kExact));
    EXPECT_LE(at.s, sharp + delta * std::log(kTable.facets + 2)) << i;
    const double rate = (0.5 / kDifference) * (smooth_support(kTable, mu, u + kDifference * unit, delta).s -
                                               smooth_support(kTable, mu, u - kDifference * unit, delta).s);
    EXPECT_NEAR(rate, at.slope.t * unit.t + at.slope.o * unit.o + at.slope.r * unit.r,
                kSectionDerivative * (1 + largest_of(mu) * largest_of(mu)))
        << i;
    EXPECT_NEAR(smooth_support(kTable, mu, u, 0.0).s, sharp, kProjection * (1 + sharp));
  }
}

TEST_P(TorsionCone, ProjectsFloatsAsDoubles) {
  const Table<float> single(GetParam().type, GetParam().facets);
  Rng rng(707);
  for (int i = 0; i < 5000; ++i) {
    const auto mu = random_friction(rng, i);
    const Vector x = random_vector(rng, -1), p = project(kTable, mu, x);
    const auto narrow = [](double a) { return static_cast<float>(a); };
    const Friction<float> friction{narrow(mu.mu_t), narrow(mu.mu_o), narrow(mu.mu_r)};
    const auto q = project(single.table, friction, {narrow(x.n), narrow(x.t), narrow(x.o), narrow(x.r)});
    EXPECT_LE(norm(Vector{q.n, q.t, q.o, q.r} - p), kFloatProjection * norm(x)) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(EveryCone, TorsionCone, testing::ValuesIn(kKinds),
                         [](const auto& info) { return std::string(info.param.name); });
INSTANTIATE_TEST_SUITE_P(EveryCone, TorsionImpulse, testing::ValuesIn(kKinds),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace stiction::test
