// Shapes, special cases by hand, and what is no problem.
#include <gtest/gtest.h>

#include "host/model/error.hpp"
#include "host/reference/patch_residual.hpp"
#include "tests/reference/patch_scene.hpp"
#include "tests/reference/tolerances.hpp"

namespace stiction::reference {
namespace {

using Eigen::Matrix3Xd;
using Eigen::Vector3d;

TEST(PatchShape, ABoxHasSixFacesAndTwelveEdges) {
  const PatchShape box = make_box({1, 2, 3});
  EXPECT_EQ(box.faces.size(), 6u);
  EXPECT_EQ(box.edges.size(), 12u);
  for (const auto& face : box.faces) EXPECT_EQ(face.size(), 4u);
  EXPECT_NEAR(support(box, Vector3d::UnitY()), 1.0, tolerance::kExact);
  EXPECT_NEAR(shape_values(box, {0.1, 0.9, 0.0}).f.maxCoeff(), -0.1, tolerance::kExact);
}

TEST(PatchShape, FacesGoCounterclockwiseAroundTheirNormal) {
  Matrix3Xd corners(3, 6);  // an octahedron
  corners << Eigen::Matrix3d::Identity(), -Eigen::Matrix3d::Identity();
  const PatchShape shape = make_polytope(corners);
  ASSERT_EQ(shape.faces.size(), 8u);
  EXPECT_EQ(shape.edges.size(), 12u);
  for (int f = 0; f < 8; ++f) {
    const auto& face = shape.faces[f];
    const Vector3d x = corners.col(face[0]), y = corners.col(face[1]), z = corners.col(face[2]);
    EXPECT_GT((y - x).cross(z - x).dot(shape.normals.col(f)), 0.0);
  }
}

TEST(PatchShape, RefusesPointsThatSpanNoBodyWithOneLine) {
  Matrix3Xd flat(3, 4), inner = make_box({1, 1, 1}).corners, twice = inner;
  flat << 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0;
  inner.conservativeResize(3, 9);
  inner.col(8).setZero();
  twice.conservativeResize(3, 9);
  twice.col(8) = twice.col(2);
  for (const Matrix3Xd& points : {Matrix3Xd(3, 0), flat, inner, twice}) EXPECT_THROW(make_polytope(points), InputError);
  EXPECT_THROW(make_box({1, 0, 1}), InputError);
  EXPECT_THROW(make_cylinder(1, -1), InputError);
}

TEST(Patch, ACubeThatRestsCarriesItsWeightInTheMiddle) {
  PatchProblem problem = sliding_cube(0.0);
  problem.F.velocity.setZero();
  const PatchSolution s = step_patch(problem);
  ASSERT_EQ(s.consistent, 1);
  EXPECT_EQ(s.friction, PatchFriction::kStick);
  EXPECT_LE(s.velocity_F.norm(), tolerance::kExact);
  EXPECT_LE((s.impulse - Eigen::Vector4d(0.098, 0, 0, 0)).norm(), tolerance::kExact);
  EXPECT_LE((s.ecp - Vector3d::Zero()).norm(), tolerance::kExact);
}

TEST(Patch, WithoutFrictionACubeSlidesAndTurnsOn) {
  PatchProblem problem = sliding_cube(2.0);
  problem.friction = 0.0;
  const PatchSolution s = step_patch(problem);
  ASSERT_EQ(s.consistent, 1);
  EXPECT_LE((s.velocity_F - problem.F.velocity).norm(), tolerance::kExact);
}

TEST(Patch, ABodyInTheAirFalls) {
  PatchProblem problem = sliding_cube(2.0);
  problem.F.position.z() = 2.0;
  const PatchSolution s = step_patch(problem);
  ASSERT_EQ(s.consistent, 1);
  EXPECT_EQ(s.feature.kind, PatchFeatureKind::kNone);
  EXPECT_NEAR(s.velocity_F[2], -0.098, tolerance::kExact);
  EXPECT_LE(patch_residual(problem, s).largest(), tolerance::kPatch);
}

TEST(Patch, ACubeOnAFixedBoxStandsAsOnThePlane) {
  PatchProblem plane = sliding_cube(2.0), box = plane;
  box.G.shape = make_box({4, 4, 1});
  box.G.position.z() = -0.5;
  box.reach = 0.5;
  const PatchSolution on_plane = step_patch(plane), on_box = step_patch(box);
  ASSERT_EQ(on_box.consistent, 1);
  EXPECT_LE((on_plane.velocity_F - on_box.velocity_F).norm(), tolerance::kExact);
  EXPECT_LE((on_plane.ecp - on_box.ecp).norm(), tolerance::kExact);
}

TEST(Patch, ACanThatIsPushedAtRestTipsOverItsRimAwayFromThePush) {
  PatchProblem problem = standing_cylinder();
  for (double angle : {0.0, 0.3, 1.0, 2.5, -1.2}) {
    const Vector3d push(std::cos(angle), std::sin(angle), 0.0);
    problem.F.applied.head<3>() = problem.h * problem.F.mass * 7.0 * push;  // it tips from 9.8/1.5 m/s² on
    const PatchSolution s = step_patch(problem);
    ASSERT_EQ(s.consistent, 1) << angle;
    EXPECT_EQ(s.feature.kind, PatchFeatureKind::kRimOnFace) << angle;
    EXPECT_LE((s.ecp - s.position_F - Vector3d(0.1 * push.x(), 0.1 * push.y(), -0.15)).norm(), tolerance::kPatchTilt)
        << angle;
    EXPECT_LE(patch_residual(problem, s).largest(), tolerance::kPatch) << angle;
  }
}

TEST(Patch, TheResidualSeesEveryWrongUnknown) {
  const PatchProblem problem = sliding_cube(2.0);
  const PatchSolution right = step_patch(problem);
  const double wrong = 1e-4;
  std::vector<PatchSolution> others(7, right);
  others[0].velocity_F[0] += wrong;
  others[1].impulse[0] += wrong;
  others[2].impulse[3] += wrong;
  others[3].slip += wrong;
  others[4].ecp.z() += wrong;
  others[5].position_F.z() += wrong;
  others[6].ecp.x() += wrong;
  for (size_t i = 0; i < others.size(); ++i)
    EXPECT_GE(patch_residual(problem, others[i]).largest(), 50 * tolerance::kPatch) << i;
}

TEST(Patch, RefusesWhatIsNoProblemWithOneLine) {
  const PatchProblem good = sliding_cube(0.0);
  std::vector<PatchProblem> bad(11, good);
  bad[0].h = 0.0;
  bad[1].friction = -0.1;
  bad[2].ellipsoid[2] = 0.0;
  bad[3].F.mass = 0.0;
  bad[4].F.rotation.w() = 2.0;
  bad[5].F.velocity[3] = std::nan("");
  bad[6].G.fixed = false;
  bad[7].F.shape = make_half_space();
  bad[8].F.shape = bad[8].G.shape = make_cylinder(1, 1);
  bad[9].G.velocity[0] = 1.0;
  bad[10].reach = 0.0;
  for (const PatchProblem& problem : bad) EXPECT_THROW(step_patch(problem), InputError);
}

}  // namespace
}  // namespace stiction::reference
