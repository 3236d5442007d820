// The derivatives of a step in backward phase order.
#include "kernels/launch/host_linearize.hpp"

namespace stiction {

ST_HOST_LINEARIZE(template, double, kBackward)
ST_HOST_LINEARIZE(template, float, kBackward)

}  // namespace stiction
