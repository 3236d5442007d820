#include "host/reference/regions.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace stiction::reference {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double kSlack = 1e-7;      // of the gap, the height and the border of a region [m]
constexpr double kParallel = 1e-5;   // between normals of a region [rad]
constexpr double kOverlap = 1e-6;    // a pair that overlaps more keeps its points [m]
constexpr double kSameGap = 1e-9;    // gaps this close are equal [m]
constexpr double kLeastLean = 1e-3;  // share of a motion across the surface that counts [-]
constexpr std::size_t kMost = 8;     // corners that stay

/// A point of two bodies, in the coordinates of a plane.
struct Flat {
  int index;  // in the list of points
  Vector2d at;
  double gap, height;  // [m]
};

struct Points {
  const Model& model;
  const std::vector<ContactInput>& all;

  int pair(int i) const { return all[static_cast<std::size_t>(i)].pair; }
  int body(int i, int side) const { return model.geom_body[model.pair_geom[2 * pair(i) + side]]; }
  std::pair<int, int> bodies(int i) const { return std::minmax(body(i, 0), body(i, 1)); }
  double gap(int i) const { return contact_frame(model, all[static_cast<std::size_t>(i)]).gap; }
  Vector3d place(int i) const { return contact_frame(model, all[static_cast<std::size_t>(i)]).position; }
  /// From the body with the smaller id to the other.
  Vector3d normal(int i) const {
    const Vector3d& n = all[static_cast<std::size_t>(i)].normal;
    return body(i, 0) <= body(i, 1) ? n : Vector3d(-n);
  }
  bool of_piece(int i) const {
    const int* geom = &model.pair_geom[2 * static_cast<std::size_t>(pair(i))];
    return model.geom_piece[geom[0]] >= 0 || model.geom_piece[geom[1]] >= 0;
  }
  bool same_contact(int i, int j) const {
    return friction_of(model, pair(i)) == friction_of(model, pair(j)) &&
           model.pair_kinetic[pair(i)] == model.pair_kinetic[pair(j)] &&
           model.pair_margin[pair(i)] == model.pair_margin[pair(j)];
  }
};

/// Coordinates about a point of the plane. They are turned by one radian, so that no side of a box that stands straight
/// is upright, and points can be sorted along the first of them.
struct Chart {
  Vector3d origin, n, x, y;

  Chart(const Points& points, int at) : origin(points.place(at)), n(points.normal(at)) {
    const Vector3d side = n.unitOrthogonal();
    x = std::cos(1.0) * side + std::sin(1.0) * n.cross(side);
    y = n.cross(x);
  }
  Flat operator()(const Points& points, int i) const {
    const Vector3d way = points.place(i) - origin;
    return {i, {way.dot(x), way.dot(y)}, points.gap(i), way.dot(n)};
  }
};

/// Gap and height as linear functions of the place: by least squares, and level in directions that nothing shows.
struct Slope {
  Eigen::Matrix<double, 3, 2> coefficients;  // of 1, x, y for gap and height
  int corners;                               // what the points span: 1, a place; 2, a line; 3, an area

  explicit Slope(const std::vector<Flat>& own) {
    const auto count = static_cast<Eigen::Index>(own.size());
    Eigen::MatrixXd places(count, 2), values(count, 2);
    for (Eigen::Index i = 0; i < count; ++i) {
      const Flat& p = own[static_cast<std::size_t>(i)];
      places.row(i) = (p.at - own[0].at).transpose();
      values.row(i) << p.gap - own[0].gap, p.height - own[0].height;
    }
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver;
    solver.setThreshold(1e-6);
    solver.compute(places);
    corners = 1 + static_cast<int>(places.norm() > kSlack ? solver.rank() : 0);
    coefficients.setZero();
    if (corners > 1) coefficients.bottomRows<2>() = solver.solve(values);
    const Eigen::RowVector2d first(own[0].gap, own[0].height);
    coefficients.row(0) = first - own[0].at.transpose() * coefficients.bottomRows<2>();
  }
  bool holds(const Flat& p) const {
    const Eigen::RowVector2d expected = Eigen::RowVector3d(1.0, p.at.x(), p.at.y()) * coefficients;
    return std::abs(p.gap - expected[0]) <= kSlack && std::abs(p.height - expected[1]) <= kSlack;
  }
};

