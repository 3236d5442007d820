// All basic solutions of a small LCP: the last resort if pivots end in rays, which may happen for any M that is not
// positive semidefinite.
#pragma once

#include <span>

#include "kernels/problem/lcp.hpp"

namespace stiction {

/// Writes z of the first basis whose residual is within the tolerance, in the order of the subsets of restricted
/// unknowns. False if there is none, or if the problem is not small.
bool try_every_basis(const LcpProblem<double>& problem, double tolerance, std::span<double> z);

}  // namespace stiction
