// Special pairs: cylinders on edges and boxes, prisms that come near a cylinder, edges along each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "host/reference/patch_residual.hpp"
#include "tests/reference/patch_scene.hpp"
#include "tests/reference/tolerances.hpp"

namespace stiction::reference {
namespace {

using Eigen::AngleAxisd;
using Eigen::Quaterniond;
using Eigen::Vector3d;
using Kind = PatchFeatureKind;

Eigen::Matrix3d box_inertia(const Vector3d& size, double mass) {
  const Vector3d squares = size.cwiseAbs2();
  return (mass / 12 * (Vector3d::Constant(squares.sum()) - squares)).asDiagonal();
}

/// The same step on a free box of 1e11 kg without weight, whose upper face is the plane.
PatchProblem on_heavy_box(PatchProblem problem) {
  const Vector3d size(30, 30, 2);
  PatchBody box{make_box(size)};
  box.mass = 1e11;
  box.inertia = box_inertia(size, box.mass);
  box.position.z() = -1.0;
  box.applied.head<3>() = -problem.h * box.mass * problem.gravity;
  problem.G = box;
  return problem;
}

/// Both scenes side by side; the kinds that came up.
std::set<Kind> expect_same_motion(PatchProblem plane, int steps) {
  std::set<Kind> kinds;
  PatchProblem box = on_heavy_box(plane);
  for (int k = 0; k < steps; ++k) {
    const PatchSolution on_plane = step_patch(plane), on_box = step_patch(box);
    EXPECT_EQ(on_box.motions, 1) << "step " << k;
    EXPECT_EQ(on_box.feature.kind, on_plane.feature.kind) << "step " << k;
    EXPECT_LE((on_plane.velocity_F - on_box.velocity_F).norm(), tolerance::kPatchHeavy) << "step " << k;
    EXPECT_LE((on_plane.position_F - on_box.position_F).norm(), tolerance::kPatchHeavy) << "step " << k;
    EXPECT_LE(patch_residual(plane, on_plane).largest(), tolerance::kPatch) << "step " << k;
    kinds.insert(on_plane.feature.kind);
    const Vector6d carried = box.G.applied;
    carry_on(on_plane, plane);
    carry_on(on_box, box);
    box.G.applied = carried;
  }
  return kinds;
}

TEST(PatchPairs, ALyingCylinderMovesOnAHeavyBoxAsOnThePlane) {
  PatchProblem problem = turning_cylinder();
  problem.reach = 0.1;
  EXPECT_EQ(expect_same_motion(problem, 60), std::set<Kind>{Kind::kLineOnFace});
}

TEST(PatchPairs, AStandingCylinderFallsBackOnAHeavyBoxAsOnThePlane) {
  PatchProblem problem = standing_cylinder();
  problem.reach = 0.1;
  problem.F.rotation = Quaterniond(AngleAxisd(0.05, Vector3d(1, 0.3, 0).normalized()));
  problem.F.position.z() = support(problem.F.shape, problem.F.rotation.conjugate() * -Vector3d::UnitZ());
  problem.F.velocity << 0.3, 0, 0, 0, 0, 1;
  EXPECT_EQ(expect_same_motion(problem, 60), (std::set<Kind>{Kind::kRimOnFace, Kind::kDiskOnFace}));
}

/// A fixed box whose upper edge is the y axis.
PatchBody edge_up(double size) {
  PatchBody body{make_box({size, size, size})};
  body.fixed = true;
  body.rotation = Quaterniond(AngleAxisd(M_PI / 4, Vector3d::UnitY()));
  body.position.z() = -std::sqrt(0.5) * size;
  return body;
}

/// A prism whose corners lie on the rims of a cylinder.
PatchShape make_prism(int sides, double length, double radius, double roll) {
  Eigen::Matrix3Xd corners(3, 2 * sides);
  for (int k = 0; k < sides; ++k) {
    const double angle = 2 * M_PI * (k + roll) / sides;
    for (int end : {0, 1})
      corners.col(2 * k + end) << radius * std::cos(angle), radius * std::sin(angle), (end - 0.5) * length;
  }
  return make_polytope(corners);
}

/// A cylinder that comes down on the edge, at the height at which it touches it.
PatchProblem cylinder_on_edge(const Quaterniond& rotation, const Vector3d& position) {
  PatchProblem problem = solid_cylinder(0.8, 0.3, 2.0);
  problem.friction = 0.4;
  problem.ellipsoid = {1, 1, 0.05};
  problem.reach = 0.05;
  problem.G = edge_up(1.0);
  problem.F.rotation = rotation;
  problem.F.position = position;
  problem.F.velocity << 0.3, 0.5, -1.0, 0.4, -0.2, 0.6;
  return problem;
}

/// How far the velocity of a prism is from the cylinder's, the worst of four that are rolled.
double error_of_prisms(PatchProblem problem, int sides) {
  const PatchSolution round = step_patch(problem);
  double error = 0.0;
  for (double roll : {0.0, 0.25, 0.5, 0.75}) {
    problem.F.shape = make_prism(sides, 0.8, 0.3, roll);
    const PatchSolution s = step_patch(problem);
    EXPECT_GT(s.consistent, 0) << sides << " sides";
    error = std::max(error, (s.velocity_F - round.velocity_F).norm());
  }
  return error;
}

/// Of first order in 1/sides: the touching corner is beside the point of the cylinder by r sin(π/sides).
void expect_prisms_to_come_near(const PatchProblem& problem, Kind kind) {
  ASSERT_EQ(step_patch(problem).feature.kind, kind);
  EXPECT_LE(patch_residual(problem, step_patch(problem)).largest(), tolerance::kPatch);
  for (int sides : {8, 16, 32})
    EXPECT_LE(error_of_prisms(problem, sides), tolerance::kPatchPrism / sides) << sides << " sides";
}

TEST(PatchPairs, PrismsComeNearTheMantleAcrossAnEdge) {
  const Quaterniond lying(AngleAxisd(M_PI / 2, Vector3d(0.2, 1, 0).normalized()));
  expect_prisms_to_come_near(cylinder_on_edge(lying, {0.05, 0, 0.3}), Kind::kEdgeAcrossMantle);
}

TEST(PatchPairs, PrismsComeNearTheRimOnAnEdge) {
  const Quaterniond tilted(AngleAxisd(1.0, Vector3d(0.5, 1, 0).normalized()));
  const double height = 0.4 * std::cos(1.0) + 0.3 * std::sin(1.0);
  expect_prisms_to_come_near(cylinder_on_edge(tilted, {0.16, 0, height}), Kind::kRimOnEdge);
}

/// A box with one edge down, along the upper edge of a fixed box.
PatchProblem edge_along_edge() {
  PatchProblem problem;
  problem.friction = 0.3;
  problem.ellipsoid = {1, 1, 0.1};
  problem.reach = 0.05;
  problem.G = edge_up(1.0);
  problem.F.shape = make_box({0.4, 0.6, 0.4});
  problem.F.mass = 2.0;
  problem.F.inertia = box_inertia({0.4, 0.6, 0.4}, 2.0);
  problem.F.rotation = problem.G.rotation;
  problem.F.position = {0, 0.1, 0.2 * std::sqrt(2.0)};
  return problem;
}

/// The motion that balances, with the normal up. Two others slip down the faces to the left and to the right.
PatchSolution step_along_edge(const PatchProblem& problem) {
  const std::vector<PatchSolution> all = every_patch_step(problem);
  for (const PatchSolution& s : all) {
    EXPECT_EQ(s.motions, 3);
    EXPECT_LE(patch_residual(problem, s).largest(), tolerance::kPatch);
  }
  const auto along = std::find_if(all.begin(), all.end(), [](const PatchSolution& s) {
    return s.feature.kind == Kind::kEdgeAlongEdge && s.axes(2, 0) > 1.0 - tolerance::kPatch;
  });
  EXPECT_NE(along, all.end());
  return along == all.end() ? PatchSolution{} : *along;
}

TEST(PatchPairs, AnEdgeRestsAlongAnEdge) {
  const PatchProblem problem = edge_along_edge();
  const PatchSolution s = step_along_edge(problem);
  EXPECT_EQ(s.friction, PatchFriction::kStick);
  EXPECT_LE(s.velocity_F.norm(), tolerance::kPatch);
  EXPECT_LE((s.impulse - Eigen::Vector4d(0.196, 0, 0, 0)).norm(), tolerance::kPatch);
  EXPECT_LE((s.ecp - Vector3d(0, 0.1, 0)).norm(), tolerance::kPatch);
}

TEST(PatchPairs, AnEdgeSlidesAlongAnEdge) {
  PatchProblem problem = edge_along_edge();
  problem.F.velocity[1] = 1.0;
  const PatchSolution s = step_along_edge(problem);
  EXPECT_EQ(s.friction, PatchFriction::kSlip);
  EXPECT_NEAR(s.velocity_F[1], 1.0 - 0.3 * 0.098, tolerance::kPatch);
  // friction acts below the middle, so the ECP is ahead of it by μ times the height
  EXPECT_NEAR(s.ecp.y() - s.position_F.y(), 0.3 * 0.2 * std::sqrt(2.0), tolerance::kPatch);
}

TEST(PatchPairs, AnEdgeLandsAlongAnEdge) {
  PatchProblem problem = edge_along_edge();
  problem.F.position.z() += 0.001;
  problem.F.velocity[2] = -2.0;
  const PatchSolution s = step_along_edge(problem);
  EXPECT_NEAR(s.velocity_F[2], -0.1, tolerance::kPatch);
  EXPECT_NEAR(s.impulse[0], 2.0 * (1.9 + 0.098), tolerance::kPatch);
}

/// A cylinder that lies with its mantle along the upper edge of a fixed box.
PatchProblem mantle_along_edge() {
  PatchProblem problem = cylinder_on_edge(Quaterniond(AngleAxisd(M_PI / 2, Vector3d::UnitX())), {0, 0.1, 0.3});
  problem.F.velocity.setZero();
  return problem;
}

TEST(PatchPairs, ACylinderRollsOverAnEdge) {
  PatchProblem problem = mantle_along_edge();
  const double r = 0.3, angle = 0.2;
  problem.F.position = {r * std::sin(angle), 0.1, r * std::cos(angle)};
  for (int k = 0; k < 10; ++k) {
    const std::vector<PatchSolution> all = every_patch_step(problem);
    ASSERT_EQ(all.size(), 1u) << "step " << k;
    EXPECT_EQ(all[0].feature.kind, Kind::kEdgeAlongMantle) << "step " << k;
    EXPECT_EQ(all[0].friction, PatchFriction::kStick) << "step " << k;
    EXPECT_LE(patch_residual(problem, all[0]).largest(), tolerance::kPatch);
    const Vector3d arm = all[0].position_F - all[0].ecp;
    const Vector3d linear = all[0].velocity_F.head<3>(), angular = all[0].velocity_F.tail<3>();
    EXPECT_NEAR(std::hypot(arm.x(), arm.z()), r, tolerance::kPatch) << "step " << k;
    EXPECT_NEAR(arm.cross(linear).y(), angular.y() * r * r, tolerance::kPatch) << "step " << k;  // it rolls
    EXPECT_GT(all[0].velocity_F[4], problem.F.velocity[4]) << "step " << k;
    carry_on(all[0], problem);
  }
}

TEST(PatchPairs, ACylinderSlidesAlongAnEdge) {
  PatchProblem problem = mantle_along_edge();
  problem.F.velocity[1] = 1.0;
  const std::vector<PatchSolution> all = every_patch_step(problem);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].feature.kind, Kind::kEdgeAlongMantle);
  EXPECT_NEAR(all[0].velocity_F[1], 1.0 - 0.4 * 0.098, tolerance::kPatch);
  EXPECT_NEAR(all[0].ecp.y() - all[0].position_F.y(), 0.4 * 0.3, tolerance::kPatch);
}

