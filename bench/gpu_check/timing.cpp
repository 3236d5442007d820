#include "bench/gpu_check/timing.hpp"

#include <cmath>
#include <cstdlib>
#include <thread>

#include "host/cli/bench_case.hpp"

namespace stiction::gpu_check {
namespace {

constexpr int kTimedSteps = 3;  // with events between the kernels, at most

/// For tests: GPU_CHECK_SLOW_STEPS=SECONDS makes every timed step take so much longer.
void slow_down(int steps) {
  if (const char* seconds = std::getenv("GPU_CHECK_SLOW_STEPS"))
    std::this_thread::sleep_for(std::chrono::duration<double>(std::atof(seconds) * steps));
}

}  // namespace

double SingleSteps::mean(double StepFigures::*figure) const {
  double sum = 0.0;
  for (const StepFigures& f : figures) sum += f.*figure;
  return sum / static_cast<double>(figures.size());
}

double SingleSteps::most(double StepFigures::*figure) const {
  double largest = 0.0;
  for (const StepFigures& f : figures) largest = std::fmax(largest, f.*figure);
  return largest;
}

double time_call(Backend& batch, int steps) {
  const Clock::time_point begin = Clock::now();
  batch.step(steps);
  batch.wait();
  slow_down(steps);
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

void time_single_steps(Backend& batch, int steps, SingleSteps& singles) {
  for (int s = 0; s < steps; ++s) {
    singles.seconds.push_back(time_call(batch, 1));
    singles.figures.push_back(read_figures(batch));
  }
}

void time_single_steps(Backend& batch, int steps, const Budget& budget, double expected, SingleSteps& singles) {
  int done = 0;
  do time_single_steps(batch, 1, singles);
  while (++done < steps && budget.left() > expected);
}

double time_from(const States& states, int steps, int environments, double least_seconds, Backend& batch) {
  double seconds = 0.0, done = 0.0;
  do {
    place(states, environments, batch);
    seconds += time_call(batch, steps);
    done += steps;
  } while (seconds < least_seconds);
  return environments * done / seconds;
}

void report_steps(const Subject& subject, const SingleSteps& steps, const std::string& which, Report& report) {
  report.measured(subject, "contacts mean" + which, steps.mean(&StepFigures::contacts), "-");
  report.measured(subject, "rows mean" + which, steps.mean(&StepFigures::rows), "-");
  report.measured(subject, "iterations mean" + which, steps.mean(&StepFigures::iterations), "-");
  report.measured(subject, "iterations most" + which, steps.most(&StepFigures::most_iterations), "-");
  report.measured(subject, "residual worst" + which, steps.most(&StepFigures::worst_residual), "-");
  report.measured(subject, "share converged" + which, steps.mean(&StepFigures::converged), "-");
  report.measured(subject, "batch step p50" + which, quantile(steps.seconds, 0.5), "s");
  report.measured(subject, "batch step p99" + which, quantile(steps.seconds, 0.99), "s");
  report.measured(subject, "single steps" + which, static_cast<double>(steps.seconds.size()), "-");
}

void report_kernels(const Subject& subject, const States& states, const Budget& budget, double expected, Backend& batch,
                    Report& report) {
  std::vector<KernelTime> sum;
  int steps = 0;
  place(states, subject.batch, batch);
  for (; steps < kTimedSteps && budget.left() > expected; ++steps) {
    const std::vector<KernelTime> times = batch.time_kernels();
    if (times.empty()) return report.skipped(subject, "kernels", "the host has none");
    if (sum.empty()) sum = std::vector<KernelTime>(times.size(), {"", 0.0, 0});
    for (std::size_t k = 0; k < times.size(); ++k) {
      sum[k].name = times[k].name;
      sum[k].seconds += times[k].seconds;
      sum[k].launches += times[k].launches;
    }
  }
  if (steps == 0) return report.skipped(subject, "kernels", "out of time");
  double launches = 0.0;
  for (const KernelTime& kernel : sum) {
    if (kernel.launches == 0) continue;  // a stage that these steps do not have
    report.measured(subject, "kernel " + kernel.name, kernel.seconds / steps, "s");
    launches += kernel.launches;
  }
  report.measured(subject, "launches a step", launches / steps, "-");
}

}  // namespace stiction::gpu_check
