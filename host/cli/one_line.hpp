// Messages quote what a user's files contain; one line for a terminal is made of them here.
#pragma once

#include <string>
#include <string_view>

namespace stiction {

/// Line breaks and tabs become spaces; other control characters and bytes that are no UTF-8 become \xNN.
std::string make_one_line(std::string_view text);

}  // namespace stiction
