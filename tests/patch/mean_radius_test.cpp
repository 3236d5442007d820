// Claims: the mean radius of a patch is that of the area in which its faces lie over one another, in closed form or by
// quadrature, wherever they lie and however the points of the manifold fall; elsewhere it is that of the points' hull.
#include "kernels/patch/mean_radius.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>
#include <vector>

#include "kernels/collision/narrow_phase.hpp"
#include "tests/patch/tolerances.hpp"

namespace stiction {
namespace {

using Eigen::Vector2d;
using test::tolerance::kRadius;
using test::tolerance::kRadiusShare;
using test::tolerance::kRadiusShareSingle;

Manifold<double> manifold_of(const std::vector<Vec3<double>>& points) {
  Manifold<double> manifold;
  for (const Vec3<double>& p : points) manifold.point[manifold.count++] = {p, p, {0.0, 0.0, 1.0}, 0.0};
  return manifold;
}

/// Of two shapes that show no faces: that of the points.
double radius_of(const std::vector<Vec3<double>>& points) {
  PlacedShape<double> ball{};
  ball.type = static_cast<int>(GeomType::kSphere);
  return mean_radius(ball, ball, manifold_of(points));
}

// of a square with side a: a (√2 + asinh 1)/6
TEST(MeanRadius, OfASquareIsKnown) {
  const double expected = 2.0 * (std::sqrt(2.0) + std::asinh(1.0)) / 6.0;
  const Vec3<double> a = {3.0, 1.0, 0.5}, b = {5.0, 1.0, 0.5}, c = {5.0, 3.0, 0.5}, d = {3.0, 3.0, 0.5};
  EXPECT_NEAR(radius_of({a, b, c, d}), expected, kRadius);
  EXPECT_NEAR(radius_of({a, c, b, d}), expected, kRadius);
  EXPECT_NEAR(radius_of({c, a, d, b}), expected, kRadius);
}

TEST(MeanRadius, OfASegmentIsAQuarterOfItsLength) {
  EXPECT_NEAR(radius_of({{0.0, 0.0, 0.0}, {0.3, 0.4, 0.0}}), 0.125, kRadius);
  EXPECT_NEAR(radius_of({{0.1, 0.0, 0.0}, {-0.2, 0.0, 0.0}, {0.2, 0.0, 0.0}}), 0.1, kRadius);
}

TEST(MeanRadius, OfAPointIsZero) { EXPECT_EQ(radius_of({{1.0, 2.0, 3.0}}), 0.0); }

TEST(MeanRadius, LeavesOutPointsInsideAndOnTheBorder) {
  const Vec3<double> a = {0.0, 0.0, 0.0}, b = {2.0, 0.0, 0.0}, c = {2.0, 2.0, 0.0}, d = {0.0, 2.0, 0.0};
  const double expected = radius_of({a, b, c, d});
  EXPECT_NEAR(radius_of({{1.0, 1.0, 0.0}, a, {1.0, 0.0, 0.0}, b, c, d}), expected, kRadius);
}

/// A convex area {x : it is inside of all disks and left of all lines}, and means over it by quadrature. The heights at
/// which its border has corners and ends part it; in each part y = middle − half (9 cos θ − cos 3 θ)/8, dy ~ sin³ θ dθ,
/// with the midpoint rule over θ, which has the fourth order. Simpson's rule goes over x, from end to end, on both
/// sides of `kink`.
struct Area {
  struct Disk {
    Vector2d centre;
    double radius;
  };
  struct Line {
    Vector2d from, to;
  };
  std::vector<Disk> disks;
  std::vector<Line> lines;

  void add_polygon(const std::vector<Vector2d>& corners) {
    for (std::size_t k = 0; k < corners.size(); ++k) lines.push_back({corners[k], corners[(k + 1) % corners.size()]});
  }

  /// The ends of the area at height y; the second is smaller where there is none.
  Vector2d ends_at(double y) const {
    Vector2d ends(-1e3, 1e3);
    for (const Disk& disk : disks) {
      const double up = y - disk.centre.y(), root = disk.radius * disk.radius - up * up;
      if (!(root > 0.0)) return {1.0, -1.0};
      ends.x() = std::max(ends.x(), disk.centre.x() - std::sqrt(root));
      ends.y() = std::min(ends.y(), disk.centre.x() + std::sqrt(root));
    }
    for (const Line& line : lines) {
      const Vector2d way = line.to - line.from;
      const double left = way.x() * (y - line.from.y()) + way.y() * line.from.x();  // left − way_y x >= 0
      if (way.y() > 0.0) ends.y() = std::min(ends.y(), left / way.y());
      if (way.y() < 0.0) ends.x() = std::max(ends.x(), left / way.y());
      if (way.y() == 0.0 && left < 0.0) return {1.0, -1.0};
    }
    return ends;
  }

