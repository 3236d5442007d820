// Commands over time: linear between knots, constant before the first and after the last.
//
//   ctrl(t) = c_k + (t − t_k)/(t_{k+1} − t_k) (c_{k+1} − c_k),  t_k <= t < t_{k+1}
#include "host/scene/command_knots.hpp"

#include <algorithm>

#include "host/scene/number_rows.hpp"

namespace stiction {

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
  const std::string expected = "time and " + std::to_string(nu) + " controls";
  CommandKnots knots;
  const std::vector<NumberRow> rows = read_number_rows(file, expected);
  for (const NumberRow& row : rows) check_width(row, static_cast<std::size_t>(nu) + 1, expected);
  check_increasing(rows, "time");
  for (const NumberRow& row : rows) {
    knots.time.push_back(row.values[0]);
    knots.ctrl.emplace_back(row.values.begin() + 1, row.values.end());
  }
  return knots;
}

}  // namespace stiction
