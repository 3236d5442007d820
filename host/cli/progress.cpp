#include "host/cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace stiction {
namespace {

constexpr int kBarWidth = 24;
constexpr double kInterval = 0.1;  // [s] between two drawings

double seconds_between(std::chrono::steady_clock::time_point a, std::chrono::steady_clock::time_point b) {
  return std::chrono::duration<double>(b - a).count();
}

}  // namespace

Progress::Progress(bool wanted, std::int64_t steps, double step_size, int batch)
    : active_(wanted && isatty(STDERR_FILENO)), steps_(steps), step_size_(step_size), batch_(batch) {}

Progress::~Progress() {
  if (shown_) std::fputc('\n', stderr);
}

void Progress::show(std::int64_t done, int failed) {
  if (!active_) return;
  const auto now = Clock::now();
  if (done < steps_ && seconds_between(last_, now) < kInterval) return;
  last_ = now;
  shown_ = true;
  const int filled = steps_ > 0 ? static_cast<int>(kBarWidth * done / steps_) : kBarWidth;
  const double speed = static_cast<double>(done) * batch_ / seconds_between(begin_, now);
  const std::string bar = std::string(filled, '#') + std::string(kBarWidth - filled, '.');
  fmt::print(stderr, "\r[{}] {}/{} steps  t {:.3f} s  {:.0f} env-steps/s  {} failed\033[K", bar, done, steps_,
             static_cast<double>(done) * step_size_, speed, failed);
  std::fflush(stderr);
}

}  // namespace stiction
