// Every solver in backward phase order.
#include "kernels/launch/host_solvers.hpp"

namespace stiction {

#define ST_SOLVER(enumerator, name, function, scratch_of) ST_HOST_SOLVER(template, enumerator, kBackward)
#include "kernels/solver/solvers.inc"
#undef ST_SOLVER

}  // namespace stiction
