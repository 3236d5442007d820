// The contacts of one pair of shapes: the narrow phase (kernels/collision/narrow_phase.hpp) for every pair of kinds.
//
//   resting   B stands on A, turned about the vertical, and the two overlap by 0.1 mm
//   above     B is tilted, and its lowest point is 1 mm above the highest point of A
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "bench/micro/time_checked.hpp"
#include "kernels/collision/narrow_phase.hpp"
#include "kernels/linalg/rotation.hpp"
#include "tests/collision/certificate.hpp"

namespace stiction::bench {
namespace {

using test::TestShape;
using test::Vec;

constexpr Vec kSize = {0.03, 0.04, 0.025};  // radii and half lengths of a thing for a hand, whatever its kind [m]
constexpr Vec kUp = {0, 0, 1};
constexpr double kReach = 0.1;  // gap up to which contacts count [m]
template <class Real>
constexpr double kDistanceError = sizeof(Real) == 8 ? 1e-6 : 1e-4;  // as tests/collision allows [m]

/// A bowl: two flat ends of 12 corners each.
test::Hull bowl() {
  std::vector<std::array<double, 3>> points;
  for (int k = 0; k < 12; ++k) {
    const double x = kSize.x * std::cos(std::numbers::pi / 6 * k), y = kSize.x * std::sin(std::numbers::pi / 6 * k);
    points.push_back({0.7 * x, 0.7 * y, -kSize.z});
    points.push_back({x, y, kSize.z});
  }
  return test::convex_hull(points);
}

void turn(const Vec& angles, TestShape& shape) { shape.rotation = to_matrix(exp_quat(angles)) * shape.rotation; }

/// A shape of this kind at the origin; capsules lie.
TestShape make_shape(GeomType type) {
  TestShape shape;
  shape.type = type;
  shape.size = kSize;
  if (type == GeomType::kMesh) shape.hull = bowl();
  if (type == GeomType::kCapsule) turn({std::numbers::pi / 2, 0, 0}, shape);
  return shape;
}

struct Pair {
  TestShape A, B;
};

Pair place_pair(GeomType A, GeomType B, const Vec& angles, double gap) {
  Pair pair{make_shape(A), make_shape(B)};
  turn(angles, pair.B);
  pair.B.position = (test::support_height(pair.A, kUp) + test::support_height(pair.B, -kUp) + gap) * kUp;
  return pair;
}

/// What is wrong with the contacts of a pair; null: nothing. The normal proves that the distance is no less than the
/// gap; where the shapes are apart, the witnesses prove that it is no more.
template <class Real>
const char* find_fault(const Pair& pair, const Manifold<Real>& found) {
  if (found.count < 1 || found.count > most_points(pair.A.type, pair.B.type)) return "wrong number of points";
  const ContactPoint<Real>& c = found.point[0];
  const Vec n = widened(c.normal), p_A = widened(c.p_A), p_B = widened(c.p_B);
  const double gap = static_cast<double>(c.gap), allowed = kDistanceError<Real>;
  const auto differ = [&](double a, double b) { return !(std::fabs(a - b) <= allowed); };
  if (differ(norm(n), 1) || differ(-test::overlap_along(pair.A, pair.B, n), gap)) return "the normal is wrong";
  if (differ(norm(p_B - p_A), std::fabs(gap)) || differ(dot(n, p_B - p_A), gap)) return "the witnesses are wrong";
  const bool on_both =
      test::distance_from_surface(pair.A, p_A) <= allowed && test::distance_from_surface(pair.B, p_B) <= allowed;
  return on_both ? nullptr : "a witness is off its surface";
}

template <class Real>
void collide_pair(benchmark::State& state, const Pair& pair) {
  const test::Placed<Real> A(pair.A), B(pair.B);
  const auto scratch = std::make_unique<CollisionScratch<Real>>();
  scratch->A = A.shape, scratch->B = B.shape;
  const auto run = [&] {
    scratch->guess = {Real(0), Real(0), Real(0)};  // none, as in a step
    collide_placed(Real(kReach), *scratch, scratch->manifold);
  };
  time_checked(state, run, [&] { return find_fault(pair, scratch->manifold); });
  state.counters["points"] = scratch->manifold.count;
}

template <class Real>
void register_pair(const char* precision, GeomType A, GeomType B) {
  const std::string name = std::string("collide<") + precision + ">/" + test::name_of(A) + "_" + test::name_of(B);
  const Pair resting = place_pair(A, B, {0, 0, 0.5}, -1e-4), above = place_pair(A, B, {0.3, 0.2, 0.5}, 1e-3);
  benchmark::RegisterBenchmark((name + "/resting").c_str(), collide_pair<Real>, resting);
  benchmark::RegisterBenchmark((name + "/above").c_str(), collide_pair<Real>, above);
}

/// Every pair of kinds that can meet: planes do not.
bool register_pairs() {
  for (int a = 0; a < kGeomTypes; ++a)
    for (int b = a > 0 ? a : 1; b < kGeomTypes; ++b) {
      register_pair<double>("double", static_cast<GeomType>(a), static_cast<GeomType>(b));
      register_pair<float>("float", static_cast<GeomType>(a), static_cast<GeomType>(b));
    }
  return true;
}

[[maybe_unused]] const bool registered = register_pairs();

}  // namespace
}  // namespace stiction::bench
