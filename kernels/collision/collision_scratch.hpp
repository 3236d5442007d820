// Working memory of one lane's narrow phase. It belongs to the caller: a lane's stack stays small.
#pragma once

#include "kernels/collision/shape_motion.hpp"
#include "kernels/collision/simplex.hpp"

namespace stiction {

constexpr int kMaxPolygon = 16;                   // corners of a face that takes part in a manifold
constexpr int kMaxClipped = 2 * kMaxPolygon + 1;  // a clip adds at most one corner an edge; one more: the closest pair
constexpr int kMaxPolytopeVertices = 128;         // [support points] of the expanding polytope
constexpr int kMaxPolytopeFaces = 2 * kMaxPolytopeVertices;  // Euler: 2 V − 4

/// The part of a surface that faces along a direction: a point, a segment or a convex polygon.
template <class Real>
struct SurfaceFeature {
  int count = 0;
  Vec3<Real> normal;               // outward, of a polygon and of a segment
  Real radius;                     // of the round side on which a segment lies; 0: it is an edge [m]
  Vec3<Real> corner[kMaxClipped];  // counter-clockwise from outside [m]
};

/// Points that may become contacts.
template <class Real>
struct ContactCandidates {
  int count = 0;
  Vec3<Real> p_A[kMaxClipped], p_B[kMaxClipped];  // [m]
  Real gap[kMaxClipped];                          // [m]
};

/// The expanding polytope: support points of A − B and triangles, in double whatever the poses are given in.
struct Polytope {
  int num_vertices = 0, num_faces = 0;
  Vec3<double> a[kMaxPolytopeVertices], b[kMaxPolytopeVertices];  // on A, on B [m]
  Vec3<double> w[kMaxPolytopeVertices];                           // a − b, moved out of degenerate position [m]
  Vec3<double> normal[kMaxPolytopeFaces];                         // outward, unit
  double offset[kMaxPolytopeFaces];                               // normal·w [m]
  short vertex[kMaxPolytopeFaces][3];                             // counter-clockwise from outside
  short adjacent[kMaxPolytopeFaces][3];                           // face across the edge (vertex[e], vertex[e + 1])
  unsigned char alive[kMaxPolytopeFaces];
  // of the expansion in progress
  short removed[kMaxPolytopeFaces];
  short horizon_face[kMaxPolytopeFaces], horizon_edge[kMaxPolytopeFaces];
  short stack_face[2 * kMaxPolytopeFaces], stack_edge[2 * kMaxPolytopeFaces];
};

template <class Real>
struct CollisionScratch {
  // of the caller: a pair, what is found out about it, and how it moves
  PlacedShape<Real> A, B;
  Vec3<Real> guess;  // of the normal from A to B: where the search begins; 0: between their positions
  Manifold<Real> manifold;
  ShapeMotion<Real> motion_A, motion_B;
  // of the call
  SurfaceFeature<Real> feature_A, feature_B, clipped;
  ContactCandidates<Real> candidates;
  Simplex simplex, previous_simplex;
  Polytope polytope;
};

}  // namespace stiction
