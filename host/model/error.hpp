// The error for bad input of a user: one line that says what is wrong, where, and what to do.
#pragma once

#include <stdexcept>
#include <string>

namespace stiction {

/// Thrown for bad input at the edge of the library; the command line exits with code 2.
/// Its message is one line, whatever the input contains.
class InputError : public std::runtime_error {
 public:
  explicit InputError(const std::string& message) : std::runtime_error(one_line(message)) {}

 private:
  static constexpr std::size_t kLongest = 600;  // [characters] enough for two paths and a sentence

  /// The message with white space and control characters turned into single spaces, cut at kLongest.
  static std::string one_line(const std::string& message) {
    std::string line;
    for (const char c : message) {
      const bool blank = static_cast<unsigned char>(c) <= ' ' || c == '\x7f';
      if (!blank) line += c;
      if (blank && !line.empty() && line.back() != ' ') line += ' ';
    }
    if (!line.empty() && line.back() == ' ') line.pop_back();
    return line.size() <= kLongest ? line : line.substr(0, kLongest) + " ...";
  }
};

}  // namespace stiction
