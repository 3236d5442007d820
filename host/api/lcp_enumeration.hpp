// All basic solutions of a small LCP: the last resort where pivots end in rays, as they may for any M that is not
// positive semidefinite.
#pragma once

#include <span>

#include "kernels/problem/lcp.hpp"

namespace stiction {

/// z of the first basis, in the order of the subsets of restricted unknowns, whose residual is within the tolerance;
/// false if none is, or if the problem is not small.
bool try_every_basis(const LcpProblem<double>& problem, double tolerance, std::span<double> z);

}  // namespace stiction
