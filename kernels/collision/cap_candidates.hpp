// Candidates of a cap and a face or line of the other shape where a step ends, exact to rounding.
//
//   x̂ = x + ((c − x)·m / n·m) n                 x as seen along n on the cap, whose centre is c and whose normal is m
//   an edge from p to q, or the line of a round side: the ends of the stretch in which its x̂ is within the rim
//   a point of the rim, one of sixteen: if it lies over the face
//
// Other manifolds are cut from the sixteen corners alone and end an edge up to 2 % of the radius too early. A body may
// carry where an edge crosses the rim, and there the rounds of a step need the crossing itself, which moves on both.
#pragma once

#include "kernels/collision/candidates.hpp"
#include "kernels/linalg/plane_point.hpp"

namespace stiction {

/// A point nearer to an edge is on it [m].
constexpr double kOnEdge = 1e-7;

/// True if a point of the surface, in the frame of the shape, is on an edge or a round side.
template <class Real>
ST_FN bool is_on_edge(const PlacedShape<Real>& shape, const Vec3<Real>& local) {
  int faces = 0;
  switch (static_cast<GeomType>(shape.type)) {
    case GeomType::kBox:
      for (int i = 0; i < 3; ++i) faces += shape.size[i] - std::fabs(local[i]) < Real(kOnEdge) ? 1 : 0;
      return faces > 1;
    case GeomType::kMesh:
      for (int face = 0; face < shape.num_faces && faces < 2; ++face) {
        const Vec3<Real> normal = load3(shape.face_normals + 3 * face);
        const int first = shape.face_verts[shape.face_vert_adr[face]];
        faces += std::fabs(dot(normal, local - load3(shape.vertices + 3 * first))) < Real(kOnEdge) ? 1 : 0;
      }
      return faces > 1;
    case GeomType::kCylinder:
    case GeomType::kCapsule:
      return shape.size.y - std::fabs(local.z) > Real(kOnEdge);
    default:
      return false;
  }
}

/// True if a contact of a cylinder is where an edge or a round side of the other shape, in whose frame it is at
/// `local`, lies across it: on its rim, such a point does not go on as a point of the rim.
template <class Real>
ST_FN bool is_crossing(const PlacedShape<Real>& cylinder, const PlacedShape<Real>& other, const Vec3<Real>& local) {
  return static_cast<GeomType>(cylinder.type) == GeomType::kCylinder && is_on_edge(other, local);
}

/// A cap and what it faces, relative to the origin of their features.
template <class Real>
struct FacedCap {
  const PlacedShape<Real>* cylinder;
  const SurfaceFeature<Real>*cap, *other;
  Side side;          // of the cap
  Vec3<Real> middle;  // c [m]
  Vec3<Real> d;       // n or −n: out of the cap
  Real facing;        // m·d