TEST(PatchPairs, ABodyThatCannotGetOutWithinReachHasNoSolution) {
  for (PatchProblem problem : {cylinder_on_edge(Quaterniond::Identity(), {0.05, 0, 0.35}), edge_along_edge()}) {
    problem.F.position.z() -= 0.1;
    problem.F.velocity.setZero();
    problem.reach = 0.02;
    EXPECT_TRUE(every_patch_step(problem).empty());
    EXPECT_EQ(step_patch(problem).consistent, 0);
    EXPECT_EQ(step_patch(problem).motions, 0);
    problem.reach = 2.0;
    for (const PatchSolution& s : every_patch_step(problem))
      EXPECT_LE(patch_residual(problem, s).largest(), tolerance::kPatch);
    EXPECT_GT(step_patch(problem).consistent, 0);
  }
}

/// F lies still on the fixed shape, whose highest level is z = 0 and which ends at x = 0.
PatchProblem at_border(const PatchProblem& body, const PatchShape& below, const Quaterniond& rotation) {
  PatchProblem problem = body;
  problem.friction = 0.8;
  problem.reach = 0.05;
  problem.G = PatchBody{below};
  problem.G.fixed = true;
  problem.G.position = {-support(below, Vector3d::UnitX()), 0.0, -support(below, Vector3d::UnitZ())};
  problem.F.velocity.setZero();
  problem.F.rotation = rotation;
  problem.F.position.z() = support(problem.F.shape, rotation.conjugate() * -Vector3d::UnitZ());
  return problem;
}