double cross(const Vector2d& a, const Vector2d& b) { return a.x() * b.y() - a.y() * b.x(); }

/// How far q is outside of the line from p to r, of a border that goes round counter-clockwise [m].
double outside(const Flat& p, const Flat& q, const Flat& r) {
  const Vector2d along = r.at - p.at;
  return along.norm() > 0.0 ? -cross(along, q.at - p.at) / along.norm() : 0.0;
}

/// The convex border, by Andrew's monotone chains; of points in one place the first.
std::vector<Flat> border_of(const std::vector<Flat>& members) {
  std::vector<Flat> places;
  for (const Flat& p : members)
    if (std::none_of(places.begin(), places.end(), [&](const Flat& q) { return (p.at - q.at).norm() <= kSlack; }))
      places.push_back(p);
  std::sort(places.begin(), places.end(), [](const Flat& a, const Flat& b) { return a.at.x() < b.at.x(); });
  if (places.size() < 3) return places;
  std::vector<Flat> border;
  for (int chain = 0; chain < 2; ++chain) {
    const std::size_t start = border.size();
    for (const Flat& p : places) {
      while (border.size() >= start + 2 && outside(border[border.size() - 2], border.back(), p) <= kSlack)
        border.pop_back();
      border.push_back(p);
    }
    border.pop_back();  // the other chain begins with it
    std::reverse(places.begin(), places.end());
  }
  return border;
}

/// The free motion of `body` against `other` as seen in the chart, and its centre of mass.
std::pair<Vector2d, Vector2d> lean_in(const Chart& chart, const Model& m, const Kinematics& k, const FreeVelocity& free,
                                      int body, int other) {
  if (m.body_last_dof[body] < 0) return {Vector2d::Zero(), Vector2d::Zero()};
  const Vector3d at = k.body[body].p;
  const auto velocity = [&](int b) -> Vector3d {
    return body_jacobian(m, k, b, at).topRows<3>() * free.dofs + scripted_twist(m, k, free.mocap, b, at).head<3>();
  };
  const Vector3d along = velocity(body) - velocity(other), from = k.com[body] - chart.origin;
  Vector2d across(along.dot(chart.x), along.dot(chart.y));
  if (!(across.norm() > kLeastLean * along.norm())) across.setZero();
  return {across.normalized(), {from.dot(chart.x), from.dot(chart.y)}};
}

/// Adds the corners over which a body that leans along u from its centre would tip.
void add_tipping(const std::vector<Flat>& border, const Vector2d& u, const Vector2d& from, std::set<int>& stays) {
  if (!(u.norm() > 0.5)) return;
  double ahead = 0.0;
  std::set<int> ends;
  for (std::size_t i = 0; i < border.size(); ++i) {
    const Flat &p = border[i], &q = border[(i + 1) % border.size()];
    const double side_p = cross(u, p.at - from), side_q = cross(u, q.at - from);
    if ((side_p > 0.0) == (side_q > 0.0)) continue;
    const double crossing = u.dot(p.at + side_p / (side_p - side_q) * (q.at - p.at) - from);
    if (crossing > ahead) ahead = crossing, ends = {p.index, q.index};
  }
  const auto less = [&](const Flat& a, const Flat& b) { return u.dot(a.at) < u.dot(b.at); };
  if (ends.empty()) ends = {std::max_element(border.begin(), border.end(), less)->index};
  stays.insert(ends.begin(), ends.end());
}

/// Takes the corner with the smallest triangle away, of those that need not stay.
void remove_smallest(const std::set<int>& stays, std::vector<Flat>& border) {
  std::size_t smallest = border.size();
  double least = 0.0;
  for (std::size_t i = 0; i < border.size(); ++i) {
    if (stays.count(border[i].index)) continue;
    const Flat &p = border[(i + border.size() - 1) % border.size()], &r = border[(i + 1) % border.size()];
    const double area = cross(border[i].at - p.at, r.at - p.at), tie = 1e-6 * least;
    const bool less = smallest == border.size() || area < least - tie;
    if (less || (area <= least + tie && border[i].index < border[smallest].index)) smallest = i, least = area;
  }
  border.erase(border.begin() + static_cast<std::ptrdiff_t>(smallest));
}

