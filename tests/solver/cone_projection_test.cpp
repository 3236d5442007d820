// The projection is optimal (Moreau) and its derivative is the projector of the face it lands on.
#include <gtest/gtest.h>

#include "kernels/problem/cone_facets.hpp"
#include "kernels/team/team.hpp"
#include "tests/solver/generated_problems.hpp"
#include "tests/solver/tolerances.hpp"

namespace stiction::test {
namespace {

struct Pyramid {
  explicit Pyramid(int facets, double t, double o) : cosine(static_cast<std::size_t>(facets)), mu_t(t), mu_o(o) {
    sine = cosine;
    table = {facets, cosine.data(), sine.data()};
    fill_facet_table(HostTeam<>{}, table);
  }
  ConeProjection<double> project(const Vec3<double>& x) const {
    return FacetCone<double>::project(table, mu_t, mu_o, x);
  }
  std::vector<double> cosine, sine;
  FacetTable<double> table;
  double mu_t, mu_o;
};

/// p ∈ K because p is a fixed point of what is checked next; x − p ∈ K°; p·(x − p) = 0.
void expect_optimal(const Pyramid& pyramid, const Vec3<double>& x) {
  const auto p = pyramid.project(x).point;
  const Vec3<double> rest = x - p;
  const double size = norm(x) + 1e-300;
  for (int k = 0; k < pyramid.table.facets; ++k) {
    const auto g = facet_generator(pyramid.table, k, pyramid.mu_t, pyramid.mu_o);
    EXPECT_LE(dot(g, rest), kProjection * size * norm(g));
  }
  EXPECT_NEAR(dot(p, rest), 0.0, kProjection * size * size);
  EXPECT_LE(norm(pyramid.project(p).point - p), kProjection * size);
}

TEST(ConeProjection, IsOptimalForRandomVectorsAndPyramids) {
  Rng rng(3);
  for (int i = 0; i < 20000; ++i) {
    const int facets = 2 + static_cast<int>(uniform(rng, 0, 11));
    const double mu_t = i % 7 == 0 ? 0.0 : std::exp(uniform(rng, -4, 2));
    const double mu_o = i % 5 == 0 ? 0.0 : std::exp(uniform(rng, -4, 2));
    const Pyramid pyramid(facets, mu_t, mu_o);
    expect_optimal(pyramid, {uniform(rng, -1, 1), uniform(rng, -1, 1), uniform(rng, -1, 1)});
  }
}

TEST(ConeProjection, IsOptimalNextToEdgesAndRays) {
  Rng rng(4);
  for (int i = 0; i < 20000; ++i) {
    const int facets = 3 + static_cast<int>(uniform(rng, 0, 6));
    const Pyramid pyramid(facets, std::exp(uniform(rng, -3, 1)), std::exp(uniform(rng, -3, 1)));
    const int k = static_cast<int>(uniform(rng, 0, facets));
    Vec3<double> x = facet_generator(pyramid.table, k, pyramid.mu_t, pyramid.mu_o);
    const double noise = std::pow(10.0, uniform(rng, -16, -6));
    for (int a = 0; a < 3; ++a) x[a] += noise * uniform(rng, -1, 1);
    expect_optimal(pyramid, x);
  }
}

TEST(ConeProjection, HandNumbers) {
  const Pyramid square(4, 1.0, 1.0);
  const auto near = [](const Vec3<double>& a, const Vec3<double>& b) { return norm(a - b) < kExact; };
  EXPECT_TRUE(near(square.project({2, 1, 0}).point, {2, 1, 0}));
  EXPECT_TRUE(near(square.project({-1, 0.5, 0.5}).point, {0, 0, 0}));
  EXPECT_TRUE(near(square.project({0, 1, 0}).point, {0.5, 0.5, 0}));
  EXPECT_TRUE(near(square.project({0, 1, 1}).point, {2. / 3, 1. / 3, 1. / 3}));
  const Pyramid line(4, 0.5, 0.0);
  EXPECT_TRUE(near(line.project({1, 0.25, 9}).point, {1, 0.25, 0}));
  EXPECT_TRUE(near(line.project({0, -1, 3}).point, {0.4, -0.2, 0}));
  const Pyramid ray(4, 0.0, 0.0);
  EXPECT_TRUE(near(ray.project({3, 2, 1}).point, {3, 0, 0}));
  EXPECT_TRUE(near(ray.project({-3, 2, 1}).point, {0, 0, 0}));
}

TEST(ConeProjection, DerivativePredictsSmallMoves) {
  Rng rng(5);
  for (int i = 0; i < 2000; ++i) {
    const Pyramid pyramid(3 + i % 6, i % 11 ? 0.7 : 0.0, i % 13 ? 0.4 : 0.0);
    const Vec3<double> x{uniform(rng, -1, 1), uniform(rng, -1, 1), uniform(rng, -1, 1)};
    const Vec3<double> d{uniform(rng, -1, 1), uniform(rng, -1, 1), uniform(rng, -1, 1)};
    const double step = 1e-7;  // a random x is farther from the next face than this, but for one in 1e5
    const auto at = pyramid.project(x);
    const Vec3<double> change = pyramid.project(x + step * d).point - at.point;
    EXPECT_NEAR(dot(d, change) / step, dot(d, at.derivative * d), 1e-6);
  }
}

TEST(FacetTable, QuarterTurnsAreExact) {
  for (const int facets : {3, 4, 5, 6, 7, 8, 12}) {
    const Pyramid p(facets, 1, 1);
    for (std::size_t j = 0; j < p.cosine.size(); ++j) {
      const double angle = 2 * M_PI * static_cast<double>(j) / facets;
      EXPECT_NEAR(p.cosine[j], std::cos(angle), kExact);
      EXPECT_NEAR(p.sine[j], std::sin(angle), kExact);
    }
  }
  const Pyramid four(4, 1, 1);
  EXPECT_EQ(four.cosine, (std::vector<double>{1, 0, -1, 0}));
  EXPECT_EQ(four.sine, (std::vector<double>{0, 1, 0, -1}));
}

}  // namespace
}  // namespace stiction::test
