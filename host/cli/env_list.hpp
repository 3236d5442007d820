// Lists of environments as on the command line: "0,5,10-19".
#pragma once

#include <string>
#include <vector>

namespace stiction {

/// The environments in the given order. Throws InputError for anything that is no list, repeats an environment, or
/// names one that a batch of this size lacks.
std::vector<int> parse_env_list(const std::string& text, int batch);

}  // namespace stiction
