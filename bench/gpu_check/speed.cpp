// Environment-steps a second against batch size, never without what was solved.
//
//   throughput             environments · steps / seconds, over the windows of the course (course.hpp) in lock-step
//   throughput scattered   the same steps a call, with every environment at another place of the course
//   p50, p99               of calls of a single step [s]: a batch waits for its slowest environment
//   least bytes, least multiply-adds     that a step moves and makes, from its sizes (host/backend/step_work.hpp)
//
// Three routes: all in double, and with a factor in single precision, to 1e-6; all but the solver's state in single
// precision, to 1e-4. Other widths of a solve and places of its factor are timed in one window: they give the same
// bits.
//
// A batch may be so large that its steps take seconds. They are timed once, one by one, and where the time does not
// allow all of a window each window has the first of its steps; the note of its row says which.
#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>

#include "bench/gpu_check/largest_batch.hpp"
#include "bench/gpu_check/parts.hpp"
#include "bench/gpu_check/speed_plan.hpp"
#include "bench/gpu_check/timing.hpp"
#include "host/backend/ceilings.hpp"
#include "host/backend/step_work.hpp"
#include "host/cli/bench_case.hpp"
#include "host/model/choices.hpp"

namespace stiction::gpu_check {
namespace {

constexpr double kSecondsAWindow = 0.2, kSmallSecondsAWindow = 0.0;  // at least
constexpr int kCountedSteps = 20;                                    // on the host, for what a step multiplies
constexpr double kLongStep = 0.05;  // [s]: waiting for each of such steps takes nothing beside them
constexpr double kLeastSteps = 4;   // of a case: the first one, one that tells how long they take, and some that count
constexpr double kSlowerScattered = 2;  // a step of scattered environments, about, over one in lock-step

/// A scene, and what all its cases share.
struct TimedScene {
  std::string name;
  Scene scene;
  Course course;
  StepWork work;
  double window_seconds;
  std::map<int, double> step_seconds;  // by batch, of the case that came last

  /// Seconds of a step of `environments`, as far as other batches tell: one that is n times as large takes at most n
  /// times as long. 0: nothing is known.
  double expected_step(int environments) const {
    double least = 0.0;
    for (const auto& [batch, seconds] : step_seconds) {
      const double found = seconds * std::max(1.0, static_cast<double>(environments) / batch);
      if (least == 0.0 || found < least) least = found;
    }
    return least;
  }
};

/// Steps from one place of the course.
struct TimedSteps {
  double rate;  // environment-steps a second
  int count;    // of different steps

