// Claims: the particle of Trinkle, Berard & Pang 2005, section 5, goes the way of each of its models, with every solver
// that knows the model; without friction the way depends on the solver's start.
//
// While the fence pushes, its row is active. Under Coulomb's law and in (36) the particle goes with it,
//   x⁺ = x_f + h ẋ_f,  Δy = min(slope Δx, h),  z = 0                                                        (1)
// where h is the way of the fence along y, and the slope that of the normal of the floor's friction section where it
// meets the direction (1, μ₂) of the fence's force:
//   disc  μ₂      polygon  tan of the middle of two directions      square  0 for μ₂ < 1, else ∞            (2)
// Under Anitescu's law the pyramid's least friction is along its bisector, v_x = v_y = v, and
//   x + h v = x_f + h ẋ_f + μ₂ h (1 − v),  z⁺ = μ₃ h v        (fence and floor, rate 1 of the fence along y)  (3)
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "host/api/simulator.hpp"
#include "host/model/choices.hpp"
#include "tests/step/tolerances.hpp"
#include "tests/support/solver_names.hpp"

namespace stiction {
namespace {

constexpr double kFloorFriction = 0.5, kInfinity = std::numeric_limits<double>::infinity();
constexpr int kSteps = 600;

Scene load_fence() {
  return load_scene((std::filesystem::path(STICTION_SOURCE_DIR) / "scenes" / "fence_particle").string());
}

/// The scene with another friction at the fence.
Scene fence_scene(double friction) {
  Scene scene = load_fence();
  auto model = std::make_shared<Model>(*scene.model);
  const int fence = scene.mocap.at(0).body;
  for (int p = 0; p < model->npair; ++p)
    for (int side = 0; side < 2; ++side)
      if (model->geom_body[model->pair_geom[2 * p + side]] == fence) model->pair_friction[5 * p] = friction;
  scene.model = model;
  return scene;
}

struct FenceModel {
  const char* name;
  ContactLaw law;
  ConeType cone;
  int facets;
  double y_end;  // as printed, with μ₂ = 0.5 [m]
};
constexpr double kPushed = 0.9000198726 - 0.7;  // x_end of every model but Anitescu's, from the start [m]
const FenceModel kModels[] = {
    {"anitescu", ContactLaw::kAnitescu, ConeType::kPyramid, 4, NAN},
    {"dlc4", ContactLaw::kCoulomb, ConeType::kPyramid, 4, 0.2000198726},
    {"dlc8", ContactLaw::kCoulomb, ConeType::kPyramid, 8, 0.0828509440},
    {"dqc", ContactLaw::kCoulomb, ConeType::kQuadratic, 4, 0.1000099363},
    {"lp", ContactLaw::kCoulomb, ConeType::kBox, 4, 0.0},
};

/// (2)
double slope(const FenceModel& model, double friction) {
  if (model.cone == ConeType::kQuadratic) return friction;
  if (model.cone == ConeType::kBox) return friction < 1.0 ? 0.0 : kInfinity;
  const double between = 2.0 * M_PI / model.facets;
  return std::tan((std::floor(std::atan(friction) / between) + 0.5) * between);
}

/// The model's state after step k, from the one before it.
std::vector<double> advance(const FenceModel& model, double friction, double h, int k, const std::vector<double>& q) {
  const double t = h * k, fence = 0.5 + 0.4 * std::sin(t) + h * 0.4 * std::cos(t);
  if (model.law == ContactLaw::kAnitescu) {  // (3)
    const double v = std::max((fence + friction * h - q[0]) / (h * (1.0 + friction)), 0.0);
    return {q[0] + h * v, q[1] + h * v, kFloorFriction * h * v};
  }
  const double pushed = std::max(fence - q[0], 0.0);  // (1)
  return {q[0] + pushed, q[1] + (pushed > 0.0 ? std::min(slope(model, friction) * pushed, h) : 0.0), 0.0};
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

struct FenceCase {
  FenceModel model;
  double friction;
  Dtype dtype;
  SolverName solver;
};

double position_tolerance(const FenceCase& c) {
  const bool quadratic = c.model.cone == ConeType::kQuadratic;
  if (c.dtype == Dtype::kFloat32) return quadratic ? tolerance::kFenceQuadraticSingle : tolerance::kFenceSingle;
  if (test::is_iterative(c.solver)) return tolerance::kFenceIterative;
  return quadratic ? tolerance::kFenceQuadratic : tolerance::kFence;
}

Scene scene_of(const FenceCase& c) {
  Scene scene = fence_scene(c.friction);
  scene.physics.law = c.model.law;
  scene.physics.cone = c.model.cone;
  scene.physics.facets = c.model.facets;
  scene.solver.name = c.solver;
  if (test::is_iterative(c.solver)) scene.solver.tolerance = tolerance::kFenceIterativeAsked;
  return scene;
}

std::vector<FenceCase> every_case() {
  std::vector<FenceCase> cases;
  for (const FenceModel& model : kModels)
    for (const double friction : {0.5, 3.0})
      for (const Dtype dtype : {Dtype::kFloat64, Dtype::kFloat32})
        for (const SolverName solver : test::kEverySolver)
          if (can_solve(solver, model.cone)) cases.push_back({model, friction, dtype, solver});
  return cases;
}

class FenceParticle : public testing::TestWithParam<FenceCase> {};

/// A direct solver runs free; an iterative one is put back on the model's way before each step, and may leave one step
/// in a hundred beyond the tolerance, which it must say.
TEST_P(FenceParticle, GoesTheWayOfItsModel) {
  const FenceCase& c = GetParam();
  const Scene scene = scene_of(c);
  const bool restarted = test::is_iterative(c.solver);
  Simulator sim(scene, {.device = "cpu", .dtype = c.dtype});
  std::vector<double> q = scene.qpos;
  int beyond = 0, moved = 0;
  for (int k = 0; k < kSteps; ++k) {
    if (restarted) sim.set_qpos(q);
    const std::vector<double> before = q;
    const bool converged = sim.step()[0] == status::kConverged;
    q = advance(c.model, c.friction, scene.step_size, k, q);
    moved += q[0] > before[0] ? 1 : 0;
    const double off = distance(sim.qpos(), q);
    const bool within = off <= position_tolerance(c);
    beyond += within ? 0 : 1;
    EXPECT_TRUE(converged || restarted) << "step " << k << ": " << status_names(sim.status()[0]);
    EXPECT_TRUE(within || (restarted && !converged)) << "step " << k << ": off by " << off;
  }
  EXPECT_LE(beyond, tolerance::kFenceFlagged * kSteps);
  EXPECT_GE(moved, 100);
  if (c.model.law == ContactLaw::kAnitescu) return;
  EXPECT_NEAR(q[0] - scene.qpos[0], kPushed, tolerance::kFence);
  if (c.friction > 1.0) return;
  EXPECT_NEAR(q[1], c.model.y_end, tolerance::kFence);
}

INSTANTIATE_TEST_SUITE_P(EveryModelAndSolver, FenceParticle, testing::ValuesIn(every_case()), [](const auto& info) {
  const FenceCase& c = info.param;
  return std::string(c.model.name) + (c.friction > 1.0 ? "_rough_" : "_") + test::name_of(c.solver) +
         (c.dtype == Dtype::kFloat32 ? "_single" : "");
});

TEST(FenceParticle, GoesTheSameWayInTheReference) {
  const Scene scene = load_fence();
  Simulator sim(scene, {.device = "reference"});
  std::vector<double> q = scene.qpos;
  for (int k = 0; k < kSteps; ++k) {
    EXPECT_EQ(sim.step()[0], status::kConverged) << "step " << k;
    q = advance(kModels[0], kFloorFriction, scene.step_size, k, q);
    EXPECT_LE(distance(sim.qpos(), q), tolerance::kFence) << "step " << k;
  }
}

/// Where the first step takes the particle from a start of `velocity`.
std::vector<double> first_step(Scene scene, const char* device, const std::vector<double>& velocity) {
  scene.solver.start = velocity;
  Simulator sim(scene, {.device = device});
  EXPECT_EQ(sim.step()[0], status::kConverged);
  return sim.qpos();
}

/// Ways along x from the start at x = 0.7, and where the fence (0.504) and the wall (1) let them end.
const struct { double way, end; } kWays[] = {{-0.5, 0.504}, {-0.1, 0.6}, {0.0, 0.7}, {0.25, 0.95}, {2.0, 1.0}};

class FenceStart : public testing::TestWithParam<SolverName> {};

TEST_P(FenceStart, ChoosesTheMotionWithoutFriction) {
  Scene scene = load_fence();
  scene.physics.law = ContactLaw::kFrictionless;
  scene.solver.name = GetParam();
  const double h = scene.step_size;
  for (const auto& [way, end] : kWays)
    for (const double y : {-3.0, 0.0, 0.2}) {
      const std::vector<double> q = first_step(scene, "cpu", {way / h, y / h, 0.0});
      EXPECT_LE(distance(q, {end, y, 0.0}), tolerance::kFenceStart) << way << ", " << y;
    }
}

TEST_P(FenceStart, DoesNotMatterWithFriction) {
  for (const FenceModel& model : kModels) {
    if (!can_solve(GetParam(), model.cone)) continue;
    const Scene scene = scene_of({model, 0.5, Dtype::kFloat64, GetParam()});
    for (const auto& [way, end] : kWays) {
      const std::vector<double> q = first_step(scene, "cpu", {way / scene.step_size, 1.0, 0.0});
      EXPECT_LE(distance(q, scene.qpos), tolerance::kFenceIterative) << model.name << ", way " << way << " to " << end;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EverySolver, FenceStart, testing::ValuesIn(test::kEverySolver), test::solver_name);

TEST(FenceStart, ChoosesTheMotionOfTheReference) {
  Scene scene = load_fence();
  auto model = std::make_shared<Model>(*scene.model);
  std::fill(model->pair_friction.begin(), model->pair_friction.end(), 0.0);
  scene.model = model;
  for (const auto& [way, end] : kWays) {
    const std::vector<double> q = first_step(scene, "reference", {way / scene.step_size, 1.0, 0.0});
    EXPECT_LE(distance(q, {end, scene.step_size, 0.0}), tolerance::kFenceStart) << way;
  }
}

}  // namespace
}  // namespace stiction
