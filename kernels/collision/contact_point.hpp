// Arguments and result of the narrow phase: two placed shapes, and up to eight contact points of the pair.
//
//   gap = n·(p_B − p_A), n from A to B, both witnesses on the surfaces; negative in penetration.
#pragma once

#include "kernels/linalg/vec3.hpp"
#include "kernels/model/traits.hpp"

namespace stiction {

constexpr int kMaxManifold = 8;  // most points of a pair with a round or many-sided foot (ADR 0304)
constexpr int kFewPoints = 4;    // most points of a pair of boxes, capsules and planes

/// The number of points that a pair of these types may have.
ST_FN int most_points(GeomType A, GeomType B) { return is_foot(A) || is_foot(B) ? kMaxManifold : kFewPoints; }

/// The path on which a body would move if no contact held it. Where this path crosses the border of the body's foot,
/// the body tips over.
template <class Real>
struct Lean {
  Vec3<Real> from;   // the body's centre of mass [m]
  Vec3<Real> along;  // its velocity without contact, relative to the other body there; zero: no lean [m/s]
};

/// Points of a pair that carried in the last round of a step, where the shape's body has taken them. The new manifold
/// has points at or next to them (kernels/step/end_rounds.hpp).
template <class Real>
struct KeptPoints {
  int most;                        // the new manifold has at most this many points
  int count = 0;                   //
  Vec3<Real> point[kMaxManifold];  // the one that carried most first [m]
  unsigned crossings = 0;          // bit i: point i of a cylinder is on an edge or a round side of the other shape
  bool on_rim = false;             // a cap stands on its rim: the manifold has a point of it at rim_angle
  Real rim_angle;                  // about the cylinder's axis [rad]
  Real rim_half = Real(0);         // the round has points at rim_angle ± rim_half, too [rad]
  Real rim_tie;                    // gaps of its points that are closer than this are equal [m]
};

/// A convex shape placed in the world, as the narrow phase sees it.
template <class Real>
struct PlacedShape {
  int type;             // GeomType
  Vec3<Real> size;      // MuJoCo's meaning per type [m]
  Vec3<Real> position;  // p_WG [m]
  Mat3<Real> rotation;  // R_WG
  Lean<Real> lean;      // lean of its body, or of the other body if only that one can move
  // mesh hulls only (see kernels/model/model_fields.inc); vertex ids count from the mesh's first vertex
  int num_vertices;
  const Real* vertices;     // (num_vertices, 3) [m]
  const int* neighbor_adr;  // (num_vertices), into `neighbors`
  const int* neighbor_num;  // (num_vertices)
  const int* neighbors;     // vertex ids
  int num_faces;
  const Real* face_normals;  // (num_faces, 3)
  const int* face_vert_adr;  // (num_faces), into `face_verts`
  const int* face_vert_num;  // (num_faces)
  const int* face_verts;     // vertex ids, counter-clockwise from outside
  const int* facing;         // which faces face a direction, see facing_table.hpp
};

/// A shape whose new manifold has points where an earlier one carried.
template <class Real>
struct KeptShape : PlacedShape<Real> {
  KeptPoints<Real> kept;
};

/// The points that a shape keeps; null: it is one without. The type of the shape decides, so that code for one kind
/// holds nothing of the other's.
template <class Real>
ST_FN const KeptPoints<Real>* kept_of(const PlacedShape<Real>&) {
  return nullptr;
}
template <class Real>
ST_FN const KeptPoints<Real>* kept_of(const KeptShape<Real>& shape) {
  return &shape.kept;
}

/// One contact point. Its index in the manifold is the `point` of the slot key (pair, point).
template <class Real>
struct ContactPoint {
  Vec3<Real> p_A, p_B;  // witness points in the world [m]
  Vec3<Real> normal;    // unit, from A to B
  Real gap;             // signed distance along the normal [m]
};

template <class Real>
struct Manifold {
  int count = 0;                           // 0: the shapes are farther apart than max_gap
  unsigned dropped = 0;                    // bit i: point i is no contact; bit kMaxManifold + i: yet it is a corner
                                           // (regions.hpp)
  ContactPoint<Real> point[kMaxManifold];  // point[0] is the closest pair (signed distance and its witnesses)
};

}  // namespace stiction
