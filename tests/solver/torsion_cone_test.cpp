// The cone with torsion: its projection is optimal, Coulomb's law of one contact holds, and both derivatives are those
// of differences; also without friction along some of the axes.
#include <gtest/gtest.h>

#include "kernels/problem/coulomb_impulse.hpp"
#include "kernels/problem/shift.hpp"
#include "kernels/team/team.hpp"
#include "tests/solver/generated_problems.hpp"
#include "tests/solver/tolerances.hpp"

namespace stiction::test {
namespace {

using Vector = ContactVector<double>;

constexpr FacetTable<double> kTable{4, nullptr, nullptr, ConeType::kQuadratic};

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

Vector project(const Friction<double>& mu, const Vector& x) { return project_to_cone(kTable, mu, x).point; }

/// How far p is outside of the cone, in the normal direction.
double outside(const Friction<double>& mu, const Vector& p) {
  const double share[] = {mu.mu_t > 0 ? p.t / mu.mu_t : 0, mu.mu_o > 0 ? p.o / mu.mu_o : 0,
                          mu.mu_r > 0 ? p.r / mu.mu_r : 0};
  if ((mu.mu_t == 0 && p.t != 0) || (mu.mu_o == 0 && p.o != 0) || (mu.mu_r == 0 && p.r != 0)) return INFINITY;
  return std::hypot(share[0], share[1], share[2]) - p.n;
}

double largest_of(const Friction<double>& mu) { return std::fmax(mu.mu_t, std::fmax(mu.mu_o, mu.mu_r)); }

/// The least coefficient that is not 0, at most 1.
double least_of(const Friction<double>& mu) {
  double least = 1;
  for (const double m : {mu.mu_t, mu.mu_o, mu.mu_r})
    if (m > 0) least = std::fmin(least, m);
  return least;
}

TEST(TorsionCone, ProjectionIsOptimal) {
  Rng rng(700);
  for (int i = 0; i < 30000; ++i) {
    const auto mu = random_friction(rng, i);
    const Vector x = random_vector(rng, -1), p = project(mu, x), rest = x - p;
    const double size = norm(x);
    // p ∈ K,  p − x ∈ K*,  p ⊥ x − p
    EXPECT_LE(outside(mu, p), kProjection * size / least_of(mu)) << i;
    EXPECT_LE(dual_cone_violation(kTable, mu, -1.0 * rest), kProjection * size * (1 + largest_of(mu))) << i;
    EXPECT_NEAR(dot(p, rest), 0.0, kProjection * size * size) << i;
    EXPECT_LE(norm(project(mu, p) - p), kProjection * size) << i;
  }
}

TEST(TorsionCone, ProjectionHandNumbers) {
  const auto near = [](const Vector& a, const Vector& b) { return norm(a - b) < kExact; };
  const Friction<double> one{1, 1, 1};
  EXPECT_TRUE(near(project(one, {2, 1, 1, -1}), {2, 1, 1, -1}));      // inside: √3 < 2
  EXPECT_TRUE(near(project(one, {-2, 1, 1, -1}), {0, 0, 0, 0}));      // in the polar cone
  EXPECT_TRUE(near(project(one, {0, 2, -2, 1}), {1.5, 1, -1, 0.5}));  // half of what is outside: ‖(2, 2, 1)‖ = 3
  EXPECT_TRUE(near(project({0, 0, 0.5}, {0, 3, 4, 1}), {0.4, 0, 0, 0.2}));  // onto the ray (1, 0, 0, 1/2)
  EXPECT_TRUE(near(project({0.5, 0, 0}, {0, 1, 4, 1}), {0.4, 0.2, 0, 0}));
  EXPECT_TRUE(near(project({0, 0, 0}, {3, 1, 1, 1}), {3, 0, 0, 0}));
}

TEST(TorsionCone, WithoutTorsionIsTheConeOfThreeRows) {
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

TEST(TorsionCone, DerivativeOfTheProjectionIsThatOfDifferences) {
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

TEST(TorsionImpulse, SatisfiesCoulombsLawWithTheVelocityThatItLeaves) {
  Rng rng(703);
  for (int i = 0; i < 30000; ++i) {
    const auto mu = random_friction(rng, i);
    const Vector z = random_vector(rng, -0.3), lambda = resolve_coulomb(kTable, mu, z).lambda, y = lambda - z;
    const double size = norm(z), bound = kProjection * (size * size + size);
    EXPECT_GE(y.n, 0.0);
    EXPECT_EQ(lambda.n * y.n, 0.0);
    // λ ∈ K, and friction resists with all that the section has
    EXPECT_LE(norm(project(mu, lambda) - lambda), bound) << i;
    EXPECT_NEAR(-(dot(lambda, y) - lambda.n * y.n), lambda.n * support_friction(kTable, mu, y), bound) << i;
  }
}

TEST(TorsionImpulse, DerivativeIsThatOfDifferences) {
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

}  // namespace
}  // namespace stiction::test
