// Tables of numbers over time or steps from a file: comma-separated rows `time, ...`.
#pragma once

#include <string>
#include <vector>

namespace stiction {

struct NumberRow {
  std::string where;           // file:line
  std::vector<double> values;  // time or step first
};

/// Reads rows of finite numbers whose first numbers strictly increase. A first row of names is skipped, as are lines
/// that are empty or begin with #. `expected` says what a row holds and `first` what its first number is, for messages.
/// Throws InputError with file:line.
std::vector<NumberRow> read_number_rows(const std::string& file, const std::string& expected,
                                        const std::string& first = "time");

/// Throws InputError unless the row has `width` numbers.
void check_width(const NumberRow& row, std::size_t width, const std::string& expected);

}  // namespace stiction
