// Random steps: every one is solved to rounding, and almost always by one feature only.
#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "host/reference/patch_residual.hpp"
#include "tests/reference/patch_scene.hpp"
#include "tests/reference/random_patches.hpp"
#include "tests/reference/tolerances.hpp"

namespace stiction::reference {
namespace {

// some times what these bodies move in a step [m]
constexpr double kReach = 0.12;

struct Tally {
  int none = 0;                                                    // steps that no feature solves
  int several = 0;                                                 // steps that more than one motion solves
  std::map<std::pair<PatchFeatureKind, PatchFriction>, int> seen;  // answers of each kind

  void add(const PatchProblem& problem, const PatchSolution& s, int k) {
    none += s.consistent == 0;
    if (s.consistent == 0) return;
    EXPECT_LE(patch_residual(problem, s).largest(), tolerance::kPatch) << "problem " << k;
    EXPECT_GE(s.consistent, s.motions) << "problem " << k;
    several += s.motions > 1;
    ++seen[{s.feature.kind, s.friction}];
  }

  /// The test means something only if each of these kinds came up, sticking and slipping.
  void expect_all(const std::vector<PatchFeatureKind>& kinds) {
    for (PatchFeatureKind kind : kinds)
      for (PatchFriction friction : {PatchFriction::kStick, PatchFriction::kSlip})
        EXPECT_GT((seen[{kind, friction}]), 0) << static_cast<int>(kind) << " " << static_cast<int>(friction);
    EXPECT_GT((seen[{PatchFeatureKind::kNone, PatchFriction::kNone}]), 0);
  }
};

TEST(PatchRandom, PolytopesOnThePlaneHaveOneSolution) {
  Tally tally;
  for (int k = 0; k < 150; ++k) {
    Dice dice(1000 + k);
    const PatchShape shape = random_polytope(dice);
    PatchProblem problem = random_on_plane(dice, shape);
    problem.reach = kReach;
    tally.add(problem, step_patch(problem), k);
  }
  EXPECT_EQ(tally.several, 0);
  tally.expect_all({PatchFeatureKind::kCornerOnFace, PatchFeatureKind::kEdgeOnFace, PatchFeatureKind::kFaceOnFace});
}

TEST(PatchRandom, CylindersOnThePlaneHaveOneSolution) {
  Tally tally;
  for (int k = 0; k < 200; ++k) {
    Dice dice(2000 + k);
    const PatchShape shape = make_cylinder(dice.uniform(0.1, 1.0), dice.uniform(0.1, 0.5));
    const PatchProblem problem = random_on_plane(dice, shape);
    tally.add(problem, step_patch(problem), k);
  }
  EXPECT_EQ(tally.several, 0);
  tally.expect_all({PatchFeatureKind::kRimOnFace, PatchFeatureKind::kLineOnFace, PatchFeatureKind::kDiskOnFace});
}

TEST(PatchRandom, ReachLeavesOutNoSolutionThatIsWithinIt) {
  for (int k = 0; k < 20; ++k) {
    Dice dice(3000 + k);
    const PatchShape shape = random_polytope(dice);
    PatchProblem problem = random_on_plane(dice, shape);
    const PatchSolution all = step_patch(problem);
    problem.reach = kReach;
    const PatchSolution near = step_patch(problem);
    EXPECT_EQ(near.consistent, all.consistent) << "problem " << k;
    EXPECT_EQ(near.velocity_F, all.velocity_F) << "problem " << k;
  }
}

PatchProblem exchanged(const PatchProblem& problem) {
  PatchProblem other = problem;
  std::swap(other.F, other.G);
  return other;
}

/// F and G may change names. Steps that several motions solve are left out: which ones are within reach may differ.
void expect_same_exchanged(const PatchProblem& problem, const PatchSolution& s, int k) {
  const PatchSolution other = step_patch(exchanged(problem));
  ASSERT_EQ(other.consistent > 0, s.consistent > 0) << "problem " << k;
  if (s.consistent > 1 || other.consistent > 1) return;
  EXPECT_LE((s.velocity_F - other.velocity_G).norm(), tolerance::kPatch) << "problem " << k;
  EXPECT_LE((s.velocity_G - other.velocity_F).norm(), tolerance::kPatch) << "problem " << k;
  const Eigen::Vector3d force = s.axes * s.impulse.head<3>(), back = other.axes * other.impulse.head<3>();
  EXPECT_LE((force + back).norm(), tolerance::kPatch) << "problem " << k;
}

/// Steps of `count` pairs make_pair(dice, k), the seeds of whose dice begin at `seed`; every sixth also exchanged.
template <class MakePair>
Tally solve_pairs(int seed, int count, MakePair make_pair) {
  Tally tally;
  for (int k = 0; k < count; ++k) {
    Dice dice(seed + k);
    PatchProblem problem = make_pair(dice, k);
    problem.reach = kReach;
    const PatchSolution s = step_patch(problem);
    tally.add(problem, s, k);
    if (k % 6 == 0) expect_same_exchanged(problem, s, k);
  }
  return tally;
}

// Beside an edge two motions may solve a step, or a touch and passing the other body within the step: few of them do.
TEST(PatchRandom, PairsOfPolytopesAreSolvedWhicheverIsFirst) {
  Tally tally = solve_pairs(4000, 120, [](Dice& dice, int) {
    const PatchShape shape_G = random_polytope(dice), shape_F = random_polytope(dice);
    return random_pair(dice, shape_G, shape_F);
  });
  EXPECT_EQ(tally.none, 0);
  EXPECT_EQ(tally.several, 3);
  tally.expect_all({PatchFeatureKind::kCornerOnFace, PatchFeatureKind::kEdgeOnFace, PatchFeatureKind::kEdgeOnEdge});
}

TEST(PatchRandom, CylindersAndPolytopesAreSolvedWhicheverIsFirst) {
  Tally tally = solve_pairs(5000, 200, [](Dice& dice, int k) {
    const PatchShape round = make_cylinder(dice.uniform(0.2, 1.0), dice.uniform(0.1, 0.5));
    const PatchShape shape = random_polytope(dice);
    return k % 2 == 0 ? random_pair(dice, round, shape) : random_pair(dice, shape, round);
  });
  EXPECT_EQ(tally.none, 0);
  EXPECT_EQ(tally.several, 1);
  tally.expect_all({PatchFeatureKind::kCornerOnFace, PatchFeatureKind::kEdgeOnFace, PatchFeatureKind::kRimOnFace,
                    PatchFeatureKind::kLineOnFace, PatchFeatureKind::kDiskOnFace, PatchFeatureKind::kRimOnEdge,
                    PatchFeatureKind::kCornerOnMantle, PatchFeatureKind::kEdgeAcrossMantle});
}

}  // namespace
}  // namespace stiction::reference
