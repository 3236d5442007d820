// Checks of motions before any contact is computed from them.
#pragma once

#include "host/api/contact_from_motion.hpp"

namespace stiction {

/// Throws an InputError that names the array, its entry, what was expected and what was given.
void check_motions(const BodyMotions& motions);

}  // namespace stiction
