#include "host/cli/one_line.hpp"

#include <fmt/format.h>

namespace stiction {
namespace {

/// Bytes of the well-formed UTF-8 character at the front of `text`; 0 if there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t length = byte(0) < 0x80 ? 1 : byte(0) < 0xC2 ? 0 : byte(0) < 0xE0 ? 2 : byte(0) < 0xF0 ? 3 : 4;
  if (length == 0 || byte(0) > 0xF4 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  const bool overlong = (byte(0) == 0xE0 && byte(1) < 0xA0) || (byte(0) == 0xF0 && byte(1) < 0x90);
  const bool surrogate_or_beyond = (byte(0) == 0xED && byte(1) > 0x9F) || (byte(0) == 0xF4 && byte(1) > 0x8F);
  return overlong || surrogate_or_beyond ? 0 : length;
}

}  // namespace

std::string make_one_line(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const auto first = static_cast<unsigned char>(text[0]);
    const bool c1_control = first == 0xC2 && length == 2 && static_cast<unsigned char>(text[1]) < 0xA0;
    if (first == '\n' || first == '\r' || first == '\t')
      line += ' ';
    else if (length == 0 || first < 0x20 || first == 0x7F || c1_control)
      for (const char byte : text.substr(0, length == 0 ? 1 : length))
        line += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    else
      line += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

}  // namespace stiction
