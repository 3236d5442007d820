#include "host/reference/patch_candidates.hpp"

#include <algorithm>
#include <cmath>

namespace stiction::reference {
namespace {

using Eigen::Vector3d;
using Kind = PatchFeatureKind;

struct Limits {
  double reach;  // [m]
  double turn;   // [rad]
};

int parts_of(const PatchShape& shape, Kind kind) {
  switch (kind) {
    case Kind::kCornerOnFace:
      return shape.corners.cols();
    case Kind::kEdgeOnFace:
      return shape.edges.size();
    case Kind::kFaceOnFace:
      return shape.is_bounded() ? shape.faces.size() : 0;
    case Kind::kRimOnFace:
    case Kind::kDiskOnFace:
      return shape.is_cylinder() ? 2 : 0;
    case Kind::kLineOnFace:
      return shape.is_cylinder() ? 1 : 0;
    default:
      return 0;
  }
}

/// Whether a turn by `turn` can bring the whole body, seen from the corner, to the side of the direction n (world).
bool can_support(const PatchBody& body, int corner, const Vector3d& n, double turn) {
  if (turn >= M_PI / 2) return true;
  for (int k = 0; k < body.shape.corners.cols(); ++k) {
    const Vector3d arm = body.rotation * (body.shape.corners.col(k) - body.shape.corners.col(corner));
    if (n.dot(arm) < -std::sin(turn) * arm.norm()) return false;
  }
  return true;
}

Vector3d in_world(const PatchBody& body, const Vector3d& x) { return body.position + body.rotation * x; }

std::vector<int> corners_of(const PatchShape& shape, Kind kind, int part) {
  if (kind == Kind::kCornerOnFace) return {part};
  if (kind == Kind::kEdgeOnFace) return {shape.edges[part][0], shape.edges[part][1]};
  return shape.faces[part];
}

/// Whether the part can come to lie on the face of the other body.
bool can_lie(const PatchBody& body, Kind kind, int part, const PatchBody& below, int face, const Limits& limits) {
  if (body.shape.is_cylinder()) return true;
  const Vector3d normal = below.shape.normals.col(face), n = below.rotation * normal;
  const double offset = below.shape.offsets[face] + n.dot(below.position);
  const std::vector<int> corners = corners_of(body.shape, kind, part);
  return std::all_of(corners.begin(), corners.end(), [&](int corner) {
    const double height = n.dot(in_world(body, body.shape.corners.col(corner))) - offset;
    return std::abs(height) <= limits.reach && can_support(body, corner, n, limits.turn);
  });
}

/// Two faces on each other are listed once, with the plane of G.
void list_on_faces(const PatchProblem& problem, int face_body, Kind kind, const Limits& limits,
                   std::vector<PatchFeature>& features) {
  if (kind == Kind::kFaceOnFace && face_body == 0) return;
  const PatchBody& body = face_body == 1 ? problem.F : problem.G;
  const PatchBody& below = face_body == 1 ? problem.G : problem.F;
  for (int part = 0; part < parts_of(body.shape, kind); ++part)
    for (int face = 0; face < static_cast<int>(below.shape.faces.size()); ++face)
      if (can_lie(body, kind, part, below, face, limits)) features.push_back({kind, face_body, part, face});
}

struct Segment {
  Vector3d start, along;
};

Segment edge_in_world(const PatchBody& body, int edge) {
  const auto [i, j] = body.shape.edges[edge];
  return {in_world(body, body.shape.corners.col(i)),
          body.rotation * (body.shape.corners.col(j) - body.shape.corners.col(i))};
}

double distance_to(const Segment& s, const Vector3d& x) {
  const double share = std::clamp(s.along.dot(x - s.start) / s.along.squaredNorm(), 0.0, 1.0);
  return (s.start + share * s.along - x).norm();
}

/// Where the lines come nearest, if that is within both segments, or at one of the four ends.
double distance_between(const Segment& F, const Segment& G) {
  double best = std::min({distance_to(F, G.start), distance_to(F, G.start + G.along), distance_to(G, F.start),
                          distance_to(G, F.start + F.along)});
  const Vector3d across = F.along.cross(G.along), apart = G.start - F.start;
  const double s = apart.cross(G.along).dot(across), t = apart.cross(F.along).dot(across), whole = across.squaredNorm();
  const bool inside = whole > 0.0 && std::min(s, t) >= 0.0 && std::max(s, t) <= whole;
  return inside ? std::min(best, std::abs(apart.dot(across)) / across.norm()) : best;
}

/// The normal of edges at the angle α to each other turns by up to asin(sin θ/sin α) while one of them turns by θ.
bool can_cross(const PatchProblem& problem, int i, int j, double side, const Limits& limits) {
  const Segment F = edge_in_world(problem.F, i), G = edge_in_world(problem.G, j);
  if (distance_between(F, G) > limits.reach) return false;
  const Vector3d across = F.along.normalized().cross(G.along.normalized());
  const double share = std::sin(std::min(limits.turn, M_PI / 2)) / across.norm();
  if (!(share < 1.0)) return true;
  const Vector3d n = side * across.normalized();
  const double turn = std::asin(share) + limits.turn;
  return can_support(problem.F, problem.F.shape.edges[i][0], n, turn) &&
         can_support(problem.G, problem.G.shape.edges[j][0], -n, turn);
}

void list_crossing_edges(const PatchProblem& problem, const Limits& limits, std::vector<PatchFeature>& features) {
  for (int i = 0; i < static_cast<int>(problem.F.shape.edges.size()); ++i)
    for (int j = 0; j < static_cast<int>(problem.G.shape.edges.size()); ++j)
      for (double side : {1.0, -1.0})
        if (can_cross(problem, i, j, side, limits)) features.push_back({Kind::kEdgeOnEdge, 1, i, j, side});
}

}  // namespace

std::vector<PatchFeature> list_features(const PatchProblem& problem) {
  const Limits limits{problem.reach, problem.reach / shape_reach(problem.F.shape)};
  std::vector<PatchFeature> features{PatchFeature{}};
  for (Kind kind : {Kind::kCornerOnFace, Kind::kRimOnFace, Kind::kEdgeOnFace, Kind::kLineOnFace, Kind::kFaceOnFace,
                    Kind::kDiskOnFace})
    for (int face_body : {1, 0}) list_on_faces(problem, face_body, kind, limits, features);
  list_crossing_edges(problem, limits, features);
  return features;
}

}  // namespace stiction::reference
