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
#include <cstdio>

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

/// A scene, and what all its cases share.
struct TimedScene {
  std::string name;
  Scene scene;
  Course course;
  StepWork work;
  double window_seconds;

  double rate_from(const States& states, int environments, Backend& batch) const {
    return time_from(states, course.timed_steps, environments, window_seconds, batch);
  }
};

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

/// Only the middle window, and the solve kernel in it.
void measure_variant(const TimedScene& timed, const SpeedCase& one, const Subject& subject, Backend& batch,
                     Report& report) {
  const std::string which = place_of(one.factor_memory);
  for (const Course::LockStep& window : timed.course.windows) {
    if (window.window != &kMiddle) continue;
    const double rate = timed.rate_from(window.states, subject.batch, batch);
    report.measured(subject, "throughput middle" + which, rate, "steps/s");
    std::printf("  %-12s batch %7d, %2d threads%s: %12.0f steps/s\n", timed.name.c_str(), subject.batch,
                subject.solve_threads, which.c_str(), rate);
    place(window.states, subject.batch, batch);
    for (const KernelTime& kernel : batch.time_kernels())
      if (kernel.name == "solve") report.measured(subject, "kernel solve middle" + which, kernel.seconds, "s");
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

/// All windows in lock-step; returns their steps, one by one.
SingleSteps measure_lock_step(const TimedScene& timed, const Subject& subject, Backend& batch, const Task& task) {
  SingleSteps singles;
  double seconds_a_step = 0.0, windows = 0.0;
  for (const Course::LockStep& window : timed.course.windows) {
    if (windows > 0.0 && task.budget.over()) {
      task.report.skipped(subject, std::string("throughput ") + window.window->name, "out of time");
      continue;
    }
    const double rate = timed.rate_from(window.states, subject.batch, batch);
    task.report.measured(
        subject, std::string("throughput ") + window.window->name, rate, "steps/s",
        "steps " + std::to_string(window.first) + " to " + std::to_string(window.first + timed.course.timed_steps - 1));
    seconds_a_step += 1.0 / rate, windows += 1.0;
    place(window.states, subject.batch, batch);
    time_single_steps(batch, timed.course.timed_steps, singles);
  }
  const double rate = windows / seconds_a_step;
  task.report.measured(subject, "throughput", rate, "steps/s");
  std::printf("  %-12s batch %7d %s, factor %s: %12.0f steps/s, p50 %.3g ms\n", timed.name.c_str(), subject.batch,
              subject.dtype.c_str(), subject.factor.c_str(), rate, 1e3 * quantile(singles.seconds, 0.5));
  return singles;
}

void measure_scattered(const TimedScene& timed, const Subject& subject, Backend& batch, const Task& task) {
  if (timed.course.scattered.environments == 0) return;
  if (task.budget.over()) return task.report.skipped(subject, "throughput scattered", "out of time");
  const double rate = timed.rate_from(timed.course.scattered, subject.batch, batch);
  task.report.measured(subject, "throughput scattered", rate, "steps/s");
  place(timed.course.scattered, subject.batch, batch);
  SingleSteps singles;
  time_single_steps(batch, timed.course.timed_steps, singles);
  report_steps(subject, singles, " scattered", task.report);
}

void measure_case(TimedScene& timed, const SpeedCase& one, const Subject& subject, const Task& task) {
  timed.scene.solver.factor = one.route.factor, timed.scene.solver.tolerance = one.route.tolerance;
  SimulatorOptions options = on(task.options.device(), subject.batch, one.route.dtype, one.solve_threads);
  options.factor_memory = one.factor_memory;
  const std::unique_ptr<Backend> batch = make_batch(timed.scene, options);
  place(timed.course.windows.front().states, subject.batch, *batch);
  time_call(*batch, 1);  // everything is where it belongs
  if (one.solve_threads != 0 || one.factor_memory != FactorMemory::kAuto)
    return measure_variant(timed, one, subject, *batch, task.report);
  const SingleSteps singles = measure_lock_step(timed, subject, *batch, task);
  task.report.measured(subject, "dofs", timed.scene.model->nv, "-");
  task.report.measured(subject, "step size", timed.scene.step_size, "s");
  task.report.measured(subject, "tolerance", one.route.tolerance, "-");
  task.report.measured(subject, "memory", static_cast<double>(batch->environment_bytes()), "B/environment");
  report_steps(subject, singles, "", task.report);
  report_least_work(timed, singles, subject, task.report);
  measure_scattered(timed, subject, *batch, task);
  report_kernels(subject, timed.course.windows[timed.course.windows.size() / 2].states, *batch, task.report);
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
  TimedScene timed{task.piece, scene, follow_course(scene, wanted, options), count_work(scene, kCountedSteps),
                   options.has_small_sizes() ? kSmallSecondsAWindow : kSecondsAWindow};
  for (const SpeedCase& one : plan(scene, options)) {
    LargestBatch largest{one.batch, ""};
    if (one.batch == kLargest) largest = find_largest_batch(scene, one.route.dtype, options);
    const Subject subject = subject_of(timed, one, largest.environments);
    const std::string quantity = "throughput" + place_of(one.factor_memory);
    if (task.budget.over()) {
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
