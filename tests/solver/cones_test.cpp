// Projections, derivatives and shifts of all cones, against conditions and sums that share no text with them.
#include <gtest/gtest.h>

#include "kernels/problem/cone.hpp"
#include "kernels/problem/shift.hpp"
#include "kernels/team/team.hpp"
#include "tests/solver/generated_problems.hpp"
#include "tests/solver/tolerances.hpp"

namespace stiction::test {
namespace {

constexpr ConeType kCones[] = {
#define ST_CONE(enumerator, name, ...) ConeType::enumerator,
#include "kernels/problem/cones.inc"
#undef ST_CONE
};

struct Cone {
  Cone(ConeType type, int facets, double t, double o) : mu_t(t), mu_o(o) {
    const ConeShape shape = shape_cone(ContactLaw::kAnitescu, type, facets);
    cosine.resize(static_cast<std::size_t>(shape.facets)), sine = cosine;
    table = {shape.facets, cosine.data(), sine.data(), shape.cone};
    fill_facet_table(HostTeam<>{}, table);
  }
  ConeProjection<double> project(const Vec3<double>& x) const { return project_to_cone(table, mu_t, mu_o, x); }

  /// Rays (1, D) that span the cone, or so many of a quadratic one that nothing fits between them.
  std::vector<Vec3<double>> rays() const {
    std::vector<Vec3<double>> all;
    const int count = table.cone == ConeType::kQuadratic ? kRays : table.facets;
    for (int k = 0; k < count; ++k) {
      const double angle = 2 * M_PI * k / count + (table.cone == ConeType::kBox ? M_PI / 4 : 0);
      const double size = table.cone == ConeType::kBox ? std::sqrt(2.0) : 1.0;
      all.push_back({1, mu_t * size * std::cos(angle), mu_o * size * std::sin(angle)});
    }
    return all;
  }

