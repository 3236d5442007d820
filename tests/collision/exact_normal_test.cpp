// Refined normals of pairs that are built to touch: each shape shows a known point with a known outward normal.
#include "kernels/collision/exact_normal.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "kernels/collision/narrow_phase.hpp"
#include "kernels/linalg/rotation.hpp"
#include "tests/collision/test_shapes.hpp"

namespace stiction::test {
namespace {

enum class Part { kVertex, kEdge, kFace, kCap, kRim, kMantle, kEnd, kSide, kSphere, kEllipsoid };
constexpr int kParts = 10;
constexpr const char* kPartNames[kParts] = {"vertex", "edge", "face", "cap",    "rim",
                                            "mantle", "end",  "side", "sphere", "ellipsoid"};

// a refined normal is exact to this [rad], a gap to this [m]
constexpr double kNormalError = 1e-10, kGapError = 1e-12;
// errors of what is refined [rad], [m]
constexpr double kTilt = 1e-4, kShift = 1e-5;
constexpr int kPairs = 60;

/// A point of a shape's surface and a normal there, in the shape's frame.
struct Shown {
  TestShape shape;
  Vec point, normal;
  Vec line = {0, 0, 0};  // the tangent along which the surface is flat, of an edge, a rim or a round side
};

Vec unit(const Vec& a) { return (1 / norm(a)) * a; }
Vec vertex_of(const Hull& hull, int v) { return load3(hull.vertices.data() + 3 * v); }
Vec normal_of(const Hull& hull, int face) { return load3(hull.face_normals.data() + 3 * face); }

bool face_has(const Hull& hull, int face, int v) {
  for (int k = 0; k < hull.face_vert_num[face]; ++k)
    if (hull.face_verts[hull.face_vert_adr[face] + k] == v) return true;
  return false;
}

void show_vertex(Random& random, const Hull& hull, Shown& out) {
  out.normal = random_direction(random);
  int best = 0;
  for (int v = 1; v < hull.num_vertices(); ++v)
    if (dot(out.normal, vertex_of(hull, v)) > dot(out.normal, vertex_of(hull, best))) best = v;
  out.point = vertex_of(hull, best);
}

void show_edge(Random& random, const Hull& hull, Shown& out) {
  const int face = static_cast<int>(uniform(random, 0, hull.num_faces())), num = hull.face_vert_num[face];
  const int k = static_cast<int>(uniform(random, 0, num)), *vertex = &hull.face_verts[hull.face_vert_adr[face]];
  const int p = vertex[k], q = vertex[(k + 1) % num];
  for (int other = 0; other < hull.num_faces(); ++other) {
    if (other == face || !face_has(hull, other, p) || !face_has(hull, other, q)) continue;
    const double share = uniform(random, 0.2, 0.8), along = uniform(random, 0.1, 0.9);
    out.normal = unit((1 - share) * normal_of(hull, face) + share * normal_of(hull, other));
    out.point = (1 - along) * vertex_of(hull, p) + along * vertex_of(hull, q);
    out.line = unit(vertex_of(hull, q) - vertex_of(hull, p));
  }
}

void show_face(Random& random, const Hull& hull, Shown& out) {
  const int face = static_cast<int>(uniform(random, 0, hull.num_faces()));
  double total = 0;
  Vec sum = {0, 0, 0};
  for (int k = 0; k < hull.face_vert_num[face]; ++k) {
    const double share = uniform(random, 0.1, 1);
    total += share;
    sum += share * vertex_of(hull, hull.face_verts[hull.face_vert_adr[face] + k]);
  }
  out.point = (1 / total) * sum;
  out.normal = normal_of(hull, face);
}

/// Half of the polytopes are boxes, which are no hulls to the narrow phase.
void show_polytope(Random& random, Part part, Shown& out) {
  const bool box = uniform(random, 0, 1) < 0.5;
  out.shape = random_shape(random, box ? GeomType::kBox : GeomType::kMesh, SizeKind::kOrdinary);
  const Hull hull = box ? box_hull(out.shape.size) : out.shape.hull;
  if (part == Part::kVertex) return show_vertex(random, hull, out);
  if (part == Part::kEdge) return show_edge(random, hull, out);
  show_face(random, hull, out);
}

void show_cylinder(Random& random, Part part, Shown& out) {
  out.shape = random_shape(random, GeomType::kCylinder, SizeKind::kOrdinary);
  const double r = out.shape.size.x, h = out.shape.size.y, turn = uniform(random, 0, 6.3);
  const Vec radial = {std::cos(turn), std::sin(turn), 0};
  const double side = uniform(random, 0, 1) < 0.5 ? -1 : 1, lean = uniform(random, 0.1, 1.4);
  if (part == Part::kCap) {
    out.point = uniform(random, 0, 0.9) * r * radial + Vec{0, 0, side * h};
    out.normal = {0, 0, side};
  } else if (part == Part::kRim) {
    out.point = r * radial + Vec{0, 0, side * h};
    out.normal = std::cos(lean) * radial + Vec{0, 0, side * std::sin(lean)};
    out.line = {-radial.y, radial.x, 0};
  } else {
    out.point = r * radial + Vec{0, 0, uniform(random, -0.9, 0.9) * h};
    out.normal = radial;
    out.line = {0, 0, 1};
  }
}

void show_capsule(Random& random, Part part, Shown& out) {
  out.shape = random_shape(random, GeomType::kCapsule, SizeKind::kOrdinary);
  const double r = out.shape.size.x, h = out.shape.size.y;
  out.normal = random_direction(random);
  if (part == Part::kEnd) {
    out.point = r * out.normal + Vec{0, 0, out.normal.z < 0 ? -h : h};
    return;
  }
  out.normal.z = 0;
  out.normal = unit(out.normal);
  out.point = r * out.normal + Vec{0, 0, uniform(random, -0.9, 0.9) * h};
  out.line = {0, 0, 1};
}

Shown show(Random& random, Part part) {
  Shown out;
  switch (part) {
    case Part::kVertex:
    case Part::kEdge:
    case Part::kFace:
      show_polytope(random, part, out);
      break;
    case Part::kCap:
    case Part::kRim:
    case Part::kMantle:
      show_cylinder(random, part, out);
      break;
    case Part::kEnd:
    case Part::kSide:
      show_capsule(random, part, out);
      break;
    case Part::kSphere:
      out.shape = random_shape(random, GeomType::kSphere, SizeKind::kOrdinary);
      out.normal = random_direction(random);
      out.point = out.shape.size.x * out.normal;
      break;
    case Part::kEllipsoid:
      out.shape = random_shape(random, GeomType::kEllipsoid, SizeKind::kOrdinary);
      out.normal = random_direction(random);
      out.point = support_ellipsoid(out.shape.size, out.normal);
  }
  return out;
}

/// The rotation with the axes `n` and `t`, and their cross product.
Mat3<double> axes(const Vec& n, const Vec& t) {
  const Vec s = cross(n, t);
  return {{n.x, t.x, s.x, n.y, t.y, s.y, n.z, t.z, s.z}};
}

Mat3<double> transposed(const Mat3<double>& a) { return from_rows(a.column(0), a.column(1), a.column(2)); }

/// Turns a shape so that its shown normal becomes `n` and a tangent there (its line, if it has one) becomes `t`.
void face_along(const Vec& n, const Vec& t, Shown& shown) {
  const Vec tangent = norm(shown.line) > 0 ? shown.line : unit_across(shown.normal);
  const Vec level = unit(tangent - dot(tangent, shown.normal) * shown.normal);
  shown.shape.rotation = axes(n, t) * transposed(axes(shown.normal, level));
}

/// A pair whose shown points are `gap` apart along n, its lines at the angle `turn`; p_A and p_B from A's position.
ClosestPair touch(Random& random, double gap, double turn, Shown& A, Shown& B) {
  const Vec n = random_direction(random), t = unit_across(n), s = cross(n, t);
  face_along(n, t, A);
  face_along(-n, std::cos(turn) * t + std::sin(turn) * s, B);
  ClosestPair pair;
  pair.normal = n;
  pair.p_A = A.shape.rotation * A.point;
  pair.p_B = pair.p_A + gap * n;
  pair.gap = gap;
  B.shape.position = A.shape.position + pair.p_B - B.shape.rotation * B.point;
  return pair;
}

ClosestPair blurred(Random& random, const ClosestPair& pair) {
  ClosestPair found = pair;
  found.normal = unit(pair.normal + uniform(random, 0, kTilt) * random_direction(random));
  found.p_A += kShift * random_direction(random);
  found.p_B += kShift * random_direction(random);
  found.gap = dot(found.normal, found.p_B - found.p_A);
  return found;
}

using Parts = std::pair<Part, Part>;

bool is_of_polytope(Part part) { return part <= Part::kFace; }

/// Two polytopes are not refined; corners have no normal against corners, edges and rims.
bool has_exact_normal(Parts parts) {
  const bool rim = parts.first == Part::kRim || parts.second == Part::kRim;
  const bool vertex = parts.first == Part::kVertex || parts.second == Part::kVertex;
  return !(is_of_polytope(parts.first) && is_of_polytope(parts.second)) && !(rim && vertex);
}

void expect_exact(const Shown& A, const Shown& B, const ClosestPair& truth, ClosestPair found) {
  const Placed<double> a(A.shape), b(B.shape);
  const ClosestPair before = found;
  ASSERT_TRUE(refine_pair(a.shape, b.shape, found)) << "gap " << truth.gap;
  EXPECT_LE(norm(found.normal - truth.normal), kNormalError) << "from " << norm(before.normal - truth.normal);
  EXPECT_NEAR(found.gap, truth.gap, kGapError);
  EXPECT_LE(norm(found.p_B - found.p_A - found.gap * found.normal), kGapError);
}

/// Pairs of every kind with shown lines at angles from `least` to `most` [rad].
void expect_exact_pairs(Parts parts, double least, double most) {
  for (double gap : {0.0, 1e-12, -1e-12, 1e-9, -1e-9, 1e-6, -1e-6})
    for (int k = 0; k < kPairs; ++k) {
      SCOPED_TRACE(k);
      Random random(1000 * k + 10 * static_cast<int>(parts.first) + static_cast<int>(parts.second));
      Shown A = show(random, parts.first), B = show(random, parts.second);
      const ClosestPair truth = touch(random, gap, uniform(random, least, most), A, B);
      expect_exact(A, B, truth, blurred(random, truth));
    }
}

template <class Condition>
std::vector<Parts> all_parts(Condition condition) {
  std::vector<Parts> all;
  for (int a = 0; a < kParts; ++a)
    for (int b = 0; b < kParts; ++b)
      if (const Parts parts = {static_cast<Part>(a), static_cast<Part>(b)}; condition(parts)) all.push_back(parts);
  return all;
}

/// Round sides with edges, rims and one another.
bool may_be_parallel(Parts parts) {
  const auto round = [](Part part) { return part == Part::kMantle || part == Part::kSide; };
  const auto flat = [&](Part part) { return round(part) || part == Part::kEdge || part == Part::kRim; };
  return (round(parts.first) && flat(parts.second)) || (round(parts.second) && flat(parts.first));
}

std::string name_of(const testing::TestParamInfo<Parts>& tested) {
  const auto [first, second] = tested.param;
  return std::string(kPartNames[static_cast<int>(first)]) + "_" + kPartNames[static_cast<int>(second)];
}

class ExactNormals : public testing::TestWithParam<Parts> {};
class ExactNormalsOfParallels : public testing::TestWithParam<Parts> {};

TEST_P(ExactNormals, AreFoundFromBlurredOnes) { expect_exact_pairs(GetParam(), 0.2, 2.9); }

TEST_P(ExactNormalsOfParallels, AreFoundFromBlurredOnes) { expect_exact_pairs(GetParam(), 0, 0); }

INSTANTIATE_TEST_SUITE_P(Parts, ExactNormals, testing::ValuesIn(all_parts(has_exact_normal)), name_of);
INSTANTIATE_TEST_SUITE_P(Parts, ExactNormalsOfParallels, testing::ValuesIn(all_parts(may_be_parallel)), name_of);

TEST(CornerOnARim, HasNoExactNormal) {
  for (int k = 0; k < kPairs; ++k) {
    Random random(k);
    Shown A = show(random, Part::kRim), B = show(random, Part::kVertex);
    const ClosestPair truth = touch(random, 1e-12, 1, A, B), start = blurred(random, truth);
    const Placed<double> a(A.shape), b(B.shape);
    ClosestPair found = start;
    if (refine_pair(a.shape, b.shape, found)) {  // a mantle, cap, edge or face may be within the blur
      const double worse =
          separation_along(a.shape, b.shape, start.normal) - separation_along(a.shape, b.shape, found.normal);
      EXPECT_LE(worse, kGapError);
      continue;
    }
    EXPECT_EQ(norm(found.normal - start.normal), 0);
    EXPECT_EQ(norm(found.p_A - start.p_A) + norm(found.p_B - start.p_B), 0);
  }
}

}  // namespace
}  // namespace stiction::test
