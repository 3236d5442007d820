// Messages may quote what a user's files contain; this turns them into one line that is safe for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace stiction {

/// Line breaks and tabs become spaces; other control characters and bytes that are not UTF-8 become \xNN.
std::string make_one_line(std::string_view text);

}  // namespace stiction
