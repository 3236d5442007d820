// Claim about random problems: the reference solves them to rounding, or says that it did not.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "host/reference/contact_solver.hpp"
#include "tests/reference/tolerances.hpp"

namespace stiction::reference {

/// Solves `count` problems, each made by make(); under Coulomb's law a few may have no solution.
template <class Make>
void expect_residuals_of_rounding(int count, Make make) {
  int settled = 0;
  double worst = 0.0;
  for (int k = 0; k < count; ++k) {
    const DenseProblem p = make();
    const ContactAnswer a = solve_contacts(p);
    EXPECT_NEAR(a.residual, residual(p, a.solution), tolerance::kExact) << "problem " << k;
    if (p.law == ContactLaw::kCoulomb && a.status != QpStatus::kSolved) continue;  // may have no solution
    ASSERT_EQ(a.status, QpStatus::kSolved) << "problem " << k << ", residual " << a.residual;
    EXPECT_LE(a.residual, tolerance::kResidualAny) << "problem " << k;
    EXPECT_LE(primal_violation(p, a.solution.v), tolerance::kViolation) << "problem " << k;
    worst = std::max(worst, a.residual);
    ++settled;
  }
  EXPECT_GE(settled, tolerance::kShareSettled * count);
  testing::Test::RecordProperty("settled", settled);
  testing::Test::RecordProperty("worst_residual", std::to_string(worst));
}

}  // namespace stiction::reference
