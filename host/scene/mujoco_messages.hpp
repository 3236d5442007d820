// MuJoCo's error messages as one line that begins with file:line.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace stiction {

/// The files of one compiled model: its own and the attached ones, each with the prefix of its names.
struct SourceFiles {
  std::string file;
  std::vector<std::pair<std::string, std::string>> attached;  // prefix, file

  /// The file that defines an element of this name; "" if that is ambiguous.
  std::string of(const std::string& element_name) const;
};

/// What MuJoCo reported about a model of these files, as "file:line: what (element 'name')".
std::string describe(const std::string& message, const SourceFiles& files);

/// The number after "line " or "Line number=", or 0.
int line_in(const std::string& text);

/// "file:line", or "file" for line 0.
std::string at_line(const std::string& file, int line);

}  // namespace stiction
