// What rays must be before they are cast.
#pragma once

#include "host/model/rays.hpp"

namespace stiction {

/// Throws InputError that names the first ray that is wrong, or the number that is.
void check_rays(const Rays& rays, int batch, int bodies);

}  // namespace stiction
