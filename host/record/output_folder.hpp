// The folder of a file that is going to be written.
#pragma once

#include <string>

namespace stiction {

/// Makes the folder of `file`, and those above it, where there is none. Throws InputError if it cannot be made.
void make_folder_of(const std::string& file);

}  // namespace stiction
