#include "tests/collision/flush_poses.hpp"

#include <cmath>
#include <numbers>

#include "kernels/linalg/rotation.hpp"
#include "tests/collision/certificate.hpp"

namespace stiction::test {
namespace {

constexpr double kPi = std::numbers::pi;

TestShape grid_shape(GeomType type, const Vec& size) {
  TestShape shape;
  shape.type = type;
  shape.size = size;
  return shape;
}

/// A prism of n sides about z with circumradius `radius`; a side faces x.
TestShape prism(int n, double radius, double half) {
  std::vector<std::array<double, 3>> points;
  for (int k = 0; k < n; ++k) {
    const double angle = kPi * (2 * k + 1) / n;
    for (double z : {-half, half}) points.push_back({radius * std::cos(angle), radius * std::sin(angle), z});
  }
  TestShape shape = grid_shape(GeomType::kMesh, {radius, radius, half});
  shape.hull = convex_hull(points);
  return shape;
}

TestShape box_mesh(const Vec& half) {
  TestShape shape = grid_shape(GeomType::kMesh, half);
  shape.hull = box_hull(half);
  return shape;
}

int draw(Random& random, int count) { return static_cast<int>(uniform(random, 0, count)); }

/// One of the 24 turns that map the axes onto axes.
Mat3<double> grid_turn(Random& random) {
  const int x = draw(random, 3), y = (x + 1 + draw(random, 2)) % 3;
  Vec e_x = {0, 0, 0}, e_y = {0, 0, 0};
  e_x[x] = draw(random, 2) ? 1 : -1;
  e_y[y] = draw(random, 2) ? 1 : -1;
  const Vec e_z = cross(e_x, e_y);
  return {{e_x.x, e_y.x, e_z.x, e_x.y, e_y.y, e_z.y, e_x.z, e_y.z, e_z.z}};
}

double reach(const TestShape& shape, const Vec& u) { return support_height(shape, u) - dot(u, shape.position); }

/// An offset across the direction at which sides, middles or a side and a middle line up.
double grid_offset(Random& random, const TestShape& A, const TestShape& B, const Vec& u) {
  if (A.type == GeomType::kPlane) return 0.025 * draw(random, 9);
  const double a = reach(A, u), b = reach(B, u),
               offsets[] = {a - b, b - a, a + b, -a - b, a, -a, 0.5 * (a + b), 0.5 * a};
  return offsets[draw(random, 8)];
}

}  // namespace

const std::vector<TestShape>& grid_shapes(GeomType type) {
  static const std::vector<TestShape> shapes[kGeomTypes] = {
      {grid_shape(GeomType::kPlane, {0, 0, 1})},
      {grid_shape(GeomType::kSphere, {0.05, 0, 0}), grid_shape(GeomType::kSphere, {0.1, 0, 0})},
      {grid_shape(GeomType::kCapsule, {0.05, 0.1, 0}), grid_shape(GeomType::kCapsule, {0.025, 0.05, 0})},
      {grid_shape(GeomType::kCylinder, {0.05, 0.05, 0}), grid_shape(GeomType::kCylinder, {0.1, 0.15, 0}),
       grid_shape(GeomType::kCylinder, {0.1, 0.025, 0})},
      {grid_shape(GeomType::kEllipsoid, {0.05, 0.05, 0.05}), grid_shape(GeomType::kEllipsoid, {0.1, 0.05, 0.05}),
       grid_shape(GeomType::kEllipsoid, {0.1, 0.05, 0.025})},
      {grid_shape(GeomType::kBox, {0.05, 0.05, 0.05}), grid_shape(GeomType::kBox, {0.1, 0.05, 0.05}),
       grid_shape(GeomType::kBox, {0.1, 0.05, 0.025}), grid_shape(GeomType::kBox, {0.2, 0.2, 0.05})},
      {box_mesh({0.05, 0.05, 0.05}), box_mesh({0.1, 0.05, 0.05}), prism(3, 0.1, 0.05), prism(6, 0.1, 0.05)}};
  return shapes[static_cast<int>(type)];
}

FlushPair flush_pair(Random& random, GeomType type_A, GeomType type_B, double noise) {
  const auto& of_A = grid_shapes(type_A);
  const auto& of_B = grid_shapes(type_B);
  FlushPair pair;
  TestShape &A = pair.A, &B = pair.B;
  A = of_A[draw(random, static_cast<int>(of_A.size()))], B = of_B[draw(random, static_cast<int>(of_B.size()))];
  if (draw(random, 2)) A.rotation = draw(random, 2) ? grid_turn(random) : random_rotation(random);
  if (draw(random, 2)) A.position = 0.5 * random_direction(random);
  const int axis = type_A == GeomType::kPlane ? 2 : draw(random, 3);
  const double side = type_A == GeomType::kPlane || draw(random, 2) ? 1 : -1;
  const Vec u = side * A.rotation.column(axis), v = A.rotation.column((axis + 1) % 3), w = cross(u, v);
  const double yaws[] = {0, 0, 0, kPi / 4, kPi / 6, kPi / 2, kPi / 3, kPi};
  B.rotation = to_matrix(exp_quat(yaws[draw(random, 8)] * u)) * (A.rotation * grid_turn(random));
  const double gaps[] = {0, 0, noise, -noise};
  const double apart = reach(B, -u) + (type_A == GeomType::kPlane ? 0 : reach(A, u)) + gaps[draw(random, 4)];
  pair.direction = u;
  const auto is_wedge = [](const TestShape& shape) { return shape.hull.num_vertices() == 6; };
  pair.centred = draw(random, 3) == 0 && !is_wedge(A) && !is_wedge(B);  // a wedge has no middle
  B.position = A.position + apart * u;
  if (!pair.centred) {
    if (draw(random, 3)) B.position += grid_offset(random, A, B, v) * v;
    if (draw(random, 3)) B.position += grid_offset(random, A, B, w) * w;
  }
  B.position += (noise * uniform(random, 0, 1)) * random_direction(random);
  B.rotation = to_matrix(exp_quat((noise * uniform(random, 0, 1)) * random_direction(random))) * B.rotation;
  return pair;
}

TestShape in_single_precision(TestShape shape) {
  const auto round = [](double x) { return static_cast<double>(static_cast<float>(x)); };
  for (int i = 0; i < 3; ++i) shape.size[i] = round(shape.size[i]), shape.position[i] = round(shape.position[i]);
  for (double& x : shape.rotation.m) x = round(x);
  for (double& x : shape.hull.vertices) x = round(x);
  for (double& x : shape.hull.face_normals) x = round(x);
  return shape;
}

}  // namespace stiction::test
