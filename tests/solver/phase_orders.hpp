// Claim about one problem: the order in which a phase visits its items changes no bit of the answer.
#pragma once

#include <gtest/gtest.h>

#include "tests/solver/solve.hpp"

namespace stiction::test {

template <class Real>
void expect_same_bits(const Answer<Real>& a, const Answer<Real>& b) {
  EXPECT_EQ(a.v, b.v);
  EXPECT_EQ(a.lambda, b.lambda);
  EXPECT_EQ(a.row_lambda, b.row_lambda);
  EXPECT_EQ(a.certificate, b.certificate);
  EXPECT_EQ(a.report.status, b.report.status);
  EXPECT_EQ(a.report.iterations, b.report.iterations);
}

template <class Solver, class Real, class Factor = Real>
void expect_order_does_not_matter(RawProblem<Real>& p, double tolerance, int max_iterations = 50) {
  const auto forward =
      solve_with<Solver, Real, HostTeam<PhaseOrder::kForward>, Factor>(p, tolerance, nullptr, max_iterations);
  expect_same_bits(forward, solve_with<Solver, Real, HostTeam<PhaseOrder::kBackward>, Factor>(p, tolerance, nullptr,
                                                                                              max_iterations));
  expect_same_bits(
      forward, solve_with<Solver, Real, HostTeam<PhaseOrder::kStrided>, Factor>(p, tolerance, nullptr, max_iterations));
}

}  // namespace stiction::test
