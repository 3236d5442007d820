#include "tests/collision/test_shapes.hpp"

#include <cmath>

#include "kernels/linalg/rotation.hpp"
#include "tests/collision/certificate.hpp"

namespace stiction::test {

const char* name_of(GeomType type) {
  constexpr const char* kNames[kGeomTypes] = {"plane", "sphere", "capsule", "cylinder", "ellipsoid", "box", "mesh"};
  return kNames[static_cast<int>(type)];
}

double uniform(Random& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

Vec random_direction(Random& random) {
  std::normal_distribution<double> normal;
  const Vec v = {normal(random), normal(random), normal(random)};
  const double length = norm(v);
  return length > 0 ? (1 / length) * v : Vec{1, 0, 0};
}

Mat3<double> random_rotation(Random& random) {
  std::normal_distribution<double> normal;
  return to_matrix(normalise(Quat<double>{normal(random), normal(random), normal(random), normal(random)}));
}

Hull box_hull(const Vec& half) {
  std::vector<std::array<double, 3>> points;
  for (int k = 0; k < 8; ++k)
    points.push_back({k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z});
  return convex_hull(points);
}

namespace {

Vec random_size(Random& random, SizeKind kind) {
  const double low = kind == SizeKind::kOrdinary ? std::log(0.02) : std::log(2e-4), high = std::log(0.25);
  const auto draw = [&] { return std::exp(uniform(random, low, high)); };
  return {draw(), draw(), draw()};
}

/// A triangle a micrometre thick.
Hull thin_slab(Random& random, const Vec& size) {
  std::vector<std::array<double, 3>> points;
  for (int k = 0; k < 3; ++k) {
    const double angle = 2 * k + uniform(random, 0, 1.5);
    for (double z : {-5e-7, 5e-7}) points.push_back({size.x * std::cos(angle), size.y * std::sin(angle), z});
  }
  return convex_hull(points);
}

/// A tetrahedron, a box, a slab, or random points on an ellipsoid with these half lengths.
Hull random_hull(Random& random, const Vec& size) {
  const int choice = static_cast<int>(uniform(random, 0, 7));
  if (choice == 0) return box_hull(size);
  if (choice == 3) return thin_slab(random, size);
  const int count = choice == 1 ? 4 : (choice == 2 ? 50 : static_cast<int>(uniform(random, 5, 24)));
  std::vector<std::array<double, 3>> points;
  for (int k = 0; k < count; ++k) {
    const Vec d = random_direction(random);
    points.push_back({size.x * d.x, size.y * d.y, size.z * d.z});
  }
  return convex_hull(points);
}

/// A turn by quarters about the axes.
Mat3<double> quarter_turns(Random& random) {
  const int first = static_cast<int>(uniform(random, 0, 3)), flip = uniform(random, 0, 1) < 0.5 ? -1 : 1;
  Mat3<double> turn = {};
  turn(0, first) = 1;
  turn(1, (first + 1) % 3) = flip;
  turn(2, (first + 2) % 3) = flip;
  return turn;
}

/// Centre of B for which the pair is `gap` apart along the unit direction u.
Vec center_at_gap(const TestShape& A, const TestShape& B, const Vec& u, double gap) {
  const double reach_A = support_height(A, u) - dot(u, A.position);
  const double reach_B = support_height(B, -u) + dot(u, B.position);
  return A.position + (reach_A + reach_B + gap) * u;
}

double extent(const TestShape& shape) {
  const Vec x = shape.rotation.column(0), y = shape.rotation.column(1), z = shape.rotation.column(2);
  return support_height(shape, x) + support_height(shape, -x) + support_height(shape, y) + support_height(shape, -y) +
         support_height(shape, z) + support_height(shape, -z);
}

}  // namespace

TestShape random_shape(Random& random, GeomType type, SizeKind kind) {
  TestShape shape;
  shape.type = type;
  shape.size = random_size(random, kind);
  if (type == GeomType::kMesh) shape.hull = random_hull(random, shape.size);
  shape.position = 0.5 * random_direction(random);
  shape.rotation = random_rotation(random);
  return shape;
}

void pose_pair(Random& random, PoseKind kind, TestShape& A, TestShape& B) {
  const bool plane = A.type == GeomType::kPlane;
  if (kind == PoseKind::kParallel) {
    if (uniform(random, 0, 1) < 0.3) A.rotation = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};
    B.rotation = A.rotation * quarter_turns(random);
  }
  const Vec u = plane                         ? A.rotation.column(2)
                : kind == PoseKind::kParallel ? A.rotation.column(static_cast<int>(uniform(random, 0, 3)))
                                              : random_direction(random);
  const double size = extent(B) / 6 + (plane ? 0.1 : extent(A) / 6);
  Vec sideways = random_direction(random);
  sideways = sideways - dot(sideways, u) * u;
  double gap = 0;
  switch (kind) {
    case PoseKind::kNear:
      gap = uniform(random, 0, 0.5 * size);
      break;
    case PoseKind::kTouching:
      gap = uniform(random, 0, 1) < 0.3 ? 0 : uniform(random, -1, 1) * std::pow(10, uniform(random, -12, -4));
      break;
    case PoseKind::kDeep:
      gap = -uniform(random, 0, 1.5 * size);
      break;
    case PoseKind::kParallel:
      gap = uniform(random, 0, 1) < 0.3 ? 0 : uniform(random, -0.5, 0.3) * size;
      break;
    case PoseKind::kCoincident:
      break;
  }
  if (kind == PoseKind::kCoincident) {
    B.position = A.position;
    if (uniform(random, 0, 1) < 0.5) B.rotation = A.rotation;
    return;
  }
  const double shift = kind == PoseKind::kTouching ? (uniform(random, 0, 1) < 0.5 ? 0 : 1e-3) : uniform(random, 0, 1);
  B.position = center_at_gap(A, B, u, gap) + (shift * size) * sideways;
}

}  // namespace stiction::test