/// It rests while its middle is above the other body, carried below the middle, and tips over the border beyond.
void expect_to_tip(PatchProblem problem, Kind rests, Kind tips) {
  for (double x : {-0.02, -1e-6, 1e-6, 0.02}) {
    problem.F.position.x() = x;
    const std::vector<PatchSolution> all = every_patch_step(problem);
    ASSERT_EQ(all.size(), 1u) << x;
    EXPECT_EQ(all[0].feature.kind, x < 0.0 ? rests : tips) << x;
    EXPECT_EQ(all[0].friction, PatchFriction::kStick) << x;
    EXPECT_LE(patch_residual(problem, all[0]).largest(), tolerance::kPatch) << x;
    if (x > 0.0) {
      EXPECT_GT(all[0].velocity_F[4], 0.0) << x;
      continue;
    }
    EXPECT_LE(all[0].velocity_F.norm(), tolerance::kPatch) << x;
    EXPECT_LE((all[0].ecp - Vector3d(x, 0.0, 0.0)).norm(), tolerance::kPatch) << x;
  }
}

TEST(PatchPairs, BodiesTipOverTheBorderOfWhatCarriesThem) {
  const Quaterniond up = Quaterniond::Identity(), along_x(AngleAxisd(M_PI / 2, Vector3d::UnitY()));
  const PatchProblem can = solid_cylinder(0.3, 0.1, 1.0);
  PatchProblem plate = can;
  plate.F.shape = make_box({0.5, 0.5, 0.02});
  plate.F.inertia = box_inertia({0.5, 0.5, 0.02}, 1.0);
  const PatchShape table = make_box({1, 1, 1}), post = make_cylinder(1.0, 0.2);
  expect_to_tip(at_border(can, table, up), Kind::kDiskOnFace, Kind::kEdgeOnFace);
  expect_to_tip(at_border(can, table, along_x), Kind::kLineOnFace, Kind::kEdgeAcrossMantle);
  expect_to_tip(at_border(plate, post, up), Kind::kDiskOnFace, Kind::kRimOnFace);
}

