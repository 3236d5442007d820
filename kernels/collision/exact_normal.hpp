// The normal of a closest pair to rounding, where GJK and the expanding polytope have found it to 1e-5 ... 1e-7 rad.
//
//   s(n) = h_A(n) + h_B(−n) + r_A + r_B,   h the support functions of the two features that touch;   gap = −s(n*)
//   n* = argmin { s(n) : |n| = 1, n ⟂ every line among the features }
//   gradient x_A(n) − x_B(−n) =: w across n,   Hessian ∇²h_A + ∇²h_B − (n·w) I across n
//
// In the directions of normals the problem stays well-posed where the gap is 0, unlike that of the closest points: the
// Hessian is the sum of the radii of curvature and of the gap. Features are near_features.hpp's. Two lines fix n by
// themselves, a face too; else Newton's method finds it on a circle or on the sphere. All pairs of features near the
// approximate normal are tried. A pair of features stands if the solution lies on both of them and no other point of
// the shapes is higher along n*; of several that stand, the one with the least s.
//
// Not refined: two polytopes (their normals are exact already); points and rims that meet points, and points that meet
// edges, both without a radius, at a gap of nearly 0 (their Hessian is the gap: no normal is distinguished); tangents
// that are parallel where both features have no radius.
#pragma once

#include "kernels/collision/near_features.hpp"
#include "kernels/collision/penetration.hpp"

