// Claim: steps that seek their end have on a GPU the bits of a host that solves as a GPU does, in both precisions, with
// any width and order of the threads, whatever the place in the batch.
#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>

#include "host/api/simulator.hpp"
#include "kernels/launch/solve_width.hpp"
#include "tests/emulated_gpu/host_bits.hpp"
#include "tests/step/patch_bodies.hpp"
#include "tests/support/inline_scene.hpp"

namespace stiction {
namespace {

constexpr int kBatch = 3, kSteps = 4;

struct EndChoice {
  const char* name;
  ContactModel contact;
  ContactGeometry geometry;
  Rotation rotation;
  TorsionRadius torsion_radius;
  ContactLaw law;
  Dynamics dynamics;
};

constexpr EndChoice kEndChoices[] = {
    {"ecp", ContactModel::kPatch, ContactGeometry::kEnd, Rotation::kLinear, TorsionRadius::kModel, ContactLaw::kCoulomb,
     Dynamics::kDynamic},
    {"uniform", ContactModel::kPatch, ContactGeometry::kEnd, Rotation::kExact, TorsionRadius::kUniform,
     ContactLaw::kAnitescu, Dynamics::kQuasidynamic},
    {"start", ContactModel::kPatch, ContactGeometry::kStart, Rotation::kExact, TorsionRadius::kModel,
     ContactLaw::kCoulomb, Dynamics::kDynamic},
    {"points", ContactModel::kPoints, ContactGeometry::kEnd, Rotation::kLinear, TorsionRadius::kModel,
     ContactLaw::kAnitescu, Dynamics::kDynamic},
};

class StepEnd : public ::testing::TestWithParam<EndChoice>, NoFaults {
 protected:
  static Scene scene() {
    Scene scene = test::patch_bodies();
    const EndChoice& choice = GetParam();
    scene.physics.contact = choice.contact, scene.physics.geometry = choice.geometry;
    scene.physics.rotation = choice.rotation, scene.physics.torsion_radius = choice.torsion_radius;
    scene.physics.law = choice.law, scene.physics.dynamics = choice.dynamics;
    return scene;
  }
};

TEST_P(StepEnd, GivesTheBitsOfTheHost) {
  const char* orders[] = {"forward", "backward", "shuffled"};
  int runs = 0, most_rounds = 0;
  for (const Dtype dtype : {Dtype::kFloat64, Dtype::kFloat32})
    for (const SolveWidth width : kEverySolveWidth) {
      setenv("EMULATED_GPU_ORDER", orders[runs++ % 3], 1);
      Simulator host(scene(), {.batch = kBatch, .device = "cpu", .dtype = dtype, .solve_threads = 32});
      Simulator gpu(scene(), {.batch = kBatch, .device = "cuda", .dtype = dtype, .solve_threads = threads_of(width)});
      for (int step = 0; step < kSteps; ++step) {
        host.step();
        gpu.step();
        expect_same_bits(host, gpu, std::to_string(runs) + ", step " + std::to_string(step));
        most_rounds = std::max(most_rounds, gpu.stats().rounds[0]);
      }
    }
  EXPECT_GT(most_rounds, 1) << "no step sought its end";
}

TEST_P(StepEnd, ABrokenNeighbourChangesNoBit) {
  Simulator whole(scene(), {.batch = kBatch, .device = "cuda"}), broken(scene(), {.batch = kBatch, .device = "cuda"});
  std::vector<double> q = broken.qpos();
  const std::size_t nq = q.size() / kBatch;
  q[nq] = std::numeric_limits<double>::quiet_NaN();
  broken.set_qpos(q);
  for (int step = 0; step < 2; ++step) whole.step(), broken.step();
  EXPECT_EQ(broken.status()[1], status::kNotFinite);
  const std::vector<double> expected = whole.qpos(), found = broken.qpos();
  for (const std::size_t i : {std::size_t{0}, 2 * nq})
    EXPECT_TRUE(std::equal(expected.begin() + static_cast<std::ptrdiff_t>(i),
                           expected.begin() + static_cast<std::ptrdiff_t>(i + nq),
                           found.begin() + static_cast<std::ptrdiff_t>(i)));
}

/// A cube that two fingers hold by patches without torsion, whose first step finds no end (tests/patch/test_grasps.py).
Scene held_cube() {
  const char* finger = "<geom type='box' size='.02 .01 .02' mass='.1' condim='3' friction='.8 0 0'/></body>";
  const char* cube = "<geom type='box' size='.04 .04 .04' mass='.3' condim='3' friction='.8 0 0'/></body>";
  const std::string left = "<body pos='0 -.06 0'><joint name='left' type='slide' axis='0 1 0'/>",
                    right = "<body pos='0 .06 0'><joint name='right' type='slide' axis='0 -1 0'/>",
                    held = "<body pos='.005 .001 .001' euler='0 .05235987755982989 0'><freejoint/>";
  const char* actuators = "<actuator><position joint='left' kp='2000'/><position joint='right' kp='2000'/></actuator>";
  Scene scene = test::inline_scene({"held_cube", left + finger + right + finger + held + cube, actuators, "0 0 -9.81"},
                                   Dynamics::kQuasidynamic, 1e-9);
  test::choose_ecp(scene.physics);
  scene.physics.dynamics = Dynamics::kQuasidynamic, scene.physics.rotation = Rotation::kExact;
  scene.solver.name = SolverName::kNewton;
  scene.step_size = 0.02;
  return scene;
}

TEST(StepEndOpen, GoesBackToTheSameBits) {
  for (const Dtype dtype : {Dtype::kFloat64, Dtype::kFloat32}) {
    Simulator host(held_cube(), {.batch = kBatch, .device = "cpu", .dtype = dtype, .solve_threads = 32});
    Simulator gpu(held_cube(), {.batch = kBatch, .device = "cuda", .dtype = dtype, .solve_threads = 32});
    std::uint32_t bits = 0;
    for (int step = 0; step < kSteps; ++step) {
      host.set_ctrl(std::vector<double>(2 * kBatch, 0.015));
      gpu.set_ctrl(std::vector<double>(2 * kBatch, 0.015));
      host.step();
      gpu.step();
      bits |= gpu.status()[0];
      expect_same_bits(host, gpu, "step " + std::to_string(step));
    }
    EXPECT_TRUE(bits & status::kEndOpen) << "every step found its end";
  }
}

INSTANTIATE_TEST_SUITE_P(Every, StepEnd, testing::ValuesIn(kEndChoices),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace stiction