  void add_crossings(const Line& line, std::vector<double>& heights) const {
    const Vector2d way = line.to - line.from;
    for (const Line& other : lines) {
      const Vector2d its = other.to - other.from, arm = other.from - line.from;
      const double across = way.x() * its.y() - way.y() * its.x();
      if (std::fabs(across) > 1e-12)
        heights.push_back(line.from.y() + (arm.x() * its.y() - arm.y() * its.x()) / across * way.y());
    }
    for (const Disk& disk : disks) {
      const Vector2d arm = line.from - disk.centre;
      const double a = way.squaredNorm(), b = way.dot(arm);
      const double root = b * b - a * (arm.squaredNorm() - disk.radius * disk.radius);
      for (const double sign : {-1.0, 1.0})
        if (root > 0.0) heights.push_back(line.from.y() + (-b + sign * std::sqrt(root)) / a * way.y());
    }
  }

  /// All heights at which borders end, turn back or cross, in order.
  std::vector<double> heights() const {
    std::vector<double> all;
    for (const Line& line : lines) add_crossings(line, all);
    for (const Disk& disk : disks) {
      all.push_back(disk.centre.y() - disk.radius), all.push_back(disk.centre.y() + disk.radius);
      for (const Disk& other : disks) {
        const Vector2d way = other.centre - disk.centre;
        const double apart = way.norm();
        if (!(apart > 0.0)) continue;
        const double along = 0.5 * (apart + (disk.radius * disk.radius - other.radius * other.radius) / apart);
        const double root = disk.radius * disk.radius - along * along;
        for (const double sign : {-1.0, 1.0})
          if (root > 0.0) all.push_back(disk.centre.y() + (along * way.y() + sign * std::sqrt(root) * way.x()) / apart);
      }
    }
    std::sort(all.begin(), all.end());
    return all;
  }

  /// The area and the integrals of `value` over it.
  struct Integrals {
    double area = 0.0;
    Eigen::Vector3d value = Eigen::Vector3d::Zero();
  };
  Integrals integrate(const Vector2d& kink, const std::function<Eigen::Vector3d(const Vector2d&)>& value) const {
    constexpr int kRows = 200, kColumns = 160;
    std::vector<double> cuts = heights();
    cuts.push_back(kink.y());
    std::sort(cuts.begin(), cuts.end());
    Integrals sums;
    for (std::size_t part = 0; part + 1 < cuts.size(); ++part)
      for (int i = 0; i < kRows; ++i) {
        const double half = 0.5 * (cuts[part + 1] - cuts[part]), angle = std::numbers::pi * (i + 0.5) / kRows;
        const double y = cuts[part] + half * (1.0 - (9.0 * std::cos(angle) - std::cos(3.0 * angle)) / 8.0);
        const double weight = half * 1.5 * std::pow(std::sin(angle), 3.0) * std::numbers::pi / kRows;
        const Vector2d ends = ends_at(y);
        if (!(ends.y() > ends.x())) continue;
        sums.area += weight * (ends.y() - ends.x());
        const double middle = std::clamp(kink.x(), ends.x(), ends.y());
        for (const Vector2d& side : {Vector2d(ends.x(), middle), Vector2d(middle, ends.y())})
          for (int k = 0; k <= kColumns; ++k) {
            const double share = (k == 0 || k == kColumns) ? 1.0 : (k % 2 == 1 ? 4.0 : 2.0);
            const double step = (side.y() - side.x()) / kColumns;
            sums.value += weight * share * step / 3.0 * value({side.x() + k * step, y});
          }
      }
    return sums;
  }

  double mean_radius() const {
    const Integrals first = integrate({0.0, 0.0}, [](const Vector2d& x) { return Eigen::Vector3d(x.x(), x.y(), 0.0); });
    const Vector2d c = first.value.head<2>() / first.area;
    return integrate(c, [&](const Vector2d& x) { return Eigen::Vector3d(0.0, 0.0, (x - c).norm()); }).value.z() /
           first.area;
  }

