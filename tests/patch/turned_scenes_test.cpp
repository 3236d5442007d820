// Claims: a course with patches does not depend on how the scene is turned in the world, on what the floor is made of,
// or on the solver.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/patch/produced_step.hpp"
#include "tests/patch/tolerances.hpp"
#include "tests/reference/patch_scene.hpp"

namespace stiction::test {
namespace {

using Eigen::AngleAxisd;
using Eigen::Quaterniond;
using Eigen::Vector3d;
using reference::PatchBody;
using reference::PatchProblem;

struct Course {
  std::vector<Vector3d> position;
  std::vector<Quaterniond> rotation;
};

/// Steps of F; every one must converge.
Course take_course(PatchProblem problem, int steps, SolverName solver = SolverName::kNewton) {
  Simulator simulator(produced_scene({solver, 1e-11}, problem), {.device = "cpu", .threads = 1});
  const Model& model = *simulator.scene().model;
  const auto j = static_cast<std::size_t>(produced_detail::joint_of(model, "F"));
  Course course;
  for (int k = 0; k < steps; ++k) {
    EXPECT_EQ(simulator.step()[0], status::kConverged) << "step " << k;
    const std::vector<double> qpos = simulator.qpos();
    const double* q = qpos.data() + model.joint_qpos_adr[j];
    course.position.emplace_back(q[0], q[1], q[2]);
    course.rotation.emplace_back(q[3], q[4], q[5], q[6]);
  }
  return course;
}

/// The largest difference of the courses, after turning the first by R.
double difference(const Course& a, const Course& b, const Quaterniond& R = Quaterniond::Identity()) {
  double largest = 0.0;
  for (std::size_t k = 0; k < a.position.size(); ++k) {
    largest = std::max(largest, (R * a.position[k] - b.position[k]).norm());
    largest = std::max(largest, (R * a.rotation[k]).angularDistance(b.rotation[k]));
  }
  return largest;
}

PatchProblem spinning_cube() {
  PatchProblem problem = reference::sliding_cube(2.0);
  problem.ellipsoid[2] = 0.3;
  return problem;
}

/// A box whose upper face is the plane.
PatchBody slab() {
  const Vector3d size(60, 60, 2);
  PatchBody body{reference::make_box(size)};
  body.position.z() = -1.0;
  body.fixed = true;
  return body;
}

TEST(TurnedScenes, OfACubeThatSpinsMoveAlike) {
  const Course upright = take_course(spinning_cube(), 200);
  const Quaterniond R(AngleAxisd(0.7, Vector3d(1, 2, 3).normalized()));
  PatchProblem turned = spinning_cube();
  turned.G = slab();
  turned.G.rotation = R, turned.G.position = R * turned.G.position;
  turned.F.position = R * turned.F.position, turned.F.rotation = R * turned.F.rotation;
  turned.F.velocity.head<3>() = R * turned.F.velocity.head<3>();
  turned.F.velocity.tail<3>() = R * turned.F.velocity.tail<3>();
  turned.gravity = R * turned.gravity;
  EXPECT_LE(difference(upright, take_course(turned, 200), R), tolerance::kTurned);
}

TEST(TurnedScenes, OfACubeOnAnyFloorMoveAlike) {
  for (const bool topples : {false, true}) {
    PatchProblem problem = topples ? reference::toppling_cube() : spinning_cube();
    const Course on_plane = take_course(problem, topples ? 100 : 200);
    problem.G = slab();
    EXPECT_LE(difference(on_plane, take_course(problem, topples ? 100 : 200)), tolerance::kTurned) << topples;
  }
}

TEST(TurnedScenes, DoNotDependOnTheSolver) {
  const Course by_newton = take_course(spinning_cube(), 400);
  EXPECT_LE(difference(by_newton, take_course(spinning_cube(), 400, SolverName::kInteriorPoint)), tolerance::kSolvers);
  EXPECT_LE(difference(by_newton, take_course(spinning_cube(), 400, SolverName::kAdmm)), tolerance::kSolvers);
}

}  // namespace
}  // namespace stiction::test
