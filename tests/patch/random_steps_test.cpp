// Claims: random steps of two bodies, from a cold start, solve (18), (19) of Xie and Chakraborty, as a residual written
// apart from the simulator says, or say that they are open; and they move as the reference does.
#include <gtest/gtest.h>

#include <algorithm>

#include "host/reference/patch_residual.hpp"
#include "tests/patch/produced_step.hpp"
#include "tests/patch/tolerances.hpp"
#include "tests/reference/random_patches.hpp"

namespace stiction::test {
namespace {

using reference::Dice;
using reference::PatchProblem;
using reference::PatchShape;

PatchShape random_cylinder(Dice& dice) {
  return reference::make_cylinder(dice.uniform(0.1, 1.0), dice.uniform(0.1, 0.5));
}

/// The largest residual, of impulses over m g h of the lighter body.
double residual_of(const PatchProblem& problem, const reference::PatchSolution& s) {
  const reference::PatchResidual r = reference::patch_residual(problem, s);
  const double mass = problem.G.fixed ? problem.F.mass : std::min(problem.F.mass, problem.G.mass);
  const double weight = mass * problem.gravity.norm() * problem.h;
  return std::max({r.motion / weight, r.friction / weight, r.configuration, r.points, r.gap, r.normal});
}

struct Tally {
  int steps = 0, open = 0, touching = 0;

  void add(const PatchProblem& problem, const ProducedStep& step, int seed) {
    ++steps;
    if (step.status != status::kConverged) {
      ++open;
      EXPECT_FALSE(step.status & status::kConverged) << "seed " << seed;
      return;
    }
    touching += step.patches;
    EXPECT_LE(residual_of(problem, step.solution), tolerance::kStep) << "seed " << seed;
  }
};

/// Steps of make_problem(dice) with seeds from `seed` on; e_t = e_o = 1.
template <class MakeProblem>
Tally take_steps(int seed, int count, MakeProblem make_problem) {
  Tally tally;
  for (int k = 0; k < count; ++k) {
    Dice dice(seed + k);
    PatchProblem problem = make_problem(dice);
    problem.ellipsoid[0] = problem.ellipsoid[1] = 1.0;
    const ProducedStep step = produce_step({}, problem);
    tally.add(problem, step, seed + k);
  }
  EXPECT_GT(tally.touching, count / 3);
  return tally;
}

TEST(RandomPatchSteps, OfPolytopesOnThePlaneAllSolve) {
  const Tally tally = take_steps(30000, 500, [](Dice& dice) {
    const PatchShape shape = reference::random_polytope(dice);
    return random_on_plane(dice, shape);
  });
  EXPECT_EQ(tally.open, 0);
}

TEST(RandomPatchSteps, OfCylindersOnThePlaneAllSolve) {
  const Tally tally = take_steps(300000, 500, [](Dice& dice) {
    const PatchShape shape = random_cylinder(dice);
    return random_on_plane(dice, shape);
  });
  EXPECT_EQ(tally.open, 0);
}

TEST(RandomPatchSteps, OfTwoPolytopesAllSolve) {
  const Tally tally = take_steps(300000, 300, [](Dice& dice) {
    const PatchShape shape_G = reference::random_polytope(dice), shape_F = reference::random_polytope(dice);
    return random_pair(dice, shape_G, shape_F);
  });
  EXPECT_EQ(tally.open, 0);
}

// A rim that lands on a face beside its border may stay open.
TEST(RandomPatchSteps, OfCylindersAndPolytopesAreSeldomOpen) {
  const Tally tally = take_steps(300000, 300, [](Dice& dice) {
    const PatchShape round = random_cylinder(dice), shape = reference::random_polytope(dice);
    return dice.integer(0, 1) == 0 ? random_pair(dice, round, shape) : random_pair(dice, shape, round);
  });
  EXPECT_LE(tally.open, 3);
}

/// How far the nearest of the reference's motions is from the simulator's.
double distance_to_reference(const PatchProblem& problem, const reference::PatchSolution& s) {
  double least = std::numeric_limits<double>::infinity();
  for (const reference::PatchSolution& other : reference::every_patch_step(problem))
    least =
        std::min(least, std::max((other.velocity_F - s.velocity_F).norm(), (other.velocity_G - s.velocity_G).norm()));
  return least;
}

TEST(RandomPatchSteps, MoveAsTheReferenceDoes) {
  for (int k = 0; k < 60; ++k) {
    Dice dice(600000 + k);
    const PatchShape shape = k % 2 == 0 ? reference::random_polytope(dice) : random_cylinder(dice);
    PatchProblem problem = random_on_plane(dice, shape);
    problem.ellipsoid[0] = problem.ellipsoid[1] = 1.0;
    problem.reach = 0.12;
    const ProducedStep step = produce_step({}, problem);
    if (step.status != status::kConverged) continue;
    EXPECT_LE(distance_to_reference(problem, step.solution), tolerance::kMotion) << "seed " << 600000 + k;
  }
}

}  // namespace
}  // namespace stiction::test
