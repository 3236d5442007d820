#include "host/cli/run_options.hpp"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "tests/cli/input_error.hpp"

namespace stiction::test {
namespace {

RunOptions parse(std::string arguments) {
  RunOptions options;
  CLI::App app;
  add_run_options(app, options);
  app.parse("scene " + std::move(arguments));
  return options;
}

std::string recording_error(const std::string& arguments) {
  return input_error([&] { recording_plan(parse(arguments)); });
}

std::string simulator_error(const std::string& arguments) {
  return input_error([&] { simulator_options(parse(arguments)); });
}

TEST(RunOptions, BecomeTheSimulatorsOptions) {
  const SimulatorOptions options = simulator_options(parse("--batch 7 --device cpu --dtype float32 --threads 3"));
  EXPECT_EQ(options.batch, 7);
  EXPECT_EQ(options.device, "cpu");
  EXPECT_EQ(options.dtype, Dtype::kFloat32);
  EXPECT_EQ(options.threads, 3);
  EXPECT_EQ(options.solve_threads, 0);
  EXPECT_EQ(simulator_options(parse("--solve-threads 32")).solve_threads, 32);
  EXPECT_EQ(simulator_options(parse("")).batch, 1);
}

SolverOptions solver_after(const std::string& arguments) {
  return apply_to_scene(parse(arguments), load_scene(std::string(STICTION_SOURCE_DIR) + "/scenes/incline")).solver;
}

TEST(RunOptions, ReplaceWhereASolverEnds) {
  const SolverOptions kept = solver_after(""), set = solver_after("--tolerance 1e-3 --max-iterations 7");
  EXPECT_EQ(kept.tolerance, 1e-10);
  EXPECT_EQ(kept.max_iterations, SolverOptions().max_iterations);
  EXPECT_EQ(set.tolerance, 1e-3);
  EXPECT_EQ(set.max_iterations, 7);
  for (const char* wrong : {"0", "-1e-6", "1", "nan", "inf"})
    EXPECT_NE(input_error([&] { solver_after(std::string("--tolerance ") + wrong); }).find("above 0 and below 1"),
              std::string::npos)
        << wrong;
  EXPECT_NE(input_error([] { solver_after("--max-iterations 0"); }).find("--max-iterations 0"), std::string::npos);
}

/// [physics] of a kinematic scene under Coulomb's law with patches, after these options.
PhysicsConfig physics_after(const std::string& arguments) {
  PhysicsConfig physics;
  physics.dynamics = Dynamics::kKinematic;
  physics.law = ContactLaw::kCoulomb;
  physics.contact = ContactModel::kPatch;
  apply_to_physics(parse(arguments).physics, physics);
  return physics;
}

std::string physics_error(const std::string& arguments) {
  return input_error([&] { physics_after(arguments); });
}

TEST(PhysicsOptions, LeaveWhatTheyDoNotName) {
  const PhysicsConfig same = physics_after(""),
                      other = physics_after("--geometry end --torsion-radius uniform --regions off");
  EXPECT_EQ(same.regions, Regions::kAuto);
  EXPECT_EQ(other.regions, Regions::kOff);
  EXPECT_EQ(same.dynamics, Dynamics::kKinematic);
  EXPECT_EQ(same.contact, ContactModel::kPatch);
  EXPECT_EQ(same.geometry, ContactGeometry::kStart);
  EXPECT_EQ(other.dynamics, Dynamics::kKinematic);
  EXPECT_EQ(other.contact, ContactModel::kPatch);
  EXPECT_EQ(other.geometry, ContactGeometry::kEnd);
  EXPECT_EQ(other.rotation, Rotation::kExact);
  EXPECT_EQ(other.torsion_radius, TorsionRadius::kUniform);
}

TEST(PhysicsOptions, OfAPresetReplaceAllChoicesOfTheScene) {
  EXPECT_NE(physics_error("--preset ecp --facets 6").find("cone quadratic has none"), std::string::npos);
  const PhysicsConfig ecp = physics_after("--preset ecp"), dqc = physics_after("--preset dqc");
  EXPECT_EQ(ecp.dynamics, Dynamics::kDynamic);
  EXPECT_EQ(ecp.law, ContactLaw::kCoulomb);
  EXPECT_EQ(ecp.cone, ConeType::kQuadratic);
  EXPECT_EQ(ecp.contact, ContactModel::kPatch);
  EXPECT_EQ(ecp.geometry, ContactGeometry::kEnd);
  EXPECT_EQ(ecp.rotation, Rotation::kLinear);
  EXPECT_EQ(ecp.torsion_radius, TorsionRadius::kModel);
  EXPECT_EQ(dqc.contact, ContactModel::kPoints);
}

TEST(PhysicsOptions, TakePrecedenceOverTheirPreset) {
  const PhysicsConfig physics =
      physics_after("--rotation exact --preset ecp --dynamics dynamic_fitted --contact points");
  EXPECT_EQ(physics.dynamics, Dynamics::kDynamicFitted);
  EXPECT_EQ(physics.contact, ContactModel::kPoints);
  EXPECT_EQ(physics.geometry, ContactGeometry::kEnd);
  EXPECT_EQ(physics.rotation, Rotation::kExact);
}

TEST(PhysicsOptions, OfThePatchLawAreCoulombsBetweenPatches) {
  const PhysicsConfig patch = physics_after("--law patch");
  EXPECT_EQ(patch.dynamics, Dynamics::kKinematic);
  EXPECT_EQ(patch.law, ContactLaw::kCoulomb);
  EXPECT_EQ(patch.cone, ConeType::kQuadratic);
  EXPECT_EQ(patch.contact, ContactModel::kPatch);
  EXPECT_EQ(patch.geometry, ContactGeometry::kEnd);
  EXPECT_EQ(physics_after("--geometry start --law patch").geometry, ContactGeometry::kStart);
  EXPECT_EQ(physics_after("--cone box --law patch").cone, ConeType::kBox);
  EXPECT_EQ(physics_after("--law patch --preset dlc").contact, ContactModel::kPatch);
}

TEST(PhysicsOptions, ThatAreNoWordsOrExcludeEachOtherAreNamed) {
  EXPECT_EQ(physics_error("--law patch --contact points"),
            "--contact points: it excludes --law patch; leave one of them out");
  EXPECT_NE(physics_error("--preset none").find("--preset none: unknown; it takes quasistatic_lcp"), std::string::npos);
  EXPECT_EQ(physics_error("--law ice"), "--law ice: unknown; it takes anitescu, coulomb, frictionless, patch");
  EXPECT_EQ(physics_error("--contact face"), "--contact face: unknown; it takes points, patch");
  EXPECT_EQ(physics_error("--geometry mid"), "--geometry mid: unknown; it takes start, end");
  EXPECT_EQ(physics_error("--rotation none"), "--rotation none: unknown; it takes exact, linear");
  EXPECT_EQ(physics_error("--torsion-radius 3"), "--torsion-radius 3: unknown; it takes model, uniform");
}

TEST(RunOptions, BecomeARecordingPlan) {
  const RecordingPlan plan = recording_plan(parse("--batch 9 --out a.h5 --record contacts --every 4 --envs 8,0-2"));
  EXPECT_EQ(plan.file, "a.h5");
  EXPECT_EQ(plan.level, RecordLevel::kContacts);
  EXPECT_EQ(plan.every, 4);
  EXPECT_EQ(plan.envs, (std::vector<int>{8, 0, 1, 2}));
  EXPECT_EQ(recording_plan(parse("--out a.h5")).level, RecordLevel::kState);
  EXPECT_EQ(recording_plan(parse("")).file, "");
}

TEST(RunOptions, OutOfRangeNameOptionAndValue) {
  EXPECT_NE(simulator_error("--batch 0").find("--batch 0: it takes whole numbers from 1"), std::string::npos);
  EXPECT_NE(simulator_error("--batch -3").find("--batch -3"), std::string::npos);
  EXPECT_NE(simulator_error("--batch 3000000000").find("--batch 3000000000"), std::string::npos);
  EXPECT_NE(simulator_error("--threads -1").find("--threads -1"), std::string::npos);
  EXPECT_EQ(simulator_error("--solve-threads 7").substr(0, 34), "--solve-threads 7: it takes 8, 32,");
  EXPECT_NE(simulator_error("--dtype half").find("--dtype half: unknown"), std::string::npos);
  EXPECT_NE(recording_error("--out a.h5 --every 0").find("--every 0"), std::string::npos);
  EXPECT_NE(recording_error("--out a.h5 --record all").find("--record all: unknown"), std::string::npos);
}

TEST(RunOptions, ThatNeedAFileSaySo) {
  EXPECT_EQ(recording_error("--record contacts"), "--record contacts needs --out FILE.h5");
  EXPECT_EQ(recording_error("--envs 0"), "--envs needs --out FILE.h5");
  EXPECT_EQ(recording_error("--record none"), "");
}

TEST(RunOptions, OfRecordingsCountForProblemsToo) {
  EXPECT_EQ(recording_error("--record-problems a.h5 --envs 0"), "");
  const ProblemPlan plan = problem_plan(parse("--record-problems a.h5 --batch 4 --envs 3,1 --every 5"));
  EXPECT_EQ(plan.file, "a.h5");
  EXPECT_EQ(plan.every, 5);
  EXPECT_EQ(plan.envs, (std::vector{3, 1}));
  EXPECT_EQ(problem_plan(parse("--record-problems a.h5 --batch 2")).envs, (std::vector{0, 1}));
}

TEST(RunOptions, RecordProblemsOnTheProcessorOnly) {
  EXPECT_EQ(simulator_options(parse("--record-problems a.h5")).device, "cpu");
  EXPECT_EQ(input_error([] { simulator_options(parse("--record-problems a.h5 --device cuda:1")); }),
            "--record-problems: with the device cpu only, not with cuda:1");
}

}  // namespace
}  // namespace stiction::test
