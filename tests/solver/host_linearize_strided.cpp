// The derivatives of a step in strided phase order.
#include "kernels/launch/host_linearize.hpp"

namespace stiction {

ST_HOST_LINEARIZE(template, double, kStrided)
ST_HOST_LINEARIZE(template, float, kStrided)

}  // namespace stiction