  /// The width of the area at its widest height.
  double width() const {
    double width = 0.0;
    for (int k = -200; k <= 200; ++k) {
      const Vector2d ends = ends_at(0.5 * k / 200.0);
      width = std::max(width, ends.y() - ends.x());
    }
    return width;
  }
};

/// A scene of two shapes whose common plane is z = 0 before all of it is moved by `place`.
template <class Real>
PlacedShape<Real> placed(GeomType type, const Eigen::Vector3d& size, const Vector2d& at, double height, double yaw,
                         const Eigen::Isometry3d& place) {
  const Eigen::Isometry3d pose =
      place * Eigen::Translation3d(at.x(), at.y(), height) * Eigen::AngleAxisd(yaw, Eigen::Vector3d::UnitZ());
  PlacedShape<Real> shape{};
  shape.type = static_cast<int>(type);
  shape.size = {Real(size.x()), Real(size.y()), Real(size.z())};
  shape.position = {Real(pose.translation().x()), Real(pose.translation().y()), Real(pose.translation().z())};
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) shape.rotation.m[3 * i + k] = Real(pose.linear()(i, k));
  return shape;
}

template <class Real>
Real radius_of(const PlacedShape<Real>& A, const PlacedShape<Real>& B) {
  CollisionScratch<Real> scratch;
  Manifold<Real> manifold;
  collide(A, B, Real(1e-3), scratch, manifold);
  EXPECT_GT(manifold.count, 2);
  return mean_radius(A, B, manifold);
}

std::vector<Vector2d> corners_of_box(const Eigen::Vector3d& size, const Vector2d& at, double yaw) {
  const Eigen::Rotation2Dd turned(yaw);
  return {at + turned * Vector2d(size.x(), size.y()), at + turned * Vector2d(-size.x(), size.y()),
          at + turned * Vector2d(-size.x(), -size.y()), at + turned * Vector2d(size.x(), -size.y())};
}

struct Chance {
  std::mt19937 engine{7};
  double operator()(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine); }
  Eigen::Isometry3d place() {
    const Eigen::Quaterniond q = Eigen::Quaterniond((*this)(-1, 1), (*this)(-1, 1), (*this)(-1, 1), (*this)(-1, 1));
    return Eigen::Translation3d((*this)(-1, 1), (*this)(-1, 1), (*this)(-1, 1)) * q.normalized();
  }
};

const Eigen::Vector3d kBox(0.2, 0.3, 0.1);

// 2/3 R: on a plane, on a box, on a disk that is as large or larger, and under one
TEST(MeanRadius, OfADiskIsTwoThirdsOfItsRadiusHoweverItIsTurned) {
  Chance chance;
  const Eigen::Vector3d can(0.05, 0.08, 0.0), drum(0.11, 0.1, 0.0);
  for (int round = 0; round < 200; ++round) {
    const Eigen::Isometry3d place = chance.place();
    const auto under = placed<double>(GeomType::kCylinder, drum, {0, 0}, -0.1, chance(-3, 3), place);
    const Vector2d at(chance(-0.04, 0.04), chance(-0.04, 0.04));
    const auto disk = placed<double>(GeomType::kCylinder, can, at, 0.08, chance(-3, 3), place);
    const auto same = placed<double>(GeomType::kCylinder, can, at, -0.08, chance(-3, 3), place);
    const auto box = placed<double>(GeomType::kBox, kBox, {0, 0}, -0.1, chance(-3, 3), place);
    const auto plane = placed<double>(GeomType::kPlane, {0, 0, 0}, {0, 0}, 0.0, 0.0, place);
    for (const auto& other : {under, same, box, plane}) {
      EXPECT_NEAR(radius_of(other, disk), 0.05 * 2.0 / 3.0, kRadiusShare * 0.05);
      if (other.type == static_cast<int>(GeomType::kPlane)) continue;
      EXPECT_NEAR(radius_of(disk, other), 0.05 * 2.0 / 3.0, kRadiusShare * 0.05);
    }
  }
}

TEST(MeanRadius, OfADiskInSinglePrecisionDoesNotTurnWithIt) {
  Chance chance;
  for (int round = 0; round < 200; ++round) {
    const Eigen::Isometry3d place = chance.place();
    const auto plane = placed<float>(GeomType::kPlane, {0, 0, 0}, {0, 0}, 0.0, 0.0, place);
    const auto disk = placed<float>(GeomType::kCylinder, {0.05, 0.08, 0}, {0, 0}, 0.08, chance(-3, 3), place);
    EXPECT_NEAR(radius_of(plane, disk), 0.05f * 2.0f / 3.0f, kRadiusShareSingle * 0.05);
  }
}

