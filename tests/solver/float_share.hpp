// How far single precision goes on generated problems.
#pragma once

#include <gtest/gtest.h>

#include "tests/solver/generated_problems.hpp"
#include "tests/solver/solve.hpp"
#include "tests/solver/tolerances.hpp"

namespace stiction::test {

/// Share of `count` problems, make(rng, options) in float, that `Solver` brings to kFloatResidual; its flags are
/// checked.
template <class Solver, class Make>
double share_of_floats(unsigned seed, int count, const Make& make) {
  Rng rng(seed);
  int converged = 0;
  for (int i = 0; i < count; ++i) {
    StackOptions o = random_options(rng);
    o.stiffness = 1000, o.max_mass = 0.1;
    RawProblem<float> p = convert<float>(make(rng, o));
    const auto a = solve_with<Solver>(p, kFloatResidual);
    for (float v : a.v) EXPECT_TRUE(std::isfinite(v)) << i;
    converged += a.has(status::kConverged);
    EXPECT_EQ(a.has(status::kConverged), a.report.residual <= static_cast<float>(kFloatResidual)) << i;
  }
  std::printf("share converged to %g in float: %.3f\n", kFloatResidual, converged / static_cast<double>(count));
  return static_cast<double>(converged) / count;
}

}  // namespace stiction::test