/// The whole scene, turned.
PatchProblem turned(PatchProblem problem, const Quaterniond& turn) {
  problem.gravity = turn * problem.gravity;
  for (PatchBody* body : {&problem.F, &problem.G}) {
    body->position = turn * body->position;
    body->rotation = (turn * body->rotation).normalized();
    for (Vector6d* wrench : {&body->velocity, &body->applied})
      *wrench << turn * Vector3d(wrench->head<3>()), turn * Vector3d(wrench->tail<3>());
  }
  return problem;
}

TEST(PatchPairs, TurnedScenesMoveAlike) {
  const Quaterniond turn(AngleAxisd(2.0, Vector3d(1, -2, 0.5).normalized()));
  const Quaterniond lying(AngleAxisd(M_PI / 2, Vector3d(0.2, 1, 0).normalized()));
  const Quaterniond tilted(AngleAxisd(1.0, Vector3d(0.5, 1, 0).normalized()));
  const double height = 0.4 * std::cos(1.0) + 0.3 * std::sin(1.0);
  PatchProblem landing = edge_along_edge();
  landing.F.position.z() += 0.001;
  landing.F.velocity << 0, 0.5, -2, 0, 0, 0;
  for (const PatchProblem& problem :
       {cylinder_on_edge(lying, {0.05, 0, 0.3}), cylinder_on_edge(tilted, {0.16, 0, height}), landing}) {
    const std::vector<PatchSolution> before = every_patch_step(problem),
                                     after = every_patch_step(turned(problem, turn));
    ASSERT_GT(before.size(), 0u);
    ASSERT_EQ(before.size(), after.size());
    for (size_t k = 0; k < before.size(); ++k) {
      EXPECT_EQ(before[k].feature.kind, after[k].feature.kind);
      const Vector3d linear = turn * Vector3d(before[k].velocity_F.head<3>());
      const Vector3d angular = turn * Vector3d(before[k].velocity_F.tail<3>());
      EXPECT_LE((after[k].velocity_F.head<3>() - linear).norm(), tolerance::kPatch);
      EXPECT_LE((after[k].velocity_F.tail<3>() - angular).norm(), tolerance::kPatch);
    }
  }
}