// half of a disk: its centroid is at 4 R/(3 π); and less or more of it
TEST(MeanRadius, OfADiskOverTheEdgeOfABoxIsThatOfTheSegment) {
  for (const double over : {-0.049, -0.03, 0.0, 0.02, 0.045, 0.0485}) {  // how far the centre is outside
    Area area;
    area.disks.push_back({{0.2 + over, 0.0}, 0.05});
    area.add_polygon(corners_of_box(kBox, {0, 0}, 0.0));
    const double expected = area.mean_radius();
    for (int turn = 0; turn < 12; ++turn) {
      const auto place = Eigen::Isometry3d::Identity();
      const auto box = placed<double>(GeomType::kBox, kBox, {0, 0}, -0.1, 0.0, place);
      const auto disk =
          placed<double>(GeomType::kCylinder, {0.05, 0.08, 0}, {0.2 + over, 0.0}, 0.08, 0.1 * turn, place);
      EXPECT_NEAR(radius_of(box, disk), expected, kRadiusShare * expected) << over;
    }
  }
}

TEST(MeanRadius, OfALensIsThatOfBothDisks) {
  Chance chance;
  for (int round = 0; round < 40; ++round) {
    const double R = chance(0.03, 0.1), r = chance(0.03, 0.1), apart = chance(0.05, 0.98) * (R + r);
    const Vector2d at = apart * Vector2d(std::cos(round), std::sin(round));
    Area area;
    area.disks = {{{0, 0}, R}, {at, r}};
    const double expected = area.mean_radius();
    const Eigen::Isometry3d place = chance.place();
    const auto under = placed<double>(GeomType::kCylinder, {R, 0.1, 0}, {0, 0}, -0.1, chance(-3, 3), place);
    const auto disk = placed<double>(GeomType::kCylinder, {r, 0.1, 0}, at, 0.1, chance(-3, 3), place);
    EXPECT_NEAR(radius_of(under, disk), expected, kRadiusShare * expected) << R << " " << r << " " << apart;
  }
}

TEST(MeanRadius, OfDisksAndBoxesOnBoxesIsThatOfTheirOverlap) {
  Chance chance;
  int areas = 0;
  for (int round = 0; round < 120; ++round) {
    const Eigen::Vector3d size(chance(0.02, 0.2), chance(0.02, 0.2), 0.1);
    const Vector2d at(chance(-0.3, 0.3), chance(-0.3, 0.3));
    const double yaw = chance(-3, 3);
    const bool round_one = round % 2 == 0;
    Area area;
    area.add_polygon(corners_of_box(kBox, {0, 0}, 0.0));
    if (round_one)
      area.disks.push_back({at, size.x()});
    else
      area.add_polygon(corners_of_box(size, at, yaw));
    if (area.width() < 0.005) continue;
    const Eigen::Isometry3d place = chance.place();
    const auto box = placed<double>(GeomType::kBox, kBox, {0, 0}, -0.1, 0.0, place);
    const auto other = round_one ? placed<double>(GeomType::kCylinder, {size.x(), 0.1, 0}, at, 0.1, yaw, place)
                                 : placed<double>(GeomType::kBox, size, at, 0.1, yaw, place);
    const double expected = area.mean_radius();
    EXPECT_NEAR(radius_of(box, other), expected, kRadiusShare * expected) << round;
    EXPECT_NEAR(radius_of(other, box), expected, kRadiusShare * expected) << round;
    ++areas;
  }
  EXPECT_GT(areas, 60);
}

// faces that share edges, corners or all of their border, and one that is only just off it
TEST(MeanRadius, OfFlushFacesCountsSharedEdgesOnce) {
  const auto place = Eigen::Isometry3d::Identity();
  const auto box = placed<double>(GeomType::kBox, kBox, {0, 0}, -0.1, 0.0, place);
  const auto rectangle = [](double a, double b) {
    Area area;
    area.add_polygon({{-a, -b}, {a, -b}, {a, b}, {-a, b}});
    return area.mean_radius();
  };
  for (const double off : {0.0, 1e-15, -1e-15, 1e-12, -1e-11, 1e-10, -3e-10, 1e-9}) {
    const auto same = placed<double>(GeomType::kBox, kBox, {off, off}, 0.1, off, place);
    EXPECT_NEAR(radius_of(box, same), rectangle(0.2, 0.3), kRadiusShare) << off;
    const auto half = placed<double>(GeomType::kBox, {0.1, 0.3, 0.1}, {0.1 + off, off}, 0.1, 0.0, place);
    EXPECT_NEAR(radius_of(box, half), rectangle(0.1, 0.3), kRadiusShare) << off;
    const auto wide = placed<double>(GeomType::kBox, {0.05, 0.3, 0.1}, {off, -off}, 0.1, 0.0, place);
    EXPECT_NEAR(radius_of(box, wide), rectangle(0.05, 0.3), kRadiusShare) << off;
  }
}

}  // namespace
}  // namespace stiction
