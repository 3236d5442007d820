#include "host/scene/number_rows.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "host/model/error.hpp"

namespace stiction {
namespace {

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t comma = line.find(',');
    fields.push_back(trim(line.substr(0, comma)));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

bool parse_number(std::string_view text, double& value) {
  if (!text.empty() && text[0] == '+') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

NumberRow parse_row(const std::vector<std::string_view>& fields, const std::string& where) {
  NumberRow row{where, std::vector<double>(fields.size())};
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (parse_number(fields[i], row.values[i])) continue;
    throw InputError(where + ": '" + std::string(fields[i]) + "' is not a finite number");
  }
  return row;
}

}  // namespace

std::vector<NumberRow> read_number_rows(const std::string& file, const std::string& expected) {
  std::error_code ignored;
  std::ifstream stream(file);
  if (!std::filesystem::is_regular_file(file, ignored) || !stream)
    throw InputError(file + ": no such file; it needs rows of " + expected);
  std::vector<NumberRow> rows;
  std::string line;
  bool first = true;
  for (int number = 1; std::getline(stream, line); ++number) {
    const std::string_view content = trim(line);
    if (content.empty() || content[0] == '#') continue;
    const std::vector<std::string_view> fields = split(content);
    double ignored_value = 0.0;
    const bool names = first && !parse_number(fields[0], ignored_value);
    first = false;
    if (names) continue;
    const std::string where = file + ":" + std::to_string(number);
    rows.push_back(parse_row(fields, where));
  }
  if (rows.empty()) throw InputError(file + ": holds no rows; give rows of " + expected);
  return rows;
}

void check_width(const NumberRow& row, std::size_t width, const std::string& expected) {
  if (row.values.size() == width) return;
  throw InputError(row.where + ": the row has " + std::to_string(row.values.size()) + " numbers, expected " + expected);
}

void check_increasing(const std::vector<NumberRow>& rows, const std::string& first) {
  for (std::size_t k = 1; k < rows.size(); ++k) {
    const double value = rows[k].values[0];
    if (value > rows[k - 1].values[0]) continue;
    throw InputError(rows[k].where + ": " + first + " " + print_number(value) + " is not after the row before; " +
                     first + "s must increase");
  }
}

std::string print_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", value);
  return text;
}

}  // namespace stiction