TEST(PatchPairs, TheResidualSeesEveryWrongUnknownOfACylinder) {
  PatchProblem problem = cylinder_on_edge(Quaterniond(AngleAxisd(1.0, Vector3d(0.5, 1, 0).normalized())), {0.16, 0, 0});
  problem.F.position.z() = 0.4 * std::cos(1.0) + 0.3 * std::sin(1.0);
  const PatchSolution right = step_patch(problem);
  ASSERT_EQ(right.feature.kind, Kind::kRimOnEdge);
  const double wrong = 1e-4;
  std::vector<PatchSolution> others(6, right);
  others[0].velocity_F[3] += wrong;
  others[1].impulse[1] += wrong;
  others[2].slip += wrong;
  others[3].ecp += wrong * right.axes.col(0);
  others[4].ecp += wrong * right.axes.col(1);
  others[5].axes = AngleAxisd(wrong, right.axes.col(1)) * right.axes;
  for (size_t i = 0; i < others.size(); ++i)
    EXPECT_GE(patch_residual(problem, others[i]).largest(), 50 * tolerance::kPatch) << i;
}

/// A free motion that ends in the other body is no solution, whichever body is the cylinder.
TEST(PatchPairs, TheResidualSeesBodiesThatOverlap) {
  const Quaterniond lying(AngleAxisd(M_PI / 2, Vector3d(0.2, 1, 0).normalized()));
  PatchProblem problem = cylinder_on_edge(lying, {0.05, 0, 0.3});
  problem.G.fixed = false;
  problem.gravity.setZero();
  for (int k = 0; k < 2; ++k, std::swap(problem.F, problem.G)) {
    PatchProblem alone = problem;
    alone.F.position.z() += k == 0 ? 1.0 : -1.0;
    PatchSolution free = step_patch(alone);
    ASSERT_EQ(free.feature.kind, Kind::kNone);
    EXPECT_LE(patch_residual(alone, free).largest(), tolerance::kPatch);
    free.position_F.z() -= k == 0 ? 1.0 : -1.0;
    EXPECT_GE(patch_residual(problem, free).largest(), 50 * tolerance::kPatch) << k;
  }
  problem.G = on_plane(problem.F.shape, 1.0, Vector3d::Ones()).G;
  problem.F.position.z() = 2.0;
  PatchSolution free = step_patch(problem);
  EXPECT_LE(patch_residual(problem, free).largest(), tolerance::kPatch);
  problem.F.position.z() -= 1.8;
  free.position_F.z() -= 1.8;
  EXPECT_GE(patch_residual(problem, free).largest(), 50 * tolerance::kPatch);
}

}  // namespace
}  // namespace stiction::reference
