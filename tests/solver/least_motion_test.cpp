// Claim: of several motions that solve a step the direct solvers return the least of equal masses, wherever the free
// directions of a tree point, with pyramids and quadratic cones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tests/solver/generated_problems.hpp"
#include "tests/solver/samples.hpp"
#include "tests/solver/solve.hpp"
#include "tests/solver/tolerances.hpp"

namespace stiction::test {
namespace {

template <class Solver>
class LeastMotion : public testing::Test {};
using DirectSolvers = testing::Types<InteriorPoint, SolverOf<SolverName::kNewton>>;
TYPED_TEST_SUITE(LeastMotion, DirectSolvers);

constexpr std::size_t kDofs = 6, kRank = 2;

std::vector<double> random_entries(Rng& rng, std::size_t count) {
  std::vector<double> entries(count);
  for (double& x : entries) x = uniform(rng, -1, 1);
  return entries;
}

/// One dense block of rank 2 under contacts with random Jacobians; g = H w − Jᵀλ with λ in the cones, so that there is
/// a solution.
RawProblem<double> dense_problem(Rng& rng, ConeType cone, int contacts) {
  RawProblem<double> p;
  p.step_size = 0.1, p.cone = cone;
  const std::vector<double> zero(kDofs, 0), one(kDofs, 1);
  p.add_block(zero, zero, one, one);
  const auto A = random_entries(rng, kRank * kDofs), w = random_entries(rng, kDofs);
  for (std::size_t i = 0; i < kDofs; ++i)
    for (std::size_t j = 0; j < kDofs; ++j) {
      for (std::size_t r = 0; r < kRank; ++r) p.H[0][i * kDofs + j] += A[r * kDofs + i] * A[r * kDofs + j];
      p.g[i] += 0.3 * p.H[0][i * kDofs + j] * w[j];
    }
  for (int c = 0; c < contacts; ++c) {
    RawContact<double> contact;
    contact.block = {0, -1}, contact.J[0] = random_entries(rng, 3 * kDofs);
    contact.mu_t = contact.mu_o = 0.5;
    contact.gap_rate = std::max(0.0, uniform(rng, -0.2, 0.2));
    const double pressed = std::max(0.0, uniform(rng, -0.4, 1)), slope = uniform(rng, 0, 0.35);
    const double lambda[] = {pressed, slope * pressed, (0.35 - slope) * pressed};
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t j = 0; j < kDofs; ++j) p.g[j] -= contact.J[0][r * kDofs + j] * lambda[r];
    p.contacts.push_back(contact);
  }
  return p;
}

/// The limit of ε M → 0 in H + ε M, at an ε that leaves no choice.
RawProblem<double> with_little_mass(RawProblem<double> p) {
  for (std::size_t j = 0; j < kDofs; ++j) p.H[0][j * kDofs + j] += kLittleMass;
  return p;
}

TYPED_TEST(LeastMotion, IsThatOfAVanishingMass) {
  for (const ConeType cone : {ConeType::kPyramid, ConeType::kQuadratic}) {
    Rng rng(1057);
    int compared = 0, least = 0;
    for (int i = 0; i < samples(120); ++i) {
      RawProblem<double> p = dense_problem(rng, cone, 1 + i % 4), heavy = with_little_mass(p);
      const auto truth = solve_with<TypeParam, double>(heavy, kTight, nullptr, 500);
      const auto a = solve_with<TypeParam, double>(p, kAsked, nullptr, 500);
      EXPECT_TRUE(a.has(status::kConverged)) << i;
      if (!truth.has(status::kConverged)) continue;
      double size = 0, apart = 0;
      for (std::size_t j = 0; j < kDofs; ++j) {
        size = std::max(size, std::fabs(truth.v[j]));
        apart = std::max(apart, std::fabs(a.v[j] - truth.v[j]));
      }
      ++compared, least += apart <= kLeastMotion * std::max(size, 1.0);
    }
    std::printf("cone %d: %d of %d are the least motion\n", static_cast<int>(cone), least, compared);
    EXPECT_GE(compared, 0.95 * samples(120));
    EXPECT_GE(least, kShareOfLeastMotions * compared);
  }
}

}  // namespace
}  // namespace stiction::test
