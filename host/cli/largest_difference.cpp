#include "host/cli/largest_difference.hpp"

#include <cmath>
#include <limits>

namespace stiction {
namespace {

double difference(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0.0;
  const double apart = std::fabs(a - b);
  return std::isnan(apart) ? std::numeric_limits<double>::infinity() : apart;
}

}  // namespace

void LargestDifference::add(std::int64_t step, int env, std::span<const double> a, std::span<const double> b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    size_ = std::fmax(size_, std::fmax(std::fabs(a[i]), std::fabs(b[i])));  // fmax ignores NaN
    const double apart = difference(a[i], b[i]);
    if (!(apart > absolute_)) continue;
    absolute_ = apart;
    step_ = step;
    env_ = env;
  }
}

double LargestDifference::relative() const {
  if (absolute_ == 0.0) return 0.0;
  return std::isinf(absolute_) ? absolute_ : absolute_ / size_;
}

}  // namespace stiction
