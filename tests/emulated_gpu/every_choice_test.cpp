// Claim: the CUDA backend gives the bits of a host that solves as a GPU does: every dynamics, law and cone with every
// solver that knows them, both precisions, whatever the order in which the threads of a block go on.
#include "tests/support/every_choice.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>

#include "host/api/simulator.hpp"
#include "host/model/choices.hpp"
#include "kernels/launch/solve_width.hpp"
#include "tests/emulated_gpu/host_bits.hpp"
#include "tests/step/pushed_boxes.hpp"
#include "tests/support/solver_names.hpp"

namespace stiction {
namespace {

constexpr int kBatch = 2, kSteps = 2;
constexpr const char* kOrders[] = {"forward", "backward", "shuffled"};

/// `solve_threads`: of the GPU.
void expect_the_hosts_bits(const Scene& scene, Dtype dtype, int solve_threads, const std::string& what) {
  Simulator host(scene, {.batch = kBatch, .device = "cpu", .dtype = dtype, .solve_threads = 32});
  Simulator gpu(scene, {.batch = kBatch, .device = "cuda", .dtype = dtype, .solve_threads = solve_threads});
  for (int step = 0; step < kSteps; ++step) {
    host.step();
    gpu.step();
    expect_same_bits(host, gpu, what + ", step " + std::to_string(step));
  }
}

class EveryChoice : public ::testing::TestWithParam<SolverName>, NoFaults {};

TEST_P(EveryChoice, GivesTheBitsOfTheHost) {
  int choices = 0;
  for (const auto& dynamics : test::kEveryNamedDynamics)
    for (const auto& law : test::kEveryLaw)
      for (const auto& cone : test::kEveryCone) {
        if (!can_solve(GetParam(), cone.value)) continue;
        Scene scene = test::pushed_boxes();
        test::add_paddle_script(scene);
        scene.physics.dynamics = dynamics.value;
        scene.physics.law = law.value;
        scene.physics.cone = cone.value;
        scene.solver.name = GetParam();
        if (test::is_iterative(GetParam())) scene.solver.tolerance = 1e-3;  // bits are compared, not answers
        for (const Dtype dtype : {Dtype::kFloat64, Dtype::kFloat32}) {
          setenv("EMULATED_GPU_ORDER", kOrders[choices % 3], 1);
          const int threads = threads_of(kEverySolveWidth[choices / 3 % 3]);
          expect_the_hosts_bits(scene, dtype, threads, std::string(dynamics.name) + ", " + law.name + ", " + cone.name);
          ++choices;
        }
      }
  EXPECT_GE(choices, 4);
}

TEST_P(EveryChoice, GivesTheBitsOfTheHostWhereBodiesMoveFirst) {
  Scene scene = test::boxes_that_move_first();
  if (!can_solve(GetParam(), scene.physics.cone)) GTEST_SKIP() << "has no such cone";
  scene.solver.name = GetParam();
  if (test::is_iterative(GetParam())) scene.solver.tolerance = 1e-3;
  for (const Dtype dtype : {Dtype::kFloat64, Dtype::kFloat32}) expect_the_hosts_bits(scene, dtype, 32, "move_first");
}

TEST_P(EveryChoice, GivesTheBitsOfTheHostWithAFactorInSinglePrecision) {
  if (!can_factor(GetParam(), Dtype::kFloat32)) GTEST_SKIP() << "factors no matrix";
  int choices = 0;
  for (const auto& law : test::kEveryLaw)
    for (const auto& cone : test::kEveryCone)
      for (const SolveWidth width : kEverySolveWidth) {
        Scene scene = test::pushed_boxes();
        scene.physics.law = law.value;
        scene.physics.cone = cone.value;
        scene.solver.name = GetParam();
        scene.solver.factor = Dtype::kFloat32;
        scene.solver.tolerance = 1e-4;
        setenv("EMULATED_GPU_ORDER", kOrders[++choices % 3], 1);
        const Dtype dtype = choices % 2 ? Dtype::kFloat64 : Dtype::kFloat32;
        expect_the_hosts_bits(scene, dtype, threads_of(width), std::string(law.name) + ", " + cone.name);
      }
}

INSTANTIATE_TEST_SUITE_P(Every, EveryChoice, testing::ValuesIn(test::kEverySolver), test::solver_name);

class EveryScene : public ::testing::TestWithParam<const char*>, NoFaults {};

TEST_P(EveryScene, GivesTheBitsOfTheHost) {
  const Scene scene = load_scene(STICTION_SOURCE_DIR "/scenes/" + std::string(GetParam()));
  int run = 0;
  for (const Dtype dtype : {Dtype::kFloat64, Dtype::kFloat32}) {
    setenv("EMULATED_GPU_ORDER", kOrders[++run % 3], 1);
    expect_the_hosts_bits(scene, dtype, 0, GetParam());
  }
}

INSTANTIATE_TEST_SUITE_P(Every, EveryScene,
                         testing::Values("fence_particle", "grazing_grasp", "gripper2d", "hand_cube", "iiwa_stack",
                                         "iiwa_stack_1", "incline", "pile", "planar_pick", "two_link_arm"),
                         [](const auto& info) { return std::string(info.param); });

/// More items than a warp has lanes, of which each is below the least value that a maximum may have.
class ManyItems : public ::testing::Test, NoFaults {
 protected:
  static std::string bodies(int count, const std::string& of_body) {
    std::string all = "<mujoco><option gravity='0 0 -10'/><worldbody><geom type='plane' size='9 9 1'/>";
    for (int i = 0; i < count; ++i) all += "<body pos='" + std::to_string(0.3 * i) + " 0 " + of_body + "</body>";
    return all + "</worldbody>";
  }
};

TEST_F(ManyItems, PrescribedJointsAtRestStayThere) {
  const int count = 33;
  std::string model = bodies(count, "1'><joint type='slide' axis='0 1 0'/><geom size='.1' mass='1'/>") + "<actuator>";
  std::string joint = "<joint name='j";
  for (std::size_t at = 0, i = 0; (at = model.find("<joint type", at)) != std::string::npos; ++i, at += joint.size())
    model.replace(at, 6, joint + std::to_string(i) + "'");
  for (int i = 0; i < count; ++i) model += "<position joint='j" + std::to_string(i) + "' kp='100'/>";
  Scene scene = load_scene(test::write_temporary("many_joints.xml", model + "</actuator></mujoco>"));
  scene.physics.dynamics = Dynamics::kKinematic;
  expect_the_hosts_bits(scene, Dtype::kFloat64, 8, "joints");
  Simulator gpu(scene, {.batch = 1, .device = "cuda", .solve_threads = 8});
  gpu.step();
  EXPECT_EQ(gpu.status()[0], status::kConverged);
}

TEST_F(ManyItems, SunkBoxesDoNotHover) {
  const std::string sunk =
      bodies(9, "0.0999999'><freejoint/><geom type='box' size='.1 .1 .1' mass='1'/>") + "</mujoco>";
  Scene scene = load_scene(test::write_temporary("many_boxes.xml", sunk));
  scene.physics.dynamics = Dynamics::kDynamic;
  scene.physics.law = ContactLaw::kCoulomb;
  expect_the_hosts_bits(scene, Dtype::kFloat64, 8, "boxes");
}

/// Blocks of the stages around the solve have 16 environments of a small scene, four in a warp.
TEST_F(ManyItems, EnvironmentsThatShareAWarpDoNotMix) {
  const Scene scene = load_scene(STICTION_SOURCE_DIR "/scenes/gripper2d");
  for (const int batch : {1, 3, 16, 17}) {
    Simulator host(scene, {.batch = batch, .device = "cpu", .solve_threads = 32});
    Simulator gpu(scene, {.batch = batch, .device = "cuda"});
    for (Simulator* sim : {&host, &gpu}) {
      std::vector<double> q = sim->qpos();
      for (std::size_t i = 0; i < q.size(); ++i) q[i] += 1e-4 * static_cast<double>(i % 7);
      if (batch == 17)
        q[5] = std::numeric_limits<double>::quiet_NaN();  // ends its steps early, beside others in its warp
      sim->set_qpos(q);
      sim->step(3);
    }
    expect_same_bits(host, gpu, "a batch of " + std::to_string(batch));
  }
}

class Unsolved : public ::testing::Test, NoFaults {
 protected:
  /// The status of environment 0 after `steps` steps, on the GPU as on the host.
  std::uint32_t status_after(const Scene& scene, int steps, double first = 0.0) {
    Simulator host(scene, {.batch = kBatch, .device = "cpu", .solve_threads = 32});
    Simulator gpu(scene, {.batch = kBatch, .device = "cuda"});
    for (Simulator* sim : {&host, &gpu}) {
      std::vector<double> q = sim->qpos();
      q[0] += first;
      sim->set_qpos(q);
      sim->step(steps);
    }
    expect_same_bits(host, gpu, "unsolved");
    return gpu.status()[0];
  }
};

TEST_F(Unsolved, WhatNothingHoldsIsUnbounded) {
  const char* model = R"(<mujoco><worldbody><body><freejoint/>
    <geom type="box" size=".1 .1 .1" mass="1"/></body></worldbody></mujoco>)";
  Scene scene = load_scene(test::write_temporary("held_by_nothing.xml", model));
  scene.physics.dynamics = Dynamics::kQuasistatic;
  EXPECT_TRUE(status_after(scene, 1) & status::kUnbounded);
}

TEST_F(Unsolved, FingersThatCloseOnAHeldBallAreInfeasible) {
  Scene scene = load_scene(STICTION_SOURCE_DIR "/scenes/gripper2d");
  scene.physics.dynamics = Dynamics::kKinematic;
  EXPECT_TRUE(status_after(scene, 8) & status::kInfeasible);
}

TEST_F(Unsolved, AnEnvironmentThatIsNotFiniteLeavesItsNeighbourAlone) {
  EXPECT_TRUE(status_after(test::pushed_boxes(), 2, std::numeric_limits<double>::quiet_NaN()) & status::kNotFinite);
}

}  // namespace
}  // namespace stiction