  /// x̂
  ST_FN Vec3<Real> seen(const Vec3<Real>& x) const { return x + (dot(cap->normal, middle - x) / facing) * d; }
  /// x̂ in the plane of the cap.
  ST_FN PlanePoint on_plane(const Vec3<Real>& x) const {
    const Vec3<Real> arm = transpose_mul(cylinder->rotation, seen(x) - middle);
    return {static_cast<double>(arm.x), static_cast<double>(arm.y)};
  }
};

/// Adds a point of the cap and the one of the other shape that it faces.
template <class Real>
ST_FN void add_on_cap(const FacedCap<Real>& faced, const Vec3<Real>& on_cap, const Vec3<Real>& on_other, Real max_gap,
                      ContactCandidates<Real>& out) {
  if (faced.side == Side::kA)
    add_candidate(on_cap, on_other, faced.d, max_gap, out);
  else
    add_candidate(on_other, on_cap, -faced.d, max_gap, out);
}

/// Adds the ends of that stretch of edge k of the other feature which lies over the cap.
template <class Real>
ST_FN void add_edge_on_cap(const FacedCap<Real>& faced, int k, Real max_gap, ContactCandidates<Real>& out) {
  const SurfaceFeature<Real>& other = *faced.other;
  const Vec3<Real> p = other.corner[k], edge = other.corner[k + 1 < other.count ? k + 1 : 0] - p;
  const Stretch within =
      stretch_in_disk(faced.on_plane(p), faced.on_plane(p + edge), {}, static_cast<double>(faced.cylinder->size.x));
  if (!(within.low < within.high)) return;
  const auto add = [&](double share) {
    const Vec3<Real> x = p + Real(share) * edge;
    add_on_cap(faced, faced.seen(x), x, max_gap, out);
  };
  add(within.low);
  if (within.high < 1.0 || other.count == 2) add(within.high);  // a face's corner begins its next edge, too
}

/// Adds the points of the rim that lie over the other face.
template <class Real>
ST_FN void add_rim_over_face(const FacedCap<Real>& faced, Real max_gap, ContactCandidates<Real>& out) {
  const SurfaceFeature<Real>& face = *faced.other;
  const Real facing = -dot(face.normal, faced.d);
  if (face.count == 2 || !(facing > Real(kMinFacing))) return;
  for (int k = 0; k < faced.cap->count; ++k) {
    const Vec3<Real> x = faced.cap->corner[k];
    bool beyond = false;
    for (int i = 0; i < face.count && !beyond; ++i) beyond = lies_beyond(face, i, -faced.d, x);
    if (!beyond) add_on_cap(faced, x, x + (dot(face.normal, x - face.corner[0]) / facing) * faced.d, max_gap, out);
  }
}

/// True if the feature is the cap of a cylinder.
template <class Real>
ST_FN bool is_cap(const PlacedShape<Real>& shape, const SurfaceFeature<Real>& feature) {
  return static_cast<GeomType>(shape.type) == GeomType::kCylinder && feature.count > 2;
}

/// Writes the candidates of the features in the scratch if one of them is a cap and the other is not; else false.
template <class Real>
ST_PHASE bool find_cap_candidates(const PlacedShape<Real>& A, const PlacedShape<Real>& B, Vec3<Real> n, Real max_gap,
                                  CollisionScratch<Real>& scratch) {
  const SurfaceFeature<Real>&on_A = scratch.feature_A, &on_B = scratch.feature_B;
  const bool cap_A = is_cap(A, on_A), cap_B = is_cap(B, on_B);
  if (cap_A == cap_B || on_A.count == 0 || on_B.count == 0) return false;
  FacedCap<Real> faced;
  faced.cylinder = cap_A ? &A : &B;
  faced.cap = cap_A ? &on_A : &on_B, faced.other = cap_A ? &on_B : &on_A;
  faced.side = cap_A ? Side::kA : Side::kB;
  faced.middle = faced.cylinder->position - A.position + faced.cylinder->size.y * faced.cap->normal;
  faced.d = cap_A ? n : -n;
  faced.facing = dot(faced.cap->normal, faced.d);
  scratch.candidates.count = 0;
  if (!(faced.facing > Real(kMinFacing))) return true;
  const int edges = faced.other->count == 2 ? 1 : faced.other->count;
  for (int k = 0; k < edges; ++k) add_edge_on_cap(faced, k, max_gap, scratch.candidates);
  add_rim_over_face(faced, max_gap, scratch.candidates);
  return true;
}

/// Candidates of the features in the scratch where a step ends, with those of the last round.
template <template <class> class Shape, class Real>
ST_FN void find_end_candidates(const Shape<Real>& A, const Shape<Real>& B, Vec3<Real> n, Real max_gap,
                               CollisionScratch<Real>& scratch) {
  if (!find_cap_candidates<Real>(A, B, n, max_gap, scratch)) find_candidates(n, max_gap, scratch);
  add_kept_candidates(A, B, n, max_gap, scratch);
}

}  // namespace stiction
