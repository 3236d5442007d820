#include <algorithm>
#include <cmath>
#include <limits>

#include "host/reference/patch_candidates.hpp"
#include "host/reference/patch_edges.hpp"

namespace stiction::reference {
namespace {

using Eigen::Vector3d;
using Kind = PatchFeatureKind;
using Limits = patch_detail::PatchLimits;
using patch_detail::can_support;

// points of a rim that are looked at; between two of them lie at most half as many radians as this many fill a circle
constexpr int kRimPoints = 64;

PatchPose<double> pose_of(const PatchBody& body) { return {body.rotation.toRotationMatrix(), body.position}; }

struct Segment {
  Vector3d start, along;
};

Segment edge_in_world(const PatchBody& body, int edge) {
  const auto [i, j] = body.shape.edges[edge];
  return {body.position + body.rotation * body.shape.corners.col(i),
          body.rotation * (body.shape.corners.col(j) - body.shape.corners.col(i))};
}

Segment axis_in_world(const PatchBody& body) {
  const Vector3d along = body.rotation * Vector3d(0.0, 0.0, body.shape.length);
  return {body.position - 0.5 * along, along};
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

double sine_between(const Vector3d& x, const Vector3d& y) { return x.normalized().cross(y.normalized()).norm(); }

/// How far the normal of directions at this angle to each other turns while one of them turns: asin(sin θ/sin α) + θ.
double turn_of_normal(double sine, double turn) {
  const double share = std::sin(turn) / sine;
  return share < 1.0 ? std::asin(share) + turn : M_PI;
}

bool can_cross(const PatchProblem& problem, int i, int j, double side, const Limits& limits) {
  const Segment F = edge_in_world(problem.F, i), G = edge_in_world(problem.G, j);
  if (distance_between(F, G) > limits.reach) return false;
  const double turn = turn_of_normal(sine_between(F.along, G.along), limits.turn);
  const Vector3d n = side * F.along.cross(G.along).normalized();
  return can_support(problem.F, problem.F.shape.edges[i][0], n, turn) &&
         can_support(problem.G, problem.G.shape.edges[j][0], -n, turn);
}

/// Normals that both edges allow, as an angle about G's from the middle of its own, if a turn can make them parallel.
void list_along_edge(const PatchProblem& problem, int i, int j, const Limits& limits,
                     std::vector<PatchCandidate>& candidates) {
  const PatchBody &F = problem.F, &G = problem.G;
  const Segment on_F = edge_in_world(F, i), on_G = edge_in_world(G, j);
  if (distance_between(on_F, on_G) > limits.reach) return;
  if (sine_between(on_F.along, on_G.along) > std::sin(limits.turn)) return;
  const auto of_F = patch_detail::edge_normals(F.shape, i), of_G = patch_detail::edge_normals(G.shape, j);
  const Vector3d along = on_G.along.normalized(), middle = G.rotation * of_G.middle,
                 other = -(F.rotation * of_F.middle);
  const double angle = std::atan2(along.cross(middle).dot(other), middle.dot(other));
  const double low = std::max(-of_G.width, angle - of_F.width), high = std::min(of_G.width, angle + of_F.width);
  if (high - low < -2.0 * limits.turn) return;
  candidates.push_back({{Kind::kEdgeAlongEdge, 1, i, j}, {Vector3d(0.0, 0.5 * (low + high), 0.0)}});
}

void list_edges(const PatchProblem& problem, const Limits& limits, std::vector<PatchCandidate>& candidates) {
  const int of_F = problem.F.shape.edges.size(), of_G = problem.G.shape.edges.size();
  for (int i = 0; i < of_F; ++i)
    for (int j = 0; j < of_G; ++j)
      for (double side : {1.0, -1.0})
        if (can_cross(problem, i, j, side, limits)) candidates.push_back({{Kind::kEdgeOnEdge, 1, i, j, side}});
  for (int i = 0; i < of_F; ++i)
    for (int j = 0; j < of_G; ++j) list_along_edge(problem, i, j, limits, candidates);
}

/// A polytope and a cylinder, and which of them has the faces, mantle or edges that the other touches.
struct RoundPair {
  const PatchBody &body, &cylinder;
  int body_index, cylinder_index;
};

/// A corner of the polytope in the axes of the cylinder.
Vector3d corner_at_cylinder(const RoundPair& pair, int corner) {
  const Vector3d x = pair.body.position + pair.body.rotation * pair.body.shape.corners.col(corner);
  return pair.cylinder.rotation.conjugate() * (x - pair.cylinder.position);
}

/// On the mantle or its continuation beyond the rims. The direction from the axis turns by at most asin(reach/r) while
/// the corner moves by `reach` to the distance r.
bool can_lie_on_mantle(const RoundPair& pair, int corner, const Limits& limits) {
  const PatchShape& shape = pair.cylinder.shape;
  const Vector3d local = corner_at_cylinder(pair, corner);
  const double distance = local.head<2>().norm();
  if (std::abs(distance - shape.radius) > limits.reach) return false;
  if (limits.reach >= shape.radius) return true;
  const Vector3d out = pair.cylinder.rotation * Vector3d(local.x(), local.y(), 0.0) / distance;
  return can_support(pair.body, corner, out, limits.turn + std::asin(limits.reach / shape.radius));
}

bool can_cross_mantle(const RoundPair& pair, int edge, double side, const Limits& limits) {
  const Segment line = edge_in_world(pair.body, edge), axis = axis_in_world(pair.cylinder);
  const double distance = distance_between(line, axis);
  if (std::abs(distance - pair.cylinder.shape.radius) > limits.reach) return false;
  const double turn = turn_of_normal(sine_between(line.along, axis.along), limits.turn);
  const Vector3d n = side * line.along.cross(axis.along).normalized();
  return can_support(pair.body, pair.body.shape.edges[edge][0], n, turn);
}

void list_on_mantle(const RoundPair& pair, const Limits& limits, std::vector<PatchCandidate>& candidates) {
  const PatchShape& shape = pair.body.shape;
  const int at = pair.cylinder_index;
  const double end = pair.cylinder.shape.length / 2 + limits.reach;
  for (int k = 0; k < shape.corners.cols(); ++k)
    if (std::abs(corner_at_cylinder(pair, k).z()) <= end && can_lie_on_mantle(pair, k, limits))
      candidates.push_back({{Kind::kCornerOnMantle, at, k}});
  for (int k = 0; k < static_cast<int>(shape.edges.size()); ++k) {
    for (double side : {1.0, -1.0})
      if (can_cross_mantle(pair, k, side, limits)) candidates.push_back({{Kind::kEdgeAcrossMantle, at, k, 0, side}});
    const auto [i, j] = shape.edges[k];
    const double sine = sine_between(edge_in_world(pair.body, k).along, axis_in_world(pair.cylinder).along);
    if (sine <= std::sin(limits.turn) && can_lie_on_mantle(pair, i, limits) && can_lie_on_mantle(pair, j, limits))
      candidates.push_back({{Kind::kEdgeAlongMantle, at, k}});
  }
}

/// How far the point of the rim is from the edge, if the two can come to touch between it and its neighbours.
double distance_of_rim(const RoundPair& pair, const PatchFeature& feature, double s, const Limits& limits) {
  const double none = std::numeric_limits<double>::infinity(), space = M_PI / kRimPoints;
  const PatchShape& cylinder = pair.cylinder.shape;
  const PatchPose<double> pose = pose_of(pair.cylinder);
  const Segment edge = edge_in_world(pair.body, feature.face);
  const auto rim = patch_detail::rim_line<double>(cylinder, feature.part, pose, s);
  const double distance = distance_to(edge, rim.start), sine = sine_between(rim.along, edge.along);
  if (distance > limits.reach + space * cylinder.radius) return none;
  const double turn = turn_of_normal(sine, std::min(limits.turn + space, M_PI / 2));
  if (turn >= M_PI / 2) return distance;
  const Vector3d n = feature.side * rim.along.cross(edge.along).normalized();
  const Vector3d end = (feature.part == 0 ? -1.0 : 1.0) * pose.rotation.col(2), middle = pose.position;
  const Vector3d out = patch_detail::from_axis<double>({middle, pose.rotation.col(2)}, rim.start).normalized();
  const bool lowest = std::max(n.dot(end), n.dot(out)) <= std::sin(turn);
  return lowest && can_support(pair.body, pair.body.shape.edges[feature.face][0], -n, turn) ? distance : none;
}

/// Starts where the rim is nearer to the edge than at the neighbours.
void list_rim_on_edge(const RoundPair& pair, const PatchFeature& feature, const Limits& limits,
                      std::vector<PatchCandidate>& candidates) {
  const double step = 2 * M_PI / kRimPoints * pair.cylinder.shape.radius;
  std::vector<double> distance(kRimPoints);
  for (int k = 0; k < kRimPoints; ++k) distance[k] = distance_of_rim(pair, feature, k * step, limits);
  PatchCandidate candidate{feature, {}};
  for (int k = 0; k < kRimPoints; ++k) {
    const double before = distance[(k + kRimPoints - 1) % kRimPoints], after = distance[(k + 1) % kRimPoints];
    if (std::isfinite(distance[k]) && distance[k] <= std::min(before, after))
      candidate.starts.emplace_back(k * step, 0.0, 0.0);
  }
  if (!candidate.starts.empty()) candidates.push_back(candidate);
}

void list_rims(const RoundPair& pair, const Limits& limits, std::vector<PatchCandidate>& candidates) {
  for (int end : {0, 1})
    for (int edge = 0; edge < static_cast<int>(pair.body.shape.edges.size()); ++edge)
      for (double side : {1.0, -1.0})
        list_rim_on_edge(pair, {Kind::kRimOnEdge, pair.body_index, end, edge, side}, limits, candidates);
}

}  // namespace

void patch_detail::list_on_edges(const PatchProblem& problem, const PatchLimits& limits,
                                 std::vector<PatchCandidate>& candidates) {
  const bool F_round = problem.F.shape.is_cylinder();
  if (!F_round && !problem.G.shape.is_cylinder()) return list_edges(problem, limits, candidates);
  const RoundPair pair = F_round ? RoundPair{problem.G, problem.F, 1, 0} : RoundPair{problem.F, problem.G, 0, 1};
  list_on_mantle(pair, limits, candidates);
  list_rims(pair, limits, candidates);
}

}  // namespace stiction::reference
