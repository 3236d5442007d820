// Whether the inequalities of an LCP alone have no solution, whatever its pivots found.
#pragma once

#include <span>

#include "kernels/problem/lcp.hpp"

namespace stiction {

/// True, with the certificate y (size) of kernels/problem/lcp.hpp, if no z >= 0 (free: any) has M z + q >= 0 (free: =
/// 0). The certificate is checked.
bool prove_infeasible(const LcpProblem<double>& problem, std::span<double> y);

}  // namespace stiction
