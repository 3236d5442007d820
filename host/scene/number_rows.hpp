// Tables of numbers over time or steps from a file: comma-separated rows `time, ...`.
#pragma once

#include <string>
#include <vector>

namespace stiction {

struct NumberRow {
  std::string where;           // file:line
  std::vector<double> values;  // time or step first
};

/// Reads rows of finite numbers. A first row of names is skipped, as are lines that are empty or begin with #.
/// `expected` says what a row holds, for messages. Throws InputError with file:line.
std::vector<NumberRow> read_number_rows(const std::string& file, const std::string& expected);

/// Throws InputError unless the row has `width` numbers.
void check_width(const NumberRow& row, std::size_t width, const std::string& expected);

/// Throws InputError unless the first numbers of the rows strictly increase. `first` is what they are, "time" or
/// "step".
void check_increasing(const std::vector<NumberRow>& rows, const std::string& first);

/// The number as messages print it.
std::string print_number(double value);

}  // namespace stiction