namespace stiction {

/// A refined normal is this close to the approximate one [-].
constexpr double kMostRefined = 1e-3;
/// The refined depth exceeds the approximate one by less than this share of the size of A − B [-].
constexpr double kWorseShare = 1e-9;
/// Lines with a smaller sine of their angle are parallel: they have no perpendicular of their own [-].
constexpr double kParallelSine = 1e-9;
/// Least eigenvalue of a Hessian, as a share of the size of A − B: n* has an error of 1e-16 over it [-].
constexpr double kLeastHessian = 1e-5;
/// How far past the end of a feature a solution may lie, as a share of the size of A − B [-].
constexpr double kPastEnd = 1e-11;

/// The shapes may be higher than their features along n* by this share of the size of A − B: some hundred roundings.
template <class Real>
ST_FN constexpr double height_share() {
  return 1e3 * double(rounding<Real>());
}

template <class Real>
struct Refinement {
  ConvexCore<Real> A, B;
  double size;        // largest extent of A − B [m]
  ClosestPair start;  // approximate
  ClosestPair best;   // of the features that stand
  double least;       // s of `best`, before there is one the largest s allowed [m]
  bool found;
};

/// The unit vector perpendicular to the unit vectors a and b, to rounding also if these are nearly parallel, on the
/// side of `towards`.
ST_FN Vec3<double> square_to_lines(const Vec3<double>& a, const Vec3<double>& b, const Vec3<double>& towards) {
  const Vec3<double> across = b - dot(a, b) * a;
  Vec3<double> n = unit_vector(cross(a, b));
  if (dot(n, towards) < 0.0) n = -n;
  for (int i = 0; i < 2; ++i) {
    n -= dot(n, a) * a;
    n -= (dot(n, b) / norm_squared(across)) * across;
    n = unit_vector(n);
  }
  return n;
}

/// One step of Newton's method for n on the sphere, or on the circle perpendicular to `e` if that is not zero. Returns
/// its length [rad], or −1 if the problem has no isolated solution there.
ST_FN double newton_step(const NearFeature& F, const NearFeature& G, const Vec3<double>& e, double least_hessian,
                         Vec3<double>& n) {
  const bool on_circle = norm_squared(e) > 0.0;
  const Vec3<double> u = on_circle ? unit_vector(cross(e, n)) : unit_across(n), v = cross(n, u);
  const Vec3<double> w = highest_point(F, n) - highest_point(G, -n);
  const auto hessian = [&](const Vec3<double>& a, const Vec3<double>& b) {
    return curvature_radius(F, n, a, b) + curvature_radius(G, n, a, b) - dot(n, w) * dot(a, b);
  };
  const double uu = hessian(u, u), gu = dot(u, w);
  Vec3<double> step = {0.0, 0.0, 0.0};
  if (on_circle) {
    if (!(uu > least_hessian)) return -1.0;
    step = (-gu / uu) * u;
  } else {
    const double vv = hessian(v, v), uv = hessian(u, v), gv = dot(v, w), det = uu * vv - uv * uv;
    if (!(uu + vv > 0.0 && det > least_hessian * (uu + vv))) return -1.0;
    step = ((uv * gv - vv * gu) / det) * u + ((uv * gu - uu * gv) / det) * v;
  }
  n = unit_vector(n + step);
  if (on_circle) n = unit_vector(n - dot(n, e) * e);
  return norm(step);
}

/// Finds n* of two features; false if it is not isolated or far from `n`.
ST_PHASE bool find_exact_normal(const NearFeature& F, const NearFeature& G, double size, Vec3<double>& n) {
  constexpr int kMaxSteps = 12;
  const bool line_F = F.kind == NearKind::kLine, line_G = G.kind == NearKind::kLine;
  if (F.kind == NearKind::kFace || G.kind == NearKind::kFace) {
    n = F.kind == NearKind::kFace ? F.axis : -G.axis;
    return true;
  }
  if (line_F && line_G && norm(cross(F.axis, G.axis)) > kParallelSine) {
    n = square_to_lines(F.axis, G.axis, n);
    return true;
  }
  Vec3<double> e = {0.0, 0.0, 0.0};
  if (line_F || line_G) {
    e = line_F ? F.axis : G.axis;
    n = unit_vector(n - dot(n, e) * e);
  }
  double before = kMostRefined;
  for (int i = 0; i < kMaxSteps; ++i) {
    const double step = newton_step(F, G, e, kLeastHessian * size, n);
    if (!(step >= 0.0 && step < 10.0 * kMostRefined)) return false;
    if (step < 1e-15 || (step < 1e-12 && step >= 0.5 * before)) return true;  // rounding
    before = step;
  }
  return before < 1e-11;
}

/// Moves x along the line so that it is level with y; false if that is past an end.
ST_FN bool slide_on_line(const NearFeature& line, const Vec3<double>& y, double past, Vec3<double>& x) {
  const double t = dot(line.axis, y - line.p);
  x = line.p + t * line.axis;
  return std::fabs(t) <= line.reach + past;
}

/// Where two lines come closest; on parallel ones, the middle of the stretch that they share.
ST_FN bool meet_on_lines(const NearFeature& F, const NearFeature& G, double past, Vec3<double>& x, Vec3<double>& y) {
  const Vec3<double> d = G.p - F.p, c = cross(F.axis, G.axis);
  const double sine_squared = norm_squared(c);
  double t = 0.0;
  if (sine_squared > kParallelSine * kParallelSine) {
    t = dot(cross(d, G.axis), c) / sine_squared;
    past += 1e-4 * past / sine_squared;  // rounding of t
    if (std::fabs(t) > F.reach + past) return false;
  } else {
    const double middle = dot(F.axis, d), low = larger(-F.reach, middle - G.reach);
    const double high = smaller(F.reach, middle + G.reach);
    if (low > high + past) return false;
    t = 0.5 * (low + high);
  }
  x = F.p + t * F.axis;
  return slide_on_line(G, x, past, y);
}

/// True if the point, which is in the plane of one of the shape's faces, is not outside of the face by more than
/// `past`.
template <class Real>
ST_FN bool is_on_face(const ConvexCore<Real>& core, const Vec3<double>& point, double past) {
  const Vec3<double> p = transpose_mul(core.rotation, point - core.position);
  if (core.type == GeomType::kCylinder) return std::sqrt(p.x * p.x + p.y * p.y) <= core.size.x + past;
  if (core.type == GeomType::kBox)
    return std::fabs(p.x) <= core.size.x + past && std::fabs(p.y) <= core.size.y + past &&
           std::fabs(p.z) <= core.size.z + past;
  const PlacedShape<Real>& hull = *core.shape;
  for (int face = 0; face < hull.num_faces; ++face) {
    const Vec3<double> corner = widened(load3(hull.vertices + 3 * hull.face_verts[hull.face_vert_adr[face]]));
    if (dot(widened(load3(hull.face_normals + 3 * face)), p - corner) > past) return false;
  }
  return true;
}

ST_FN bool is_flat(const NearFeature& feature) {
  return feature.kind == NearKind::kLine || feature.kind == NearKind::kFace;
}

/// Witnesses and gap along the normal of `pair` where one feature is a face. Those of a line or a face on it stay where
/// the approximate ones are.
template <class Real>
ST_FN bool place_on_face(const NearFeature& F, const NearFeature& G, const Refinement<Real>& refinement,
                         ClosestPair& pair) {
  const Vec3<double> n = pair.normal, x = highest_point(F, n) + F.radius * n, y = highest_point(G, -n) - G.radius * n;
  const double past = kPastEnd * refinement.size;
  pair.gap = dot(n, y - x);
  if (F.kind == NearKind::kFace) {
    pair.p_B = is_flat(G) ? pair.p_B + dot(n, y - pair.p_B) * n : y;
    pair.p_A = pair.p_B - pair.gap * n;
    return is_flat(G) || is_on_face(refinement.A, pair.p_A, past);
  }
  pair.p_A = is_flat(F) ? pair.p_A + dot(n, x - pair.p_A) * n : x;
  pair.p_B = pair.p_A + pair.gap * n;
  return is_flat(F) || is_on_face(refinement.B, pair.p_B, past);
}

/// Witnesses and gap along the normal of `pair`; false if they are not on the features.
template <class Real>
ST_FN bool place_on_features(const NearFeature& F, const NearFeature& G, const Refinement<Real>& refinement,
                             ClosestPair& pair) {
  if (F.kind == NearKind::kFace || G.kind == NearKind::kFace) return place_on_face(F, G, refinement, pair);
  const Vec3<double> n = pair.normal;
  const double past = kPastEnd * refinement.size;
  Vec3<double> x = highest_point(F, n), y = highest_point(G, -n);
  const bool line_F = F.kind == NearKind::kLine, line_G = G.kind == NearKind::kLine;
  if (line_F && line_G) {
    if (!meet_on_lines(F, G, past, x, y)) return false;
  } else if (line_F) {
    if (!slide_on_line(F, y, past, x)) return false;
  } else if (line_G) {
    if (!slide_on_line(G, x, past, y)) return false;
  }
  pair.p_A = x + F.radius * n;
  pair.p_B = y - G.radius * n;
  pair.gap = dot(n, pair.p_B - pair.p_A);
  return true;
}

/// s(n) of the shapes themselves [m].
template <class Real>
ST_FN double depth_along(const Vec3<double>& n, Refinement<Real>& refinement) {
  ConvexCore<Real>&A = refinement.A, &B = refinement.B;
  return dot(n, support_difference(A, B, n).w) + A.radius + B.radius;
}

/// Keeps the pair of these two features if it stands and is the best.
template <class Real>
ST_PHASE void try_features(const NearFeature& F, const NearFeature& G, Refinement<Real>& refinement) {
  ClosestPair pair = refinement.start;
  if (!find_exact_normal(F, G, refinement.size, pair.normal)) return;
  if (!(norm(pair.normal - refinement.start.normal) < kMostRefined)) return;
  if (!place_on_features(F, G, refinement, pair)) return;
  const double depth = depth_along(pair.normal, refinement);
  if (!(std::fabs(depth + pair.gap) <= height_share<Real>() * refinement.size && depth < refinement.least)) return;
  refinement.least = depth;
  refinement.best = pair;
  refinement.found = true;
}

/// Tries a feature of A with every one of B.
template <class Real>
ST_PHASE void try_with_features_of_B(const NearFeature& F, Refinement<Real>& refinement) {
  visit_near_features(refinement.B, -refinement.start.normal,
                      [&](const NearFeature& G) { try_features(F, G, refinement); });
}

template <class Real>
ST_FN bool is_polytope(const ConvexCore<Real>& core) {
  return core.type == GeomType::kBox || core.type == GeomType::kMesh;
}

/// Refines the closest pair of A and B to rounding, if the features that touch are among those above; otherwise returns
/// false and leaves it. The points are relative to A's position.
template <class Real>
ST_APART bool refine_pair(const PlacedShape<Real>& A, const PlacedShape<Real>& B, ClosestPair& pair) {
  Refinement<Real> refinement = {make_core(A, A.position), make_core(B, A.position), 0.0, pair, pair, 0.0, false};
  if (is_polytope(refinement.A) && is_polytope(refinement.B)) return false;
  for (int i = 0; i < 3; ++i) {
    Vec3<double> axis = {0.0, 0.0, 0.0};
    axis[i] = 1.0;
    refinement.size = larger(refinement.size, depth_along(axis, refinement) + depth_along(-axis, refinement));
  }
  refinement.least = depth_along(pair.normal, refinement) + kWorseShare * refinement.size;
  visit_near_features(refinement.A, pair.normal, [&](const NearFeature& F) { try_with_features_of_B(F, refinement); });
  if (refinement.found) pair = refinement.best;
  return refinement.found;
}

}  // namespace stiction
