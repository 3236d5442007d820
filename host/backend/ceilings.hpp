// The ceilings of this machine's processors; those of a GPU are measured by kernels/launch/ceilings.cu.
#pragma once

#include "kernels/launch/ceilings.hpp"

namespace stiction {

/// Measures `threads` >= 1 host threads together. It takes about a third of a second and 256 MiB.
Ceilings measure_host_ceilings(int threads);

}  // namespace stiction
