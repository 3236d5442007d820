// A whole iteration of the solve kernel, and beside it what its factor and solve alone would take if a library did them
// on the dense matrix of the system: a lower bound of a step that left its kernel for them. In the same run.
//
//   counted      multiply-adds of the factor by blocks (host/backend/step_work.hpp), and n³/6 of a dense one
//   measured     seconds of a batch: cuSOLVER's factor, cuSOLVER's solve; our solve kernel over its mean iterations
//   share        (factor + solve of cuSOLVER) / (an iteration of ours): above 1, leaving the kernel can not gain
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "bench/gpu_check/batch.hpp"
#include "bench/gpu_check/course.hpp"
#include "bench/gpu_check/cusolver.hpp"
#include "bench/gpu_check/parts.hpp"
#include "host/backend/step_work.hpp"
#include "host/cli/bench_case.hpp"
#include "host/model/choices.hpp"
#include "host/scene/families.hpp"

namespace stiction::gpu_check {
namespace {

constexpr const char* kScenes[] = {"gripper2d", "hand_cube", "iiwa_stack"};
constexpr const char* kFamilies[] = {"pile:100", "stack:100"};  // 600 dofs
constexpr int kBatch = 1024, kTimedSteps = 3;

/// Bound of |A x - b| / |b| of cuSOLVER's answer; the condition number of A is at most 9.
template <class Real>
constexpr double kErrorLimit = sizeof(Real) == sizeof(double) ? 1e-12 : 1e-4;

int steps_of_course(const Scene& scene) { return static_cast<int>(std::lround(scene.duration / scene.step_size)); }

/// Seconds of an iteration of the solve kernel for the whole batch, from `states` on; the batch waits for its slowest.
double iteration_seconds(const Scene& scene, const States& states, FactorMemory memory, const Options& options) {
  SimulatorOptions placed = on(options.device(), kBatch, Dtype::kFloat64);
  placed.factor_memory = memory;
  const std::unique_ptr<Backend> batch = make_batch(scene, placed);
  place(states, kBatch, *batch);
  double seconds = 0.0, iterations = 0.0;
  for (int s = 0; s < kTimedSteps; ++s) {
    for (const KernelTime& kernel : batch->time_kernels())
      if (kernel.name == "solve") seconds += kernel.seconds;
    iterations += read_figures(*batch).iterations;
  }
  return seconds / std::fmax(iterations, kTimedSteps);  // a solve without an iteration counts as one
}

/// cuSOLVER's factor and solve of dense systems of n dofs, beside `ours` [s]; skipped where it fails.
template <class Real>
void measure_cusolver(const Cusolver& cusolver, int n, double ours, const Subject& subject, Report& report) {
  try {
    const DenseFactor dense = cusolver.measure<Real>(n, kBatch);
    const double theirs = dense.factor_seconds + dense.solve_seconds;
    report.checked(subject, "cuSOLVER error", dense.error, "-", kErrorLimit<Real>);
    report.measured(subject, "cuSOLVER factor", dense.factor_seconds, "s");
    report.measured(subject, "cuSOLVER solve", dense.solve_seconds, "s");
    report.measured(subject, "cuSOLVER over an iteration", theirs / ours, "-");
    std::printf(", cuSOLVER %.3g ms", 1e3 * theirs);
  } catch (const NoCusolver& error) {
    report.skipped(subject, "cuSOLVER factor", error.what());
  } catch (const OutOfMemory& error) {
    report.skipped(subject, "cuSOLVER factor", error.what());
  }
}

/// Factors in Real: our iteration, and where there is a cuSOLVER its factor and solve beside it.
template <class Real>
void measure(Scene scene, const States& states, const Subject& subject, const Options& options,
             const Cusolver* cusolver, Report& report) {
  scene.solver.factor = sizeof(Real) == sizeof(double) ? Dtype::kFloat64 : Dtype::kFloat32;
  const double ours = iteration_seconds(scene, states, FactorMemory::kAuto, options);
  const double in_global = iteration_seconds(scene, states, FactorMemory::kGlobal, options);
  report.measured(subject, "iteration of the solve kernel", ours, "s");
  report.measured(subject, "with every factor in global memory", in_global, "s");
  std::printf("  %-12s factor %-8s batch %6d: an iteration %.3g ms, with the factor in global memory %.3g ms",
              subject.scene.c_str(), subject.factor.c_str(), kBatch, 1e3 * ours, 1e3 * in_global);
  if (cusolver) measure_cusolver<Real>(*cusolver, scene.model->nv, ours, subject, report);
  std::printf("\n");
  std::fflush(stdout);
}

/// Dofs, and multiply-adds of both factors.
void count(const Scene& scene, const Subject& subject, Report& report) {
  const double n = scene.model->nv;
  report.measured(subject, "dofs", n, "-");
  report.measured(subject, "multiply-adds of the factor by blocks", count_work(scene, steps_of_course(scene)).factor,
                  "-");
  report.measured(subject, "multiply-adds of a dense factor", n * n * n / 6.0, "-");
}

/// None where there is no library, which the report says.
std::unique_ptr<Cusolver> find_cusolver(const Options& options, Report& report) {
  try {
    return std::make_unique<Cusolver>(options.cusolver, options.gpu);
  } catch (const NoCusolver& error) {
    report.skipped({"dense_factor"}, "cuSOLVER", error.what());
    return {};
  }
}

std::vector<std::pair<std::string, Scene>> load_scenes(const Options& options) {
  std::vector<std::pair<std::string, Scene>> scenes;
  for (const char* name : kScenes) scenes.emplace_back(name, load_scene(options.scenes + "/" + name));
  for (const char* name : kFamilies) scenes.emplace_back(name, *make_family_scene(name));
  return scenes;
}

/// Both precisions of the factor on one scene, in the middle of its course.
void compare_on(const Scene& scene, Subject subject, const Cusolver* cusolver, const Task& task) {
  const Options& options = task.options;
  std::optional<Course> course;
  for (const auto& [factor, measure_factor] :
       {std::pair(Dtype::kFloat64, &measure<double>), {Dtype::kFloat32, &measure<float>}}) {
    subject.factor = name_of(factor);
    const std::string why = options.dry_run      ? "no GPU: dry run"
                            : options.small      ? "small sizes"
                            : task.budget.over() ? "out of time"
                                                 : "";
    if (!why.empty()) {
      task.report.skipped(subject, "iteration of the solve kernel", why);
      continue;
    }
    try {
      if (!course) course = follow_course(scene, CourseParts::kMiddle, options);
      measure_factor(scene, course->windows.front().states, subject, options, cusolver, task.report);
    } catch (const OutOfMemory& error) {
      task.report.skipped(subject, "iteration of the solve kernel", error.what());
    }
  }
}

}  // namespace

void compare_dense_factor(const Task& task) {
  std::unique_ptr<Cusolver> cusolver;
  if (!task.options.dry_run) cusolver = find_cusolver(task.options, task.report);
  for (const auto& [name, scene] : load_scenes(task.options)) {
    Subject subject{"dense_factor", name};
    subject.solver = choice_name(solver_choice(), scene.solver.name);
    subject.dtype = name_of(Dtype::kFloat64);
    subject.batch = kBatch;
    count(scene, subject, task.report);
    compare_on(scene, subject, cusolver.get(), task);
  }
}

}  // namespace stiction::gpu_check
