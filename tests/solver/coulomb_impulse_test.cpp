// The impulse that solves Coulomb's law of one contact: it satisfies the law, and its derivative is that of
// differences.
#include "kernels/problem/coulomb_impulse.hpp"

#include <gtest/gtest.h>

#include "kernels/problem/shift.hpp"
#include "kernels/team/team.hpp"
#include "tests/solver/generated_problems.hpp"
#include "tests/solver/tolerances.hpp"

namespace stiction::test {
namespace {

/// Any cone with any friction, also none along one axis.
struct RandomSection {
  RandomSection(Rng& rng, int i) {
    const int kind = i % 3;
    const int facets = kind == 0 ? 2 + static_cast<int>(uniform(rng, 0, 9)) : (kind == 1 ? 4 : 3);
    cosine.resize(static_cast<std::size_t>(facets));
    sine = cosine;
    table = {facets, cosine.data(), sine.data()};
    table.cone = kind == 0 ? ConeType::kPyramid : (kind == 1 ? ConeType::kBox : ConeType::kQuadratic);
    mu_t = i % 7 == 0 ? 0.0 : std::exp(uniform(rng, -4, 2));
    mu_o = i % 5 == 0 ? 0.0 : (i % 4 == 0 ? mu_t : std::exp(uniform(rng, -4, 2)));
    fill_facet_table(HostTeam<>{}, table);
  }
  Vec3<double> lambda(const Vec3<double>& z) const { return resolve_coulomb(table, mu_t, mu_o, z).lambda; }
  std::vector<double> cosine, sine;
  FacetTable<double> table;
  double mu_t, mu_o;
};

Vec3<double> random_vector(Rng& rng) {
  return {uniform(rng, -0.3, 1), uniform(rng, -1, 1) * std::exp(uniform(rng, -3, 2)),
          uniform(rng, -1, 1) * std::exp(uniform(rng, -3, 2))};
}

TEST(CoulombImpulse, SatisfiesTheLawWithTheVelocityThatItLeaves) {
  Rng rng(500);
  for (int i = 0; i < 30000; ++i) {
    const RandomSection c(rng, i);
    const Vec3<double> z = random_vector(rng), lambda = c.lambda(z), y = lambda - z;
    const double bound = kProjection * norm_squared(z) + kProjection * norm(z);
    EXPECT_GE(y.x, 0.0);
    EXPECT_EQ(lambda.x * y.x, 0.0);
    // λ ∈ K, and friction resists with all that the section has: −λ_t·y_t = λ_n s(y_t)
    EXPECT_LE(norm(project_to_cone(c.table, c.mu_t, c.mu_o, lambda).point - lambda), bound) << i;
    EXPECT_NEAR(-(lambda.y * y.y + lambda.z * y.z), lambda.x * support_friction(c.table, c.mu_t, c.mu_o, y), bound)
        << i << " " << z.x << " " << z.y << " " << z.z;
  }
}

/// ∂λ = W (I + e_n σᵀ) d
Vec3<double> predict(const ContactImpulse<double>& p, const Vec3<double>& d) {
  return p.weight * Vec3<double>{d.x + p.slope_t * d.y + p.slope_o * d.z, d.y, d.z};
}

TEST(CoulombImpulse, DerivativeIsThatOfDifferences) {
  Rng rng(501);
  int smooth = 0;
  constexpr int kCount = 30000;
  for (int i = 0; i < kCount; ++i) {
    const RandomSection c(rng, i);
    const Vec3<double> z = random_vector(rng), d{uniform(rng, -1, 1), uniform(rng, -1, 1), uniform(rng, -1, 1)};
    const auto at = resolve_coulomb(c.table, c.mu_t, c.mu_o, z);
    const auto before = resolve_coulomb(c.table, c.mu_t, c.mu_o, z - kDifference * d);
    const auto after = resolve_coulomb(c.table, c.mu_t, c.mu_o, z + kDifference * d);
    const double kink = norm(predict(after, d) - predict(before, d));
    if (kink > kSameFace || !(z.x > kNearTip)) continue;  // at the tip the section shrinks to nothing
    ++smooth;
    const Vec3<double> measured = (0.5 / kDifference) * (after.lambda - before.lambda);
    EXPECT_LE(norm(measured - predict(at, d)), kSectionDerivative) << i;
    EXPECT_GE(dot(d, at.weight * d), -kProjection) << i;
  }
  EXPECT_GE(smooth, kSharePressed * kCount);
}

TEST(CoulombImpulse, HandNumbers) {
  Rng rng(502);
  RandomSection c(rng, 2);
  ASSERT_EQ(c.table.cone, ConeType::kQuadratic);
  c.mu_t = c.mu_o = 0.5;
  const auto near = [](const Vec3<double>& a, const Vec3<double>& b) { return norm(a - b) < kExact; };
  EXPECT_TRUE(near(c.lambda({2, 0.6, 0.8}), {2, 0.6, 0.8}));  // sticks at its limit
  EXPECT_TRUE(near(c.lambda({2, 1.2, 1.6}), {2, 0.6, 0.8}));  // slides
  EXPECT_TRUE(near(c.lambda({-1, 3, 4}), {0, 0, 0}));         // apart
  c.mu_o = 0;
  EXPECT_TRUE(near(c.lambda({2, -3, 4}), {2, -1, 0}));
}

}  // namespace
}  // namespace stiction::test
