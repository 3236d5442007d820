#include "host/reference/patch_candidates.hpp"

#include <algorithm>
#include <cmath>

#include "host/reference/patch_touch.hpp"

namespace stiction::reference {
namespace {

using Eigen::Vector3d;
using Kind = PatchFeatureKind;
using Limits = patch_detail::PatchLimits;

int parts_of(const PatchShape& shape, Kind kind) {
  const bool round = shape.is_cylinder();
  switch (kind) {
    case Kind::kCornerOnFace:
      return shape.corners.cols();
    case Kind::kEdgeOnFace:
      return shape.edges.size();
    case Kind::kFaceOnFace:
      return shape.is_bounded() && !round ? shape.faces.size() : 0;
    case Kind::kRimOnFace:
    case Kind::kDiskOnFace:
      return round ? 2 : 0;
    case Kind::kLineOnFace:
      return round ? 1 : 0;
    default:
      return 0;
  }
}

Vector3d in_world(const PatchBody& body, const Vector3d& x) { return body.position + body.rotation * x; }

std::vector<int> corners_of(const PatchShape& shape, Kind kind, int part) {
  if (kind == Kind::kCornerOnFace) return {part};
  if (kind == Kind::kEdgeOnFace) return {shape.edges[part][0], shape.edges[part][1]};
  return shape.faces[part];
}

struct Plane {
  Vector3d normal;
  double offset;
  double height(const Vector3d& x) const { return normal.dot(x) - offset; }
};

/// Whether a part of a cylinder can come to lie on the plane, at which all of the cylinder is above the part then.
bool cylinder_can_lie(const PatchBody& body, Kind kind, int end, const Plane& plane, const Limits& limits) {
  const double r = body.shape.radius, half = body.shape.length / 2, slack = std::sin(limits.turn);
  const double up = plane.normal.dot(body.rotation * Vector3d::UnitZ()), out = end == 0 ? -up : up;
  const double middle = plane.height(body.position), height = middle + half * out;
  const bool faces_plane = limits.turn >= M_PI / 2 || out <= -std::cos(limits.turn);
  if (kind == Kind::kDiskOnFace) return faces_plane && std::abs(height) <= limits.reach;
  if (kind == Kind::kLineOnFace)
    return std::abs(up) <= slack && std::abs(middle - r) + half * std::abs(up) <= limits.reach;
  const double swing = r * std::sqrt(std::max(0.0, 1.0 - up * up));
  return out <= slack && std::abs(height) <= limits.reach + swing;
}

/// Whether the part can come to lie on the face of the other body.
bool can_lie(const PatchBody& body, Kind kind, int part, const PatchBody& below, int face, const Limits& limits) {
  const Vector3d normal = below.shape.normals.col(face), n = below.rotation * normal;
  const Plane plane{n, below.shape.offsets[face] + n.dot(below.position)};
  if (body.shape.is_cylinder()) return cylinder_can_lie(body, kind, part, plane, limits);
  const std::vector<int> corners = corners_of(body.shape, kind, part);
  return std::all_of(corners.begin(), corners.end(), [&](int corner) {
    const double height = plane.height(in_world(body, body.shape.corners.col(corner)));
    return std::abs(height) <= limits.reach && patch_detail::can_support(body, corner, n, limits.turn);
  });
}

/// Two faces on each other are listed once, with the plane of G or that of the polytope.
void list_on_faces(const PatchProblem& problem, int face_body, Kind kind, const Limits& limits,
                   std::vector<PatchCandidate>& candidates) {
  const PatchBody& body = face_body == 1 ? problem.F : problem.G;
  const PatchBody& below = face_body == 1 ? problem.G : problem.F;
  if (kind == Kind::kFaceOnFace && (face_body == 0 || below.shape.is_cylinder())) return;
  for (int part = 0; part < parts_of(body.shape, kind); ++part)
    for (int face = 0; face < static_cast<int>(below.shape.faces.size()); ++face)
      if (can_lie(body, kind, part, below, face, limits)) candidates.push_back({{kind, face_body, part, face}});
}

}  // namespace

bool patch_detail::can_support(const PatchBody& body, int corner, const Vector3d& n, double turn) {
  if (turn >= M_PI / 2) return true;
  for (int k = 0; k < body.shape.corners.cols(); ++k) {
    const Vector3d arm = body.rotation * (body.shape.corners.col(k) - body.shape.corners.col(corner));
    if (n.dot(arm) < -std::sin(turn) * arm.norm()) return false;
  }
  return true;
}

std::vector<PatchCandidate> list_candidates(const PatchProblem& problem) {
  const Limits limits{problem.reach, std::min(problem.reach / shape_reach(problem.F.shape), M_PI / 2)};
  std::vector<PatchCandidate> candidates{PatchCandidate{}};
  for (Kind kind : {Kind::kCornerOnFace, Kind::kRimOnFace, Kind::kEdgeOnFace, Kind::kLineOnFace, Kind::kFaceOnFace,
                    Kind::kDiskOnFace})
    for (int face_body : {1, 0}) list_on_faces(problem, face_body, kind, limits, candidates);
  patch_detail::list_on_edges(problem, limits, candidates);
  return candidates;
}

}  // namespace stiction::reference
