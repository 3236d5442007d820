// Every solver in strided phase order.
#include "kernels/launch/host_solvers.hpp"

namespace stiction {

#define ST_SOLVER(enumerator, name, function, scratch_of, factors) \
  ST_HOST_SOLVER(template, enumerator, kStrided, factors)
#include "kernels/solver/solvers.inc"
#undef ST_SOLVER

}  // namespace stiction
