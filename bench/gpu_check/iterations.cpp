// Where the time of the kernel for warm starts goes, seen from outside: its seconds on the same problems with a limit
// on the iterations of all phases together, and a line through them.
//
//   seconds ≈ beside iterations + an iteration · iterations      least squares over the limits 1, 2, 4, 8
//
//   cold    after something else took the place of everything in the L2 cache
//   again   on the same problems, right after that
//
// One batch keeps every multiprocessor busy until its environments are done: its iterations are their mean. Of the
// other all environments are at work at once, each nearly alone on its multiprocessor, and the batch ends with the
// slowest: its iterations are the most of an environment.
#include <cstdio>
#include <optional>

#include "bench/gpu_check/batch.hpp"
#include "bench/gpu_check/course.hpp"
#include "bench/gpu_check/parts.hpp"
#include "host/cli/bench_case.hpp"
#include "host/model/choices.hpp"

namespace stiction::gpu_check {
namespace {

constexpr const char* kScenes[] = {"iiwa_stack", "hand_cube"};
constexpr int kBusyBatch = 4096, kLooseBatch = 256, kSmallBatch = 2;
constexpr int kLimits[] = {1, 2, 4, 8, 0};  // 0: the scene's own
constexpr int kTimes = 5, kSmallTimes = 1;  // the median counts

/// Iterations and seconds of solves with one limit.
struct Point {
  double iterations, seconds;
};

struct Line {
  double slope, intercept;
};

/// The line of least squares; none if all points have the same iterations.
std::optional<Line> fit(const std::vector<Point>& points) {
  double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
  for (const Point& p : points) {
    x += p.iterations, y += p.seconds;
    xx += p.iterations * p.iterations, xy += p.iterations * p.seconds;
  }
  const auto n = static_cast<double>(points.size());
  const double spread = n * xx - x * x;
  if (!(spread > 1e-9 * n * xx)) return std::nullopt;
  const double slope = (n * xy - x * y) / spread;
  return Line{slope, (y - slope * x) / n};
}

void report_line(const Subject& subject, const std::string& cache, const std::vector<Point>& points, Report& report) {
  if (points.size() < 2) return report.skipped(subject, "an iteration " + cache, "out of time");
  const std::optional<Line> line = fit(points);
  if (!line) return report.skipped(subject, "an iteration " + cache, "as many iterations with every limit");
  report.measured(subject, "an iteration " + cache, line->slope, "s");
  report.measured(subject, "beside iterations " + cache, line->intercept, "s");
  std::printf("  %-12s batch %5d %-5s: an iteration %.3g ms, beside them %.3g ms\n", subject.scene.c_str(),
              subject.batch, cache.c_str(), 1e3 * line->slope, 1e3 * line->intercept);
  std::fflush(stdout);
}

/// Solves of `scene` from these states with one limit.
SolveSeconds time_with(Scene scene, int limit, const States& states, int count, const Options& options) {
  if (limit > 0) scene.solver.max_iterations = scene.solver.max_total_iterations = limit;
  const std::unique_ptr<Backend> batch = make_batch(scene, on(options.device(), count, Dtype::kFloat64));
  place(states, count, *batch);
  return batch->time_solves(options.has_small_sizes() ? kSmallTimes : kTimes);
}

void measure_batch(const Scene& scene, const States& states, const Subject& subject, const Task& task) {
  std::vector<Point> cold, again;
  for (const int limit : kLimits) {
    const std::string which = limit > 0 ? " of at most " + std::to_string(limit) : " of all";
    if (task.budget.over()) {
      task.report.skipped(subject, "solve cold" + which, "out of time");
      continue;
    }
    const SolveSeconds seen = time_with(scene, limit, states, subject.batch, task.options);
    if (seen.cold.empty()) return task.report.skipped(subject, "solve cold", "the host has no kernels");
    const double cold_seconds = quantile(seen.cold, 0.5), again_seconds = quantile(seen.again, 0.5);
    task.report.measured(subject, "iterations" + which, seen.iterations, "-");
    task.report.measured(subject, "most iterations" + which, seen.most_iterations, "-");
    task.report.measured(subject, "solve cold" + which, cold_seconds, "s");
    task.report.measured(subject, "solve again" + which, again_seconds, "s");
    if (limit == 0) continue;  // few that take very long would bend the line
    const double iterations = subject.batch == kBusyBatch ? seen.iterations : seen.most_iterations;
    cold.push_back({iterations, cold_seconds});
    again.push_back({iterations, again_seconds});
  }
  report_line(subject, "cold", cold, task.report);
  report_line(subject, "again", again, task.report);
}

}  // namespace

void time_iterations(const Task& task) {
  const bool small = task.options.has_small_sizes();
  for (const char* name : kScenes) {
    const Scene scene = load_scene(task.options.scenes + "/" + name);
    const Course course = follow_course(scene, CourseParts::kMiddle, task.options);
    for (const int batch : small ? std::vector{kSmallBatch} : std::vector{kBusyBatch, kLooseBatch}) {
      Subject subject{"iterations", name};
      subject.solver = choice_name(solver_choice(), scene.solver.name);
      subject.factor = subject.dtype = name_of(Dtype::kFloat64);
      subject.batch = batch;
      try {
        measure_batch(scene, course.windows.front().states, subject, task);
      } catch (const OutOfMemory& error) {
        task.report.skipped(subject, "solve cold", error.what());
      }
    }
  }
}

}  // namespace stiction::gpu_check