class Regions {
 public:
  Regions(const Model& model, const Kinematics& kinematics, const FreeVelocity& free,
          const std::vector<ContactInput>& all)
      : points_{model, all}, kinematics_(kinematics), free_(free) {}

  /// The points that are not dropped.
  std::vector<ContactInput> corners() {
    std::set<int> overlapping;
    const int count = static_cast<int>(points_.all.size());
    for (int i = 0; i < count; ++i)
      if (points_.gap(i) < -kOverlap) overlapping.insert(points_.pair(i));
    std::map<std::pair<int, int>, std::vector<int>> groups;
    for (int i = 0; i < count; ++i)
      if (points_.of_piece(i) && !overlapping.count(points_.pair(i))) groups[points_.bodies(i)].push_back(i);
    for (auto& [bodies, group] : groups) merge(group);
    std::vector<ContactInput> kept;
    for (int i = 0; i < count; ++i)
      if (!dropped_.count(i)) kept.push_back(points_.all[static_cast<std::size_t>(i)]);
    return kept;
  }

 private:
  /// The region that begins with point `first`, which is taken out of the group; empty unless its pair's points span
  /// `corners` corners.
  std::vector<Flat> take_region(int first, int corners, std::vector<int>& group) const {
    const Chart chart(points_, first);
    std::vector<Flat> own, members;
    for (const int i : group)
      if (points_.pair(i) == points_.pair(first)) own.push_back(chart(points_, i));
    const Slope slope(own);
    if (slope.corners != corners) return {};
    std::erase_if(group, [&](int i) {
      const bool parallel =
          points_.normal(i).dot(chart.n) > 0.0 && points_.normal(i).cross(chart.n).norm() <= kParallel;
      const Flat p = chart(points_, i);
      const bool joins = i == first || (points_.same_contact(i, first) && parallel && slope.holds(p));
      if (joins) members.push_back(p);
      return joins;
    });
    return members;
  }

  void merge(std::vector<int>& group) {
    for (int corners = 3; corners > 0; --corners) {
      for (std::size_t k = 0; k < group.size();) {
        const std::vector<Flat> members = take_region(group[k], corners, group);
        if (members.empty())
          ++k;
        else
          decide(members), k = 0;
      }
    }
  }

  void decide(const std::vector<Flat>& members) {
    std::set<int> pairs, stays;
    for (const Flat& p : members) pairs.insert(points_.pair(p.index));
    if (pairs.size() < 2) return;
    std::vector<Flat> border = border_of(members);
    if (border.size() > kMost) stays = needed(members[0].index, border);
    while (border.size() > kMost) remove_smallest(stays, border);
    for (const Flat& p : members)
      if (std::none_of(border.begin(), border.end(), [&](const Flat& q) { return q.index == p.index; }))
        dropped_.insert(p.index);
  }

  /// The deepest corner, and those over which the bodies would tip.
  std::set<int> needed(int first, const std::vector<Flat>& border) const {
    const Chart chart(points_, first);
    double least = border[0].gap;
    for (const Flat& p : border) least = std::min(least, p.gap);
    int deepest = -1;
    std::vector<Flat> placed;
    for (const Flat& p : border) {
      if (p.gap <= least + kSameGap && (deepest < 0 || p.index < deepest)) deepest = p.index;
      placed.push_back(chart(points_, p.index));
    }
    std::set<int> stays = {deepest};
    const int a = points_.body(first, 0), b = points_.body(first, 1);
    for (const auto& [body, other] : {std::pair(a, b), std::pair(b, a)}) {
      const auto [u, from] = lean_in(chart, points_.model, kinematics_, free_, body, other);
      add_tipping(placed, u, from, stays);
    }
    return stays;
  }

  Points points_;
  const Kinematics& kinematics_;
  const FreeVelocity& free_;
  std::set<int> dropped_;
};

}  // namespace

std::vector<ContactInput> keep_corners(const Model& model, const Kinematics& kinematics, const FreeVelocity& free,
                                       const std::vector<ContactInput>& points) {
  return Regions(model, kinematics, free, points).corners();
}

}  // namespace stiction::reference
