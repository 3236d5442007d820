// A convex polytope that grows by one vertex at a time, as triangles with neighbours.
//
// Adding w removes the faces that see it (found across edges from one of them, so they are connected) and closes the
// hole with a fan from the horizon, the loop of edges between seen and unseen faces. With points in degenerate position
// (four in a plane, three on a line: common for polyhedra), rounding would decide on which side of a face a point lies;
// each vertex is therefore displaced by a fixed tiny amount, which makes every such decision clear.
#pragma once

#include <cmath>

#include "kernels/collision/collision_scratch.hpp"
#include "kernels/collision/support.hpp"

namespace stiction {

enum class Growth { kGrown, kFull, kTangled };

/// The fixed displacement of vertex k, each coordinate within ±1.
ST_FN Vec3<double> displacement(int k) {
  std::uint32_t h = static_cast<std::uint32_t>(k + 1) * 2654435761u;
  Vec3<double> d;
  for (int i = 0; i < 3; ++i) {
    h ^= h >> 16, h *= 2246822519u, h ^= h >> 13;
    d[i] = double(h) * (2.0 / 4294967295.0) - 1.0;
  }
  return d;
}

ST_FN int add_vertex(const SupportPoint& point, double jitter, Polytope& poly) {
  const int k = poly.num_vertices++;
  poly.a[k] = point.a;
  poly.b[k] = point.b;
  poly.w[k] = point.w + jitter * displacement(k);
  return k;
}

ST_FN void set_face(int face, int i, int j, int k, Polytope& poly) {
  poly.vertex[face][0] = short(i), poly.vertex[face][1] = short(j), poly.vertex[face][2] = short(k);
  const Vec3<double> n = cross(poly.w[j] - poly.w[i], poly.w[k] - poly.w[i]);
  const double length = norm(n);
  poly.normal[face] = (length > 0.0 ? 1.0 / length : 0.0) * n;
  // a face without area supports nothing and must never be the nearest
  poly.offset[face] = length > 0.0 ? dot(poly.normal[face], poly.w[i]) : 1e300;
  poly.alive[face] = 1;
}

ST_FN void link(int face, int edge, int other, int other_edge, Polytope& poly) {
  poly.adjacent[face][edge] = short(other);
  poly.adjacent[other][other_edge] = short(face);
}

/// The first tetrahedron, from vertices 0 to 3.
ST_FN void start_polytope(Polytope& poly) {
  const Vec3<double> n = cross(poly.w[1] - poly.w[0], poly.w[2] - poly.w[0]);
  const bool above = dot(n, poly.w[3] - poly.w[0]) > 0.0;
  const int i = 0, j = above ? 2 : 1, k = above ? 1 : 2, l = 3;  // l lies behind (i, j, k)
  set_face(0, i, j, k, poly);
  set_face(1, i, l, j, poly);
  set_face(2, j, l, k, poly);
  set_face(3, k, l, i, poly);
  link(0, 0, 1, 2, poly), link(0, 1, 2, 2, poly), link(0, 2, 3, 2, poly);
  link(1, 1, 2, 0, poly), link(2, 1, 3, 0, poly), link(3, 1, 1, 0, poly);
  poly.num_faces = 4;
}

ST_FN int edge_towards(const Polytope& poly, int face, int neighbor) {
  for (int e = 0; e < 2; ++e)
    if (poly.adjacent[face][e] == neighbor) return e;
  return 2;
}

/// Marks the faces that see vertex k, from `seed` on, and lists their horizon in order. Returns its length.
ST_FN int find_horizon(int seed, int k, Polytope& poly, int& num_removed) {
  int horizon = 0, depth = 0;
  poly.alive[seed] = 0;
  poly.removed[0] = short(seed);
  num_removed = 1;
  for (int e = 2; e >= 0; --e) {
    const int next = poly.adjacent[seed][e];
    poly.stack_face[depth] = short(next), poly.stack_edge[depth++] = short(edge_towards(poly, next, seed));
  }
  while (depth > 0) {
    const int face = poly.stack_face[--depth], edge = poly.stack_edge[depth];
    if (!poly.alive[face]) continue;
    if (dot(poly.normal[face], poly.w[k]) <= poly.offset[face]) {
      if (horizon == kMaxPolytopeFaces) return horizon;
      poly.horizon_face[horizon] = short(face), poly.horizon_edge[horizon++] = short(edge);
      continue;
    }
    poly.alive[face] = 0;
    poly.removed[num_removed++] = short(face);
    for (int turn = 2; turn >= 1; --turn) {
      const int e = (edge + turn) % 3, next = poly.adjacent[face][e];
      poly.stack_face[depth] = short(next), poly.stack_edge[depth++] = short(edge_towards(poly, next, face));
    }
  }
  return horizon;
}

/// True if the horizon is one closed loop.
ST_FN bool is_loop(const Polytope& poly, int horizon) {
  for (int i = 0; i < horizon; ++i) {
    const int next = i + 1 < horizon ? i + 1 : 0;
    const short* here = poly.vertex[poly.horizon_face[i]];
    const short* there = poly.vertex[poly.horizon_face[next]];
    if (here[poly.horizon_edge[i]] != there[(poly.horizon_edge[next] + 1) % 3]) return false;
  }
  return true;
}

/// Expands the polytope to vertex k, which lies outside of face `seed`.
ST_FN Growth grow(int seed, int k, Polytope& poly) {
  int num_removed = 0;
  const int horizon = find_horizon(seed, k, poly, num_removed);
  // Euler: the border of a disc of num_removed faces has num_removed + 2 edges, less two for every vertex inside of it,
  // which disappears
  if (horizon > num_removed + 2 || (num_removed + 2 - horizon) % 2 != 0) return Growth::kTangled;
  if (!is_loop(poly, horizon)) return Growth::kTangled;
  if (poly.num_faces + horizon - num_removed > kMaxPolytopeFaces) return Growth::kFull;
  for (int i = num_removed; i < horizon; ++i) poly.removed[i] = short(poly.num_faces++);
  for (int i = 0; i < horizon; ++i) {
    const int outer = poly.horizon_face[i], edge = poly.horizon_edge[i], face = poly.removed[i];
    set_face(face, poly.vertex[outer][(edge + 1) % 3], poly.vertex[outer][edge], k, poly);
    link(face, 0, outer, edge, poly);
  }
  for (int i = 0; i < horizon; ++i) {
    const int next = poly.removed[i + 1 < horizon ? i + 1 : 0];
    link(poly.removed[i], 1, next, 2, poly);
  }
  return Growth::kGrown;
}

/// The face nearest to the origin.
ST_FN int nearest_face(const Polytope& poly) {
  int best = -1;
  for (int face = 0; face < poly.num_faces; ++face) {
    if (!poly.alive[face]) continue;
    if (best < 0 || poly.offset[face] < poly.offset[best]) best = face;
  }
  return best;
}

}  // namespace stiction
