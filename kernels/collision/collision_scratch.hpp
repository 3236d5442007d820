// Working memory of one lane's narrow phase. The caller owns it, so that the stack of a lane stays small.
#pragma once

#include "kernels/collision/shape_motion.hpp"
#include "kernels/collision/simplex.hpp"

namespace stiction {

constexpr int kMaxPolygon = 16;                              // corners of a face that takes part in a manifold
constexpr int kMaxClipped = 2 * kMaxPolygon + 1;             // each clipping edge adds at most one; + 1: closest pair
constexpr int kMaxPolytopeVertices = 128;                    // support points of the expanding polytope
constexpr int kMaxPolytopeFaces = 2 * kMaxPolytopeVertices;  // Euler: 2 V − 4

/// The part of a surface that faces along a direction: a point, a segment or a convex polygon.
template <class Real>
struct SurfaceFeature {
  int count = 0;
  Vec3<Real> normal;               // outward; only polygons and segments have one
  Real radius;                     // radius of the round side on which a segment lies; 0: the segment is an edge [m]
  Vec3<Real> corner[kMaxClipped];  // counter-clockwise from outside [m]
};

/// Points that may become contacts.
template <class Real>
struct ContactCandidates {
  int count = 0;
  Vec3<Real> p_A[kMaxClipped], p_B[kMaxClipped];  // [m]
  Real gap[kMaxClipped];                          // [m]
  // while some are chosen, for each of the others:
  int side[kMaxClipped];   // the side of their border beyond which it lies
  Real area[kMaxClipped];  // doubled area that it adds there, negative inside of the border [m²]
};

/// The expanding polytope: support points of A − B and triangles, in double whatever the precision of the poses.
struct Polytope {
  int num_vertices = 0, num_faces = 0;
  Vec3<double> a[kMaxPolytopeVertices], b[kMaxPolytopeVertices];  // on A, on B [m]
  Vec3<double> w[kMaxPolytopeVertices];                           // a − b, moved out of degenerate position [m]
  Vec3<double> normal[kMaxPolytopeFaces];                         // outward, unit
  double offset[kMaxPolytopeFaces];                               // normal·w [m]
  short vertex[kMaxPolytopeFaces][3];                             // counter-clockwise from outside
  short adjacent[kMaxPolytopeFaces][3];                           // face across the edge (vertex[e], vertex[e + 1])
  unsigned char alive[kMaxPolytopeFaces];
  // working memory of the expansion in progress
  short removed[kMaxPolytopeFaces];
  short horizon_face[kMaxPolytopeFaces], horizon_edge[kMaxPolytopeFaces];
  short stack_face[2 * kMaxPolytopeFaces], stack_edge[2 * kMaxPolytopeFaces];
};

/// What a lane needs in one precision.
template <class Real>
struct CollisionWork {
  // for the caller: a pair of shapes, the manifold found for it, and how the shapes move
  PlacedShape<Real> A, B;
  Vec3<Real> guess;  // guess of the normal from A to B, where the search begins; 0: from A's position to B's
  Manifold<Real> manifold;
  ShapeMotion<Real> motion_A, motion_B;
  KeptShape<Real> kept_A, kept_B;  // the pair at the end of a step, in place of A and B
  // working memory of one call
  SurfaceFeature<Real> feature_A, feature_B, clipped;
  bool over_A = true;  // feature_A is the one that the other lies over
  ContactCandidates<Real> candidates;
  Simplex simplex, previous_simplex;
  Polytope polytope;
};

/// Working memory with room for the narrow phase in double.
template <class Real>
struct CollisionScratch : CollisionWork<Real> {
  char more[sizeof(CollisionWork<double>) - sizeof(CollisionWork<Real>)];
};
template <>
struct CollisionScratch<double> : CollisionWork<double> {};

/// The same memory for a narrow phase in double; what it held is lost.
template <class Real>
ST_FN CollisionScratch<double>& in_double(CollisionScratch<Real>& scratch) {
  static_assert(sizeof(scratch) >= sizeof(CollisionScratch<double>));
  return reinterpret_cast<CollisionScratch<double>&>(scratch);
}

}  // namespace stiction
