// Whether an LCP's inequalities alone have no solution, whatever its pivots said.
#pragma once

#include <span>

#include "kernels/problem/lcp.hpp"

namespace stiction {

/// True, with y (size) of kernels/problem/lcp.hpp, if no z >= 0 (free: any) has M z + q >= 0 (free: = 0); checked.
bool prove_infeasible(const LcpProblem<double>& problem, std::span<double> y);

}  // namespace stiction
