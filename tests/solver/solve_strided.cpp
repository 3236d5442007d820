// Every solver in strided phase order.
#include "tests/solver/solve.hpp"

namespace stiction::test {

#define ST_SOLVER(enumerator, name, function, scratch_of, factors) ST_SOLVE(template, enumerator, kStrided)
#include "kernels/solver/solvers.inc"
#undef ST_SOLVER

}  // namespace stiction::test
