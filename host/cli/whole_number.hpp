// Whole numbers from the command line.
#pragma once

namespace stiction {

/// The value as int if it is at least `least`; else an InputError that names the option (without its dashes).
int checked_int(const char* option, long long value, int least);

}  // namespace stiction