  /// "steps 24 to 31".
  std::string describe(int first) const {
    return "steps " + std::to_string(first) + " to " + std::to_string(first + count - 1);
  }
};

/// Times steps from `states`, which also join `singles`, one by one; long ones within `budget`, but one at least.
TimedSteps time_steps(const TimedScene& timed, const States& states, int environments, const Budget& budget,
                      Backend& batch, SingleSteps& singles) {
  const int steps = timed.course.timed_steps;
  const double expected = timed.step_seconds.at(environments);
  if (expected < kLongStep) {
    const double rate = time_from(states, steps, environments, timed.window_seconds, batch);
    place(states, environments, batch);
    time_single_steps(batch, steps, singles);
    return {rate, steps};
  }
  const auto before = static_cast<std::ptrdiff_t>(singles.seconds.size());
  place(states, environments, batch);
  time_single_steps(batch, steps, budget, expected, singles);
  const auto count = static_cast<int>(singles.seconds.size()) - static_cast<int>(before);
  return {environments * count / std::accumulate(singles.seconds.begin() + before, singles.seconds.end(), 0.0), count};
}

/// gripper2d has no random numbers of its own; environments that are all the same would never wait for one another.
void randomise(Scene& scene) {
  if (scene.name != "gripper2d") return;
  scene.randomize.seed = 1;
  scene.randomize.friction = Range{0.4, 0.6};
  scene.randomize.qpos_noise = {{0, {0.003}}};  // the ball, sideways [m]
}

Subject subject_of(const TimedScene& timed, const SpeedCase& one, int batch) {
  Subject subject{"speed", timed.name};
  subject.solver = choice_name(solver_choice(), timed.scene.solver.name);
  subject.factor = name_of(one.route.factor);
  subject.dtype = name_of(one.route.dtype);
  subject.solve_threads = one.solve_threads;
  subject.batch = batch;
  return subject;
}

std::string place_of(FactorMemory memory) {
  return memory == FactorMemory::kAuto     ? ""
         : memory == FactorMemory::kShared ? " with the factor in shared memory"
                                           : " with the factor in global memory";
}

/// Only the middle window, and the kernels of the solve in it.
void measure_variant(const TimedScene& timed, const SpeedCase& one, const Subject& subject, Backend& batch,
                     const Task& task) {
  const std::string which = place_of(one.factor_memory);
  for (const Course::LockStep& window : timed.course.windows) {
    if (window.window != &kMiddle) continue;
    SingleSteps singles;
    const TimedSteps seen = time_steps(timed, window.states, subject.batch, task.budget, batch, singles);
    task.report.measured(subject, "throughput middle" + which, seen.rate, "steps/s", seen.describe(window.first));
    std::printf("  %-12s batch %7d, %2d threads%s: %12.0f steps/s\n", timed.name.c_str(), subject.batch,
                subject.solve_threads, which.c_str(), seen.rate);
    place(window.states, subject.batch, batch);
    for (const KernelTime& kernel : batch.time_kernels())
      if (kernel.name == "warm" || kernel.name == "solve")
        task.report.measured(subject, "kernel " + kernel.name + " middle" + which, kernel.seconds, "s");
  }
}

void report_least_work(const TimedScene& timed, const SingleSteps& steps, const Subject& subject, Report& report) {
  const bool single = subject.dtype == name_of(Dtype::kFloat32);
  report.measured(subject, "least bytes a step", step_bytes(timed.scene, single, steps.mean(&StepFigures::contacts)),
                  "B");
  report.measured(subject, "least multiply-adds a step",
                  step_multiply_adds(timed.work, timed.scene.solver.name, SolveLanes::kMany,
                                     steps.mean(&StepFigures::iterations), steps.mean(&StepFigures::rows)),
                  "-");
}

/// All windows in lock-step; returns their steps, one by one. Scattered environments and the kernels want as much time
/// as a window.
SingleSteps measure_lock_step(const TimedScene& timed, const Subject& subject, Backend& batch, const Task& task) {
  SingleSteps singles;
  double seconds_a_step = 0.0, windows = 0.0;
  auto pieces = static_cast<double>(timed.course.windows.size() + 2);
  for (const Course::LockStep& window : timed.course.windows) {
    const std::string quantity = std::string("throughput ") + window.window->name;
    const Budget budget(task.budget.left() / pieces--);
    if (windows > 0.0 && task.budget.left() < timed.step_seconds.at(subject.batch)) {
      task.report.skipped(subject, quantity, "out of time");
      continue;
    }
    const TimedSteps seen = time_steps(timed, window.states, subject.batch, budget, batch, singles);
    task.report.measured(subject, quantity, seen.rate, "steps/s", seen.describe(window.first));
    seconds_a_step += 1.0 / seen.rate, windows += 1.0;
  }
  const double rate = windows / seconds_a_step;
  task.report.measured(subject, "throughput", rate, "steps/s");
  std::printf("  %-12s batch %7d %s, factor %s: %12.0f steps/s, p50 %.3g ms\n", timed.name.c_str(), subject.batch,
              subject.dtype.c_str(), subject.factor.c_str(), rate, 1e3 * quantile(singles.seconds, 0.5));
  return singles;
}

void measure_scattered(const TimedScene& timed, const Subject& subject, Backend& batch, const Task& task) {
  if (timed.course.scattered.environments == 0) return;
  if (task.budget.left() < kSlowerScattered * timed.step_seconds.at(subject.batch))
    return task.report.skipped(subject, "throughput scattered", "out of time");
  SingleSteps singles;
  const Budget half(task.budget.left() / 2);
  const TimedSteps seen = time_steps(timed, timed.course.scattered, subject.batch, half, batch, singles);
  task.report.measured(subject, "throughput scattered", seen.rate, "steps/s");
  report_steps(subject, singles, " scattered", task.report);
}

/// Brings everything to its place, and sees how long a step takes.
void time_first_steps(TimedScene& timed, int environments, Backend& batch) {
  const States& states = timed.course.windows.front().states;
  place(states, environments, batch);
  time_call(batch, 1);
  place(states, environments, batch);
  timed.step_seconds[environments] = time_call(batch, 1);
}

void measure_case(TimedScene& timed, const SpeedCase& one, const Subject& subject, const Task& task) {
  timed.scene.solver.factor = one.route.factor, timed.scene.solver.tolerance = one.route.tolerance;
  SimulatorOptions options = on(task.options.device(), subject.batch, one.route.dtype, one.solve_threads);
  options.factor_memory = one.factor_memory;
  const std::unique_ptr<Backend> batch = make_batch(timed.scene, options);
  time_first_steps(timed, subject.batch, *batch);
  if (one.solve_threads != 0 || one.factor_memory != FactorMemory::kAuto)
    return measure_variant(timed, one, subject, *batch, task);
  const SingleSteps singles = measure_lock_step(timed, subject, *batch, task);
  task.report.measured(subject, "dofs", timed.scene.model->nv, "-");
  task.report.measured(subject, "step size", timed.scene.step_size, "s");
  task.report.measured(subject, "tolerance", one.route.tolerance, "-");
  task.report.measured(subject, "memory", static_cast<double>(batch->environment_bytes()), "B/environment");
  report_steps(subject, singles, "", task.report);
  report_least_work(timed, singles, subject, task.report);
  measure_scattered(timed, subject, *batch, task);
  report_kernels(subject, timed.course.windows[timed.course.windows.size() / 2].states, task.budget,
                 timed.step_seconds.at(subject.batch), *batch, task.report);
}

/// The rate of multiply-adds once more, beside that of `machine`: a GPU that has become slower, as by heat, shows here.
void report_pace(const Task& task) {
  if (task.options.has_small_sizes()) return;
  const double rate = measure_cuda_ceilings(task.options.gpu).multiply_adds;
  task.report.measured({"machine", task.piece}, "multiply-add rate float64 later", rate, "1/s");
}

/// The cases in their order, as far as the time allows.
void measure_cases(const Task& task, std::vector<SpeedCase> (*plan)(const Scene&, const Options&)) {
  const Options& options = task.options;
  Scene scene = load_scene(options.scenes + "/" + task.piece);
  randomise(scene);
  const CourseParts wanted = options.is_brief() ? CourseParts::kMiddle : CourseParts::kAll;
  TimedScene timed{task.piece,
                   scene,
                   follow_course(scene, wanted, options),
                   count_work(scene, kCountedSteps),
                   options.has_small_sizes() ? kSmallSecondsAWindow : kSecondsAWindow,
                   {}};
  for (const SpeedCase& one : plan(scene, options)) {
    LargestBatch largest{one.batch, ""};
    if (one.batch == kLargest) largest = find_largest_batch(scene, one.route.dtype, options);
    const Subject subject = subject_of(timed, one, largest.environments);
    const std::string quantity = "throughput" + place_of(one.factor_memory);
    if (task.budget.left() <= kLeastSteps * timed.expected_step(subject.batch)) {
      task.report.skipped(subject, quantity, "out of time");
      continue;
    }
    if (one.batch == kLargest)
      task.report.measured(subject, "largest batch", largest.environments, "-", "bound by: " + largest.bound);
    try {
      measure_case(timed, one, subject, task);
    } catch (const OutOfMemory& error) {
      task.report.skipped(subject, quantity, error.what());
    } catch (const InputError& error) {  // the factor does not fit there
      task.report.skipped(subject, quantity, error.what());
    }
    std::fflush(stdout);
  }
  report_pace(task);
}

}  // namespace

void measure_largest(const Task& task) { measure_cases(task, plan_largest); }

void measure_speed(const Task& task) { measure_cases(task, plan_speed); }

}  // namespace stiction::gpu_check
