// Commands over time: linear between knots, held before the first and after the last.
//
//   ctrl(t) = c_k + (t − t_k)/(t_{k+1} − t_k) (c_{k+1} − c_k),  t_k <= t < t_{k+1}
#include "host/scene/command_knots.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
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

void append_knot(const std::vector<std::string_view>& fields, const std::string& where, int nu, CommandKnots& knots) {
  if (fields.size() != static_cast<std::size_t>(nu) + 1) {
    throw InputError(where + ": the row has " + std::to_string(fields.size()) + " numbers, expected time and " +
                     std::to_string(nu) + " controls");
  }
  std::vector<double> row(fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (parse_number(fields[i], row[i])) continue;
    throw InputError(where + ": '" + std::string(fields[i]) + "' is not a finite number");
  }
  if (!knots.time.empty() && !(row[0] > knots.time.back())) {
    throw InputError(where + ": time " + std::string(fields[0]) + " is not after the row before; times must increase");
  }
  knots.time.push_back(row[0]);
  knots.ctrl.emplace_back(row.begin() + 1, row.end());
}

}  // namespace

std::vector<double> CommandKnots::sample(double t, int nu) const {
  if (time.empty()) return std::vector<double>(static_cast<std::size_t>(nu), 0.0);
  const auto after = std::upper_bound(time.begin(), time.end(), t);
  if (after == time.begin()) return ctrl.front();
  if (after == time.end()) return ctrl.back();
  const std::size_t next = static_cast<std::size_t>(after - time.begin());
  const double share = (t - time[next - 1]) / (time[next] - time[next - 1]);
  std::vector<double> value = ctrl[next - 1];
  for (std::size_t i = 0; i < value.size(); ++i) value[i] += share * (ctrl[next][i] - value[i]);
  return value;
}

CommandKnots read_command_file(const std::string& file, int nu) {
  std::error_code ignored;
  std::ifstream stream(file);
  if (!std::filesystem::is_regular_file(file, ignored) || !stream) {
    throw InputError(file + ": no such file; command_file needs rows of time and " + std::to_string(nu) + " controls");
  }
  CommandKnots knots;
  std::string line;
  bool first = true;
  for (int number = 1; std::getline(stream, line); ++number) {
    const std::string_view content = trim(line);
    if (content.empty() || content[0] == '#') continue;
    const std::vector<std::string_view> fields = split(content);
    double ignored_value = 0.0;
    const bool names = first && !parse_number(fields[0], ignored_value);
    first = false;
    if (!names) append_knot(fields, file + ":" + std::to_string(number), nu, knots);
  }
  if (knots.time.empty())
    throw InputError(file + ": holds no rows; give rows of time and " + std::to_string(nu) + " controls");
  return knots;
}

}  // namespace stiction
