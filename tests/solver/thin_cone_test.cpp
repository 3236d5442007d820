// Round cones whose axes differ by far: projections and nearest points of sections, built from their answers. Both maps
// bring no two points farther apart, so rounding of what they are given may cost no more than rounding.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/problem/cone_facets.hpp"
#include "kernels/problem/cone_torsion.hpp"
#include "tests/solver/generated_problems.hpp"

namespace stiction::test {
namespace {

constexpr int kPoints = 20000;
constexpr double kExact = 1e-13, kExactFloat = 2e-6;  // of what is given [-]

template <class Real>
constexpr double exact() {
  return sizeof(Real) == 8 ? kExact : kExactFloat;
}

/// μ of the three axes: two alike or not, one far smaller than the others, or all of other sizes.
Vec3<double> random_axes(Rng& rng, int i) {
  const double big = std::exp(uniform(rng, -2, 1)), small = std::exp(uniform(rng, -9, 0));
  return {big, i % 2 == 0 ? big : big * uniform(rng, 0.3, 3), i % 3 == 0 ? big * small : small};
}

Vec3<double> on_ellipsoid(Rng& rng, const Vec3<double>& mu) {
  Vec3<double> u = {uniform(rng, -1, 1), uniform(rng, -1, 1), uniform(rng, -1, 1)};
  u = (1 / norm(u)) * u;
  return {mu.x * u.x, mu.y * u.y, mu.z * u.z};
}

/// A m
Vec3<double> normal_at(const Vec3<double>& mu, const Vec3<double>& m) {
  return {m.x / (mu.x * mu.x), m.y / (mu.y * mu.y), m.z / (mu.z * mu.z)};
}

template <class Real>
Vec3<Real> narrowed(const Vec3<double>& a) {
  return {static_cast<Real>(a.x), static_cast<Real>(a.y), static_cast<Real>(a.z)};
}

template <class Real>
class ThinCones : public testing::Test {};
using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(ThinCones, Precisions);

TYPED_TEST(ThinCones, TheNearestPointOfASectionIsTheOneItWasBuiltFrom) {
  using Real = TypeParam;
  Rng rng(91);
  for (int i = 0; i < kPoints; ++i) {
    const Vec3<double> mu = random_axes(rng, i), m = on_ellipsoid(rng, mu);
    const double theta = std::exp(uniform(rng, -25, 5));
    const Vec3<double> z = m + theta * normal_at(mu, m);
    const auto found = cone_detail::nearest_on_ellipsoid(narrowed<Real>(mu), Real(1), narrowed<Real>(z));
    for (int axis = 0; axis < 3; ++axis)
      ASSERT_NEAR(found.point[axis], m[axis], exact<Real>() * (norm(z) + norm(mu))) << i << ", axis " << axis;
  }
}

TYPED_TEST(ThinCones, TheNearestPointOfAnEllipseIsTheOneItWasBuiltFrom) {
  using Real = TypeParam;
  Rng rng(92);
  for (int i = 0; i < kPoints; ++i) {
    const double mu_t = std::exp(uniform(rng, -2, 1)), mu_o = mu_t * std::exp(uniform(rng, -9, 0));
    const double angle = uniform(rng, 0, 2 * M_PI), theta = std::exp(uniform(rng, -25, 5));
    const double m_t = mu_t * std::cos(angle), m_o = mu_o * std::sin(angle);
    const double z_t = m_t + theta * m_t / (mu_t * mu_t), z_o = m_o + theta * m_o / (mu_o * mu_o);
    const auto found =
        cone_detail::project_to_ellipse(static_cast<Real>(mu_t), static_cast<Real>(mu_o),
                                        Vec3<Real>{Real(1), static_cast<Real>(z_t), static_cast<Real>(z_o)});
    const double size = exact<Real>() * (std::hypot(z_t, z_o) + mu_t);
    ASSERT_NEAR(found.t, m_t, size) << i;
    ASSERT_NEAR(found.o, m_o, size) << i;
  }
}

TYPED_TEST(ThinCones, TheProjectionIsThePointItWasBuiltFrom) {
  using Real = TypeParam;
  Rng rng(93);
  for (int i = 0; i < kPoints; ++i) {
    const Vec3<double> mu = random_axes(rng, i), f = on_ellipsoid(rng, mu), c = normal_at(mu, f);
    const double nu = std::exp(uniform(rng, -12, 12));
    const double n = 1 - nu;
    const Vec3<double> x = f + nu * c;
    const auto found =
        cone_detail::project_to_whole_ellipsoid(narrowed<Real>(mu), static_cast<Real>(n), narrowed<Real>(x));
    const double size = exact<Real>() * (std::fabs(n) + norm(x) + 1 + norm(mu));
    ASSERT_NEAR(found.point.n, 1, size) << i;
    ASSERT_NEAR(found.point.t, f.x, size) << i;
    ASSERT_NEAR(found.point.o, f.y, size) << i;
    ASSERT_NEAR(found.point.r, f.z, size) << i;
  }
}

}  // namespace
}  // namespace stiction::test
