// What a program waits for that looks at its environments after every step, as in learning and in control; through the
// simulator that it would use. Medians.
//
//   step                       one call of one step, waited for
//   reset of one and a step    one environment begins anew before the step
//   reset of all and a step
//   ctrl; step; qpos           the host writes ctrl of every environment, steps and reads qpos
//   kernels of a step          the time that the kernels of the step take by themselves
#include <functional>

#include "bench/gpu_check/batch.hpp"
#include "bench/gpu_check/parts.hpp"
#include "host/cli/bench_case.hpp"

namespace stiction::gpu_check {
namespace {

constexpr const char* kScenes[] = {"iiwa_stack", "hand_cube", "gripper2d"};
constexpr int kBatches[] = {1, 4096}, kSmallBatches[] = {1, 3};
constexpr int kMostCalls = 100, kSmallCalls = 2;
constexpr double kSeconds = 0.4;  // of the calls of one quantity

/// Calls `call` as often as the time allows.
std::vector<double> time_calls(bool small, const std::function<void()>& call) {
  std::vector<double> seconds;
  const Budget budget(kSeconds);
  const int most = small ? kSmallCalls : kMostCalls;
  while (static_cast<int>(seconds.size()) < most && (seconds.empty() || !budget.over())) {
    const Clock::time_point begin = Clock::now();
    call();
    seconds.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return seconds;
}

void report_kernel_seconds(const Scene& scene, const Subject& subject, const Task& task) {
  const std::unique_ptr<Backend> batch = start_batch(scene, on(task.options.device(), subject.batch, Dtype::kFloat64));
  batch->step(2);
  double seconds = 0.0;
  for (const KernelTime& kernel : batch->time_kernels()) seconds += kernel.seconds;
  if (seconds > 0.0)
    task.report.measured(subject, "kernels of a step", seconds, "s");
  else
    task.report.skipped(subject, "kernels of a step", "the host has none");
}

void measure(const Scene& scene, const Subject& subject, const Task& task) {
  const bool small = task.options.has_small_sizes();
  Simulator simulator(scene, on(task.options.device(), subject.batch, Dtype::kFloat64));
  const auto report = [&](const char* quantity, const std::function<void()>& call) {
    call();  // what comes with the first call
    const std::vector<double> seconds = time_calls(small, call);
    task.report.measured(subject, std::string(quantity) + " p50", quantile(seconds, 0.5), "s");
    task.report.measured(subject, std::string(quantity) + " p99", quantile(seconds, 0.99), "s");
  };
  report("step", [&] { simulator.step(); });
  const int last[] = {subject.batch - 1};
  report("reset of one and a step", [&] {
    simulator.reset(last);
    simulator.step();
  });
  report("reset of all and a step", [&] {
    simulator.reset();
    simulator.step();
  });
  const std::vector<double> ctrl = simulator.ctrl();
  report("ctrl; step; qpos", [&] {
    simulator.set_ctrl(ctrl);
    simulator.step();
    simulator.qpos();
  });
}

}  // namespace

void measure_latency(const Task& task) {
  for (const int batch : task.options.has_small_sizes() ? kSmallBatches : kBatches)
    for (const char* name : kScenes) {
      Subject subject{"latency", name};
      subject.dtype = name_of(Dtype::kFloat64);
      subject.batch = batch;
      if (task.budget.over()) {
        task.report.skipped(subject, "step p50", "out of time");
        continue;
      }
      const Scene scene = load_scene(task.options.scenes + "/" + name);
      measure(scene, subject, task);
      report_kernel_seconds(scene, subject, task);
    }
  task.report.skipped({"latency"}, "ctrl from torch", "this program has no Python");
}

}  // namespace stiction::gpu_check