  static constexpr int kRays = 720;
  std::vector<double> cosine, sine;
  FacetTable<double> table;
  double mu_t, mu_o;
};

double random_friction(Rng& rng) { return uniform(rng, 0, 1) < 0.1 ? 0.0 : std::exp(uniform(rng, -5, 2)); }

Cone random_cone(Rng& rng, ConeType type) {
  const double mu_t = random_friction(rng), mu_o = uniform(rng, 0, 1) < 0.2 ? mu_t : random_friction(rng);
  return Cone(type, 3 + static_cast<int>(uniform(rng, 0, 7)), mu_t, mu_o);
}

/// p is in K, x − p in K°, and p·(x − p) = 0.
void expect_optimal(const Cone& cone, const Vec3<double>& x) {
  const Vec3<double> p = cone.project(x).point, rest = x - p;
  const double size = norm(x) + 1e-300;
  EXPECT_LE(norm(cone.project(p).point - p), kProjection * size);
  if (cone.table.cone == ConeType::kQuadratic) {
    if (cone.mu_t > 0) {
      EXPECT_LE(std::fabs(p.y) / cone.mu_t, p.x * (1 + kProjection));
    }
    if (cone.mu_t > 0 && cone.mu_o > 0) {
      EXPECT_LE(std::hypot(p.y / cone.mu_t, p.z / cone.mu_o), p.x * (1 + kProjection));
    }
    if (cone.mu_o == 0) {
      EXPECT_EQ(p.z, 0.0);
    }
  }
  EXPECT_NEAR(dot(p, rest), 0.0, kProjection * size * size);
  for (const Vec3<double>& g : cone.rays()) EXPECT_LE(dot(g, rest), kProjection * size * norm(g));
}

TEST(EveryCone, IsProjectedToOptimally) {
  Rng rng(30);
  for (const ConeType type : kCones)
    for (int i = 0; i < 7000; ++i)
      expect_optimal(random_cone(rng, type), {uniform(rng, -1, 1), uniform(rng, -1, 1), uniform(rng, -1, 1)});
}

TEST(EveryCone, IsProjectedToOptimallyNextToItsSurface) {
  Rng rng(31);
  for (const ConeType type : kCones)
    for (int i = 0; i < 7000; ++i) {
      const Cone cone = random_cone(rng, type);
      const auto rays = cone.rays();
      const Vec3<double>& ray = rays[static_cast<std::size_t>(uniform(rng, 0, static_cast<double>(rays.size())))];
      // a ray of K, or of the surface of its polar cone
      const double beneath = -support_friction(cone.table, cone.mu_t, cone.mu_o, -ray);
      Vec3<double> x = i % 2 ? ray : Vec3<double>{beneath, ray.y, ray.z};
      const double noise = std::pow(10.0, uniform(rng, -16, -6));
      for (int a = 0; a < 3; ++a) x[a] += noise * uniform(rng, -1, 1);
      expect_optimal(cone, x);
    }
}

TEST(EveryCone, IsProjectedToAtEverySize) {
  Rng rng(32);
  for (const ConeType type : kCones)
    for (const double size : {1e-100, 1e-30, 1e30, 1e100}) {
      const Cone cone(type, 5, 0.7, 0.2);
      for (int i = 0; i < 100; ++i) {
        const Vec3<double> x{uniform(rng, -1, 1), uniform(rng, -1, 1), uniform(rng, -1, 1)};
        EXPECT_LE(norm(cone.project(size * x).point - size * cone.project(x).point), kProjection * size) << size;
      }
    }
}

TEST(EveryCone, HasTheDerivativeOfItsProjection) {
  Rng rng(33);
  int compared = 0, tried = 0;
  for (const ConeType type : kCones)
    for (int i = 0; i < 3000; ++i, ++tried) {
      const Cone cone(type, 3 + i % 6, i % 11 ? std::exp(uniform(rng, -2, 1)) : 0.0, i % 3 ? 0.6 : 0.0);
      const Vec3<double> x{uniform(rng, -1, 1), uniform(rng, -1, 1), uniform(rng, -1, 1)};
      const Vec3<double> d{uniform(rng, -1, 1), uniform(rng, -1, 1), uniform(rng, -1, 1)};
      const auto forward = cone.project(x + kDifference * d), backward = cone.project(x - kDifference * d);
      const auto at = cone.project(x);
      // a kink within the difference shows as two different derivatives at its ends
      if (std::fabs(dot(d, forward.derivative * d) - dot(d, backward.derivative * d)) > kSameFace) continue;
      ++compared;
      const Vec3<double> slope = (0.5 / kDifference) * (forward.point - backward.point);
      EXPECT_LE(norm(slope - at.derivative * d), kDerivative) << i;
    }
  EXPECT_GE(compared, kShareSmooth * tried);
}

TEST(EveryCone, DerivativeKeepsTheProjection) {
  Rng rng(34);  // P is homogeneous: DP x = P
  for (const ConeType type : kCones)
    for (int i = 0; i < 3000; ++i) {
      const Cone cone = random_cone(rng, type);
      const Vec3<double> x{uniform(rng, -1, 1), uniform(rng, -1, 1), uniform(rng, -1, 1)};
      const auto at = cone.project(x);
      const Sym3<double>& D = at.derivative;
      const Vec3<double> image{D.nn * x.x + D.nt * x.y + D.no * x.z, D.nt * x.x + D.tt * x.y + D.to * x.z,
                               D.no * x.x + D.to * x.y + D.oo * x.z};
      EXPECT_LE(norm(image - at.point), kProjection * norm(x)) << i;
    }
}

TEST(EveryCone, ShiftIsTheLargestResistanceOfItsRays) {
  Rng rng(35);
  for (const ConeType type : kCones)
    for (int i = 0; i < 2000; ++i) {
      const Cone cone = random_cone(rng, type);
      const Vec3<double> u{uniform(rng, -1, 1), uniform(rng, -1, 1), uniform(rng, -1, 1)};
      const double shift = support_friction(cone.table, cone.mu_t, cone.mu_o, u);
      double largest = 0;
      for (const Vec3<double>& g : cone.rays()) largest = std::fmax(largest, -(g.y * u.y + g.z * u.z));
      EXPECT_GE(shift, largest - kExact * norm(u) * (cone.mu_t + cone.mu_o));
      EXPECT_LE(shift, largest + kRayGrid * norm(u) * (cone.mu_t + cone.mu_o));
    }
}

TEST(EveryCone, HandNumbers) {
  const auto near = [](const Vec3<double>& a, const Vec3<double>& b) { return norm(a - b) < kExact; };
  const Cone round(ConeType::kQuadratic, 0, 1, 1), flat(ConeType::kQuadratic, 0, 0.5, 0);
  EXPECT_TRUE(near(round.project({0, 3, 4}).point, {2.5, 1.5, 2}));
  EXPECT_TRUE(near(round.project({1, 0.6, -0.6}).point, {1, 0.6, -0.6}));
  EXPECT_TRUE(near(round.project({-1, 0.6, -0.6}).point, {0, 0, 0}));
  EXPECT_TRUE(near(flat.project({0, -1, 3}).point, {0.4, -0.2, 0}));
  // x = p + ν A p with p = (1, μ_t .6, μ_o .8) and ν = ½: μ = (2, .5)
  const Cone oval(ConeType::kQuadratic, 0, 2, 0.5);
  EXPECT_TRUE(near(oval.project({0.5, 1.2 + 0.15, 0.4 + 0.8}).point, {1, 1.2, 0.4}));
  const Cone box(ConeType::kBox, 0, 0.5, 0.25);
  EXPECT_TRUE(near(box.project({1, 0.5, 9}).point - box.project({1, 0.5, -9}).point,
                   2 * box.project({1, 0.5, 9}).point.z * Vec3<double>{0, 0, 1}));
  EXPECT_TRUE(near(box.project({4, 2, -1}).point, {4, 2, -1}));
  EXPECT_EQ(support_friction(box.table, 0.5, 0.25, {7, -2, 4}), 2.0);
  EXPECT_EQ(support_friction(round.table, 1.0, 1.0, {7, 3, -4}), 5.0);
}

TEST(EveryCone, OfFrictionlessContactsIsAHalfLine) {
  for (const ConeType type : kCones) {
    const ConeShape shape = shape_cone(ContactLaw::kFrictionless, type, 6);
    EXPECT_EQ(shape.facets, 1);
    EXPECT_EQ(shape.cone, ConeType::kPyramid);
  }
}

}  // namespace
}  // namespace stiction::test
