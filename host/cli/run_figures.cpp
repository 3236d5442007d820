#include "host/cli/run_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stiction {

double larger_or_nan(double a, double b) { return std::isnan(a) || a > b ? a : b; }

void RunFigures::add(const StepStats& stats, std::span<const std::uint32_t> status, const StepTime& time) {
  ++steps_;
  time_.wall += time.wall;
  time_.processor += time.processor;
  env_steps_ += static_cast<std::int64_t>(status.size());
  for (std::size_t env = 0; env < status.size(); ++env) {
    converged_ += (status[env] & status::kConverged) != 0;
    contacts_ += stats.contacts[env];
    rows_ += stats.rows[env];
    iterations_ += stats.iterations[env];
    most_iterations_ = std::max(most_iterations_, stats.iterations[env]);
    residual_ = larger_or_nan(residual_, stats.residual[env]);
    penetration_ = larger_or_nan(penetration_, stats.penetration[env]);
    hover_ = larger_or_nan(hover_, stats.hover[env]);
  }
}

std::string RunFigures::describe(int batch, double step_size) const {
  if (env_steps_ == 0) return "no steps\n";
  const double n = static_cast<double>(env_steps_), per_environment = steps_ * step_size / time_.wall;
  std::string text;
  const auto line = [&](const char* name, const std::string& value) { text += fmt::format("{:<28}{}\n", name, value); };
  line("environment-steps/s",
       fmt::format("{:.0f}  ({} steps of {} environments in {:.3g} s)", n / time_.wall, steps_, batch, time_.wall));
  line("simulated seconds/s",
       fmt::format("{:.4g} per environment, {:.4g} in total", per_environment, per_environment * batch));
  line("processor time, mean", fmt::format("{:.4g} us per environment-step", 1e6 * time_.processor / n));
  line("contacts, mean", fmt::format("{:.1f}", contacts_ / n));
  line("rows, mean", fmt::format("{:.1f}", rows_ / n));
  line("iterations, mean (most)", fmt::format("{:.1f} ({})", iterations_ / n, most_iterations_));
  line("residual, worst", fmt::format("{:.2e}", residual_));
  line("steps converged", fmt::format("{:.3f} %", 100.0 * static_cast<double>(converged_) / n));
  line("penetration, largest", fmt::format("{:.3g} mm", 1e3 * penetration_));
  line("hover, largest", fmt::format("{:.3g} mm", 1e3 * hover_));
  return text;
}

}  // namespace stiction
