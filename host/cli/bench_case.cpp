#include "host/cli/bench_case.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "host/cli/memory.hpp"
#include "host/cli/run_figures.hpp"

namespace stiction {
namespace {

constexpr int kWarmUpSteps = 2;  // warm caches and clocks; on a GPU also load what is loaded lazily

double step_and_time(Simulator& simulator) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  simulator.step();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

void add_figures(const Simulator& simulator, BenchResult& result) {
  const StepStats stats = simulator.stats();
  for (std::size_t env = 0; env < stats.contacts.size(); ++env) {
    result.contacts += stats.contacts[env];
    result.most_contacts = std::max(result.most_contacts, stats.contacts[env]);
    result.rows += stats.rows[env];
    result.iterations += stats.iterations[env];
    result.residual = larger_or_nan(result.residual, stats.residual[env]);
    result.converged += (simulator.status()[env] & status::kConverged) != 0;
  }
  result.env_steps += static_cast<std::int64_t>(stats.contacts.size());
}

}  // namespace

void run_round(const BenchCase& bench, double seconds, BenchResult& result) {
  Simulator simulator(bench.scene, bench.options);
  result.device = simulator.device_name();
  result.device_warning = simulator.device_warning();
  result.max_contacts = simulator.max_contacts();
  result.env_bytes = env_bytes(bench.scene, bench.options.dtype);
  result.scratch_bytes = simulator.scratch_bytes();
  const auto course = std::max(std::llround(bench.scene.duration / bench.scene.step_size), 1LL);
  simulator.step(static_cast<int>(std::min<long long>(kWarmUpSteps, course)));
  simulator.reset();

  double spent = 0.0;
  std::int64_t steps = 0;
  do {
    if (steps > 0 && steps % course == 0) simulator.reset();
    result.seconds.push_back(step_and_time(simulator));
    spent += result.seconds.back();
    add_figures(simulator, result);
    ++steps;
  } while (spent < seconds);
  result.rate.push_back(static_cast<double>(steps) * bench.options.batch / spent);
}

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return std::nan("");
  const auto rank = static_cast<std::ptrdiff_t>(std::ceil(q * static_cast<double>(values.size()))) - 1;
  const auto at = values.begin() + std::clamp<std::ptrdiff_t>(rank, 0, static_cast<std::ptrdiff_t>(values.size()) - 1);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace stiction
