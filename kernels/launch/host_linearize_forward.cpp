// The derivatives of a step in forward phase order.
#include "kernels/launch/host_linearize.hpp"

namespace stiction {

ST_HOST_LINEARIZE(template, double, kForward)
ST_HOST_LINEARIZE(template, float, kForward)

}  // namespace stiction
