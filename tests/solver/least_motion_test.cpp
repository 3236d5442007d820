// Claim: of several motions that solve a step the direct solvers return the least, wherever the free directions of
// a tree point, with pyramids and quadratic cones, equal and unequal masses.
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

/// One dense block of rank 2 and a diagonal mass under contacts with random Jacobians; g = H w − Jᵀλ with λ in the
/// cones, so that there is a solution.
RawProblem<double> dense_problem(Rng& rng, ConeType cone, const std::vector<double>& mass, int contacts) {
  RawProblem<double> p;
  p.step_size = 0.1, p.cone = cone;
  const std::vector<double> zero(kDofs, 0), one(kDofs, 1);
  p.add_block(zero, zero, one, mass);
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
  for (std::size_t j = 0; j < kDofs; ++j) p.H[0][j * kDofs + j] += kLittleMass * p.M[0][j * kDofs + j];
  return p;
}

/// Of random problems whose masses are 1 to `spread` times the least: those that end at the least motion.
template <class Solver>
void expect_least_motions(ConeType cone, double spread) {
  Rng rng(1057);
  int compared = 0, least = 0;
  for (int i = 0; i < samples(120); ++i) {
    std::vector<double> mass(kDofs);
    for (double& m : mass) m = std::pow(spread, uniform(rng, -1, 0));
    RawProblem<double> p = dense_problem(rng, cone, mass, 1 + i % 4), heavy = with_little_mass(p);
    const auto truth = solve_with<Solver, double>(heavy, kTight, nullptr, 500);
    const auto a = solve_with<Solver, double>(p, kAsked, nullptr, 500);
    EXPECT_TRUE(a.has(status::kConverged)) << i;
    if (!truth.has(status::kConverged)) continue;
    double size = 0, apart = 0;
    for (std::size_t j = 0; j < kDofs; ++j) {
      size = std::max(size, std::fabs(truth.v[j]));
      apart = std::max(apart, std::fabs(a.v[j] - truth.v[j]));
    }
    ++compared, least += apart <= kLeastMotion * std::max(size, 1.0);
  }
  std::printf("cone %d, masses 1 to %g: %d of %d are the least motion\n", static_cast<int>(cone), spread, least,
              compared);
  EXPECT_GE(compared, 0.95 * samples(120));
  EXPECT_GE(least, kShareOfLeastMotions * compared);
}

TYPED_TEST(LeastMotion, IsThatOfAVanishingMass) {
  for (const ConeType cone : {ConeType::kPyramid, ConeType::kQuadratic}) expect_least_motions<TypeParam>(cone, 1);
}

TYPED_TEST(LeastMotion, IsThatOfUnequalMasses) {
  for (const ConeType cone : {ConeType::kPyramid, ConeType::kQuadratic}) expect_least_motions<TypeParam>(cone, 20);
}

}  // namespace
}  // namespace stiction::test
