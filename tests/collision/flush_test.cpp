// Flush, nearly flush, mirrored and grid-aligned poses of every pair of shapes make contacts from nothing nowhere, and
// lose none of the area that the shapes share. ST_FULL=1 tries a million poses a pair and precision.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "kernels/collision/narrow_phase.hpp"
#include "tests/collision/certificate.hpp"
#include "tests/collision/flush_poses.hpp"
#include "tests/collision/overlap.hpp"

namespace stiction::test {
namespace {

constexpr double kMaxGap = 0.02;  // above every gap between sides that face each other, at the largest noise [m]
constexpr double kNoises[] = {0, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3};  // [m], [rad]

struct Tolerance {
  double roundings = 16;         // of a coordinate of 1 m, on top of the slack of the clipping
  double distance_share = 1e-5;  // depth of curved shapes above the least [-]
  double touching = 1e-7;     // shapes of 1 m that are this near are given to the polytope, which knows faces only [m]
  double surface = 1e-6;      // a witness under its surface, or beside the one that it faces [m]
  double area_share = 0.98;   // of an area that four points can span
  double choice_share = 0.5;  // of the largest quadrilateral, where four of its corners are chosen one after another
  double foot_share = 0.9;    // of an area with more corners, where eight are
  double flat_corner = 1e-3;  // area of corners that are next to a line, as a share of the square of the length [-]
  double merged = 0.3;        // the end of a side line and the lowest point near it are one contact: m per rad of tilt
};
constexpr Tolerance kTolerance;

int poses_per_pair() {
  const char* full = std::getenv("ST_FULL");
  return full != nullptr && *full != 0 ? 1000000 : 22000;
}

template <class Real>
double reach_outside() {
  return static_cast<double>(clip_slack<Real>()) + kTolerance.roundings * static_cast<double>(rounding<Real>());
}

struct Found {
  Vec p_A, p_B, normal;
  double gap;
};

template <class Real>
std::vector<Found> find_contacts(const TestShape& A, const TestShape& B, CollisionScratch<Real>& scratch) {
  const Placed<Real> a(A), b(B);
  Manifold<Real> m;
  collide(a.shape, b.shape, static_cast<Real>(kMaxGap), scratch, m);
  std::vector<Found> found;
  for (int k = 0; k < m.count; ++k)
    found.push_back({widened(m.point[k].p_A), widened(m.point[k].p_B), widened(m.point[k].normal),
                     static_cast<double>(m.point[k].gap)});
  return found;
}

/// A lower bound of the signed distance.
double least_distance(const TestShape& A, const TestShape& B, const Vec& likely) {
  double distance = -overlap_along(A, B, likely);
  if (A.type == GeomType::kPlane) return distance;
  const auto try_direction = [&](const Vec& d) {
    const double size = norm(d);
    if (size < 1e-6) return;
    for (double sign : {1.0, -1.0}) distance = std::max(distance, -overlap_along(A, B, (sign / size) * d));
  };
  for (int i = 0; i < 3; ++i) try_direction(A.rotation.column(i)), try_direction(B.rotation.column(i));
  try_direction(B.position - A.position);
  return distance;
}

/// What is wrong with these contacts; empty if nothing is.
template <class Real>
std::string fault_of(const FlushPair& pair, const std::vector<Found>& found, double noise) {
  const TestShape &A = pair.A, &B = pair.B;
  const double outside = reach_outside<Real>();
  if (found.empty()) return pair.centred ? "no contact" : "";
  const Vec n = found[0].normal;
  const double distance = least_distance(A, B, n);
  const double below = kTolerance.touching + kTolerance.distance_share * std::fabs(distance) + outside;
  std::vector<Point2> points;
  const Across across(n);
  for (const Found& c : found) {
    const std::string index = "point " + std::to_string(points.size());
    if (!(signed_distance(A, c.p_A) <= outside)) return index + " lies outside A";
    if (!(signed_distance(B, c.p_B) <= outside)) return index + " lies outside B";
    if (!(signed_distance(A, c.p_A) >= -kTolerance.surface)) return index + " lies inside A";
    if (!(signed_distance(B, c.p_B) >= -kTolerance.surface)) return index + " lies inside B";
    if (!points.empty() && !(norm(cross(n, c.p_B - c.p_A)) <= kTolerance.surface))
      return index + " has witnesses beside each other";
    if (!(c.gap >= distance - below)) return index + " has a gap below the distance";
    points.push_back(across(c.p_B));
  }
  if (distance > 0.5 * kMaxGap) return "";  // a part of what is shared may be farther apart than asked for
  const double margin = 2 * outside;
  const Footprint on_A = shrunk(footprint(A, n, across), margin), on_B = shrunk(footprint(B, -n, across), margin);
  const Footprint shared = shared_part(on_A, on_B);
  if (shared.size() < 2) return "";
  const double longest = length(shared), spread = length(points);
  if (on_A.size() == 2 || on_B.size() == 2)
    return spread >= kTolerance.area_share * longest - margin - kTolerance.merged * noise ? "" : "line too short";
  const double true_area = area(shared), chosen = largest_quadrilateral(shared), spanned = spanned_area(points);
  const double strip = kTolerance.flat_corner * longest * longest + longest * margin;
  if (chosen >= 0.9999 * true_area) return spanned >= kTolerance.area_share * true_area - strip ? "" : "area too small";
  const double least =
      most_points(A.type, B.type) > kFewPoints ? kTolerance.foot_share * true_area : kTolerance.choice_share * chosen;
  return spanned >= least - strip ? "" : "corners badly chosen";
}

std::string describe(const TestShape& s) {
  char text[512];
  std::snprintf(text, sizeof text, "%s size %.9g %.9g %.9g at %.17g %.17g %.17g turned", name_of(s.type), s.size.x,
                s.size.y, s.size.z, s.position.x, s.position.y, s.position.z);
  std::string all = text;
  for (double x : s.rotation.m) std::snprintf(text, sizeof text, " %.17g", x), all += text;
  return all + " vertices " + std::to_string(s.hull.num_vertices());
}

struct Types {
  GeomType A, B;
};

class FlushPosesOf : public testing::TestWithParam<Types> {
 protected:
  template <class Real>
  void find_no_fault() {
    const auto scratch = std::make_unique<CollisionScratch<Real>>();
    Random random(static_cast<unsigned>(7 * static_cast<int>(GetParam().A) + static_cast<int>(GetParam().B)));
    const int poses = poses_per_pair(), num_noises = static_cast<int>(std::size(kNoises));
    int faults = 0;
    std::string first;
    for (int k = 0; k < poses; ++k) {
      const double noise = kNoises[k % num_noises];
      FlushPair pair = flush_pair(random, GetParam().A, GetParam().B, noise);
      if (sizeof(Real) == 4) pair.A = in_single_precision(pair.A), pair.B = in_single_precision(pair.B);
      const std::vector<Found> found = find_contacts<Real>(pair.A, pair.B, *scratch);
      const std::string fault = fault_of<Real>(pair, found, noise);
      if (fault.empty() || ++faults > 1) continue;
      char where[64];
      std::snprintf(where, sizeof where, "pose %d, noise %g: ", k, noise);
      first = where + fault + "\n" + describe(pair.A) + "\n" + describe(pair.B);
      for (const Found& c : found)
        first += "\n  gap " + std::to_string(c.gap) + " outside A " + std::to_string(signed_distance(pair.A, c.p_A)) +
                 ", B " + std::to_string(signed_distance(pair.B, c.p_B));
    }
    RecordProperty("poses", poses);
    EXPECT_EQ(faults, 0) << "of " << poses << " poses; the first: " << first;
  }
};

TEST_P(FlushPosesOf, InDoubleGiveNoFalseContactAndLoseNoArea) { find_no_fault<double>(); }
TEST_P(FlushPosesOf, InFloatGiveNoFalseContactAndLoseNoArea) { find_no_fault<float>(); }

std::vector<Types> all_pairs() {
  std::vector<Types> pairs;
  for (int a = 0; a < kGeomTypes; ++a)
    for (int b = std::max(a, 1); b < kGeomTypes; ++b)
      pairs.push_back({static_cast<GeomType>(a), static_cast<GeomType>(b)});
  return pairs;
}

INSTANTIATE_TEST_SUITE_P(EveryPair, FlushPosesOf, testing::ValuesIn(all_pairs()), [](const auto& info) {
  return std::string(name_of(info.param.A)) + "_" + name_of(info.param.B);
});

}  // namespace
}  // namespace stiction::test
