// Checks of matrices from outside, which must be symmetric and positive semidefinite up to rounding.
#pragma once

#include <span>
#include <string>

namespace stiction {

bool all_finite(std::span<const double> values);

/// Writes S = ½(A + Aᵀ) of an (n, n) matrix and returns its asymmetry, max |A_ij − A_ji| / max |A_ij|.
double take_symmetric_part(std::span<const double> A, int n, std::span<double> S);

/// Throws InputError for problem i's matrix where its asymmetry is more than rounding (solve_problems.hpp).
void expect_symmetric(const std::string& name, int problem, double asymmetry);

/// Throws InputError where S (n, n), symmetric, has an eigenvalue that is negative beyond rounding.
void expect_semidefinite(const std::string& name, int problem, std::span<const double> S, int n);

}  // namespace stiction
