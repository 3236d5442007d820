// Claims: scenes of any number of bodies do what their names say.
#include "host/scene/families.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "host/api/simulator.hpp"
#include "host/backend/array_bytes.hpp"
#include "host/backend/capacity.hpp"
#include "tests/step/tolerances.hpp"

namespace stiction {
namespace {

constexpr double kHalf = 0.05;  // of every box [m]

struct Outcome {
  std::vector<double> first, last;  // qpos
  bool converged = true;
  int contacts = 0;  // of the last step
};

Outcome run_course(const std::string& name) {
  const Scene scene = *make_family_scene(name);
  Simulator simulator(scene, {.threads = 1});
  Outcome outcome{simulator.qpos(), {}, true, 0};
  const long steps = std::lround(scene.duration / scene.step_size);
  for (long s = 0; s < steps; ++s) outcome.converged = (simulator.step()[0] & status::kConverged) && outcome.converged;
  outcome.last = simulator.qpos();
  outcome.contacts = simulator.stats().contacts[0];
  return outcome;
}

double largest_change(const Outcome& o) {
  double largest = 0.0;
  for (std::size_t i = 0; i < o.first.size(); ++i) largest = std::max(largest, std::fabs(o.last[i] - o.first[i]));
  return largest;
}

/// Coordinate `axis` of box i where boxes are free joints from entry `first` on, `stride` entries apart.
double at(const std::vector<double>& qpos, int i, int axis, int first = 0, int stride = 7) {
  return qpos[static_cast<std::size_t>(first + stride * i + axis)];
}

TEST(Families, BoxesAndStacksOfAnySizeStandOnFourContactsEach) {
  for (const int n : {1, 3, 10, 70}) {  // 70: more blocks than a 64-bit mask holds
    const Outcome boxes = run_course("boxes:" + std::to_string(n));
    EXPECT_TRUE(boxes.converged) << n;
    EXPECT_EQ(boxes.contacts, 4 * n);
    EXPECT_LE(largest_change(boxes), tolerance::kFamilyRest) << n;
  }
  for (const int n : {1, 5, 10}) {
    const Outcome stack = run_course("stack:" + std::to_string(n));
    EXPECT_TRUE(stack.converged) << n;
    EXPECT_EQ(stack.contacts, 4 * n);
    EXPECT_LE(largest_change(stack), tolerance::kFamilyRest) << n;
  }
}

TEST(Families, APileStaysInItsPitAndOnItsFloor) {
  for (const int n : {1, 9, 27}) {
    const Outcome pile = run_course("pile:" + std::to_string(n));
    EXPECT_TRUE(pile.converged) << n;
    const double half_pit = 0.5 * std::max(2.0, std::ceil(std::cbrt(n))) * 2.9 * kHalf;
    double highest = 0.0;
    for (int i = 0; i < n; ++i) {
      EXPECT_LE(std::fabs(at(pile.last, i, 0)), half_pit - kHalf + tolerance::kFamilyOverlap) << n;
      EXPECT_LE(std::fabs(at(pile.last, i, 1)), half_pit - kHalf + tolerance::kFamilyOverlap) << n;
      EXPECT_GE(at(pile.last, i, 2), kHalf - tolerance::kFamilyOverlap) << n;
      highest = std::max(highest, at(pile.last, i, 2));
    }
    EXPECT_GE(pile.contacts, 3 * n) << n;
    if (n > 9) {
      EXPECT_GT(highest, 2 * kHalf) << "they lie on one another";
    }
  }
}

TEST(Families, EveryGripperLiftsItsBox) {
  for (const int n : {1, 3}) {
    const Outcome grip = run_course("grip:" + std::to_string(n));
    EXPECT_TRUE(grip.converged) << n;
    for (int i = 0; i < n; ++i) EXPECT_NEAR(at(grip.last, i, 2, 3, 10), kHalf + 0.1, tolerance::kFamilyLift) << i;
  }
}

TEST(Families, AnArmOfAnyLengthPushesItsBoxWithTheSameContacts) {
  for (const int n : {1, 2, 40}) {
    const Outcome arm = run_course("arm:" + std::to_string(n));
    EXPECT_TRUE(arm.converged) << n;
    EXPECT_EQ(arm.contacts, 8) << n;
    EXPECT_NEAR(at(arm.last, 0, 0, n) - at(arm.first, 0, 0, n), 0.1, tolerance::kFamilyLift) << n;
  }
}

/// Of an environment where each has its own scratch, as on a GPU.
double memory_of_boxes(int n) {
  const Scene scene = *make_family_scene("boxes:" + std::to_string(n));
  const Capacity capacity = choose_capacity(scene);
  return static_cast<double>(array_bytes<double>(*scene.model, capacity) + Simulator(scene).scratch_bytes());
}

TEST(Families, MemoryOfSeparateBoxesIsLinearInTheirNumber) {
  const double few = memory_of_boxes(64), twice = memory_of_boxes(128), many = memory_of_boxes(256);
  EXPECT_NEAR((many - twice) / (twice - few), 2.0, tolerance::kMemoryGrowth);
}

TEST(Families, EveryStepSizeHasRoomForFourTimesTheUsualContacts) {
  constexpr int kTimesUsual = 4;
  for (const char* name : {"boxes:16", "stack:8", "pile:27", "grip:4"}) {
    Scene scene = *make_family_scene(name);
    for (const double h : {0.005, 0.01, 0.02}) {
      scene.step_size = h;
      Simulator simulator(scene, {.threads = 1});
      double sum = 0.0;
      const long steps = std::lround(scene.duration / h);
      for (long s = 0; s < steps; ++s) {
        EXPECT_FALSE(simulator.step()[0] & (status::kContactsDropped | status::kPairsDropped)) << name << " " << h;
        sum += simulator.stats().contacts[0];
      }
      EXPECT_GE(simulator.max_contacts(), kTimesUsual * sum / static_cast<double>(steps)) << name << " " << h;
    }
  }
}

TEST(Families, NamesThatAreNoneAreLeftAloneAndBadNumbersAreRefused) {
  for (const char* name : {"scenes/iiwa_stack", "boxes", "crates:3", ""}) EXPECT_FALSE(make_family_scene(name)) << name;
  for (const char* name : {"boxes:", "boxes:0", "stack:-1", "pile:2.5", "grip:1025", "boxes:3x"})
    EXPECT_THROW(make_family_scene(name), InputError) << name;
}

}  // namespace
}  // namespace stiction
