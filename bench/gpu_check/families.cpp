// Environment-steps a second against the number of contacts: families of scenes (host/scene/families.hpp) of rising
// size, at one batch, in double, in the middle of their course.
#include "host/scene/families.hpp"

#include <algorithm>
#include <cstdio>

#include "bench/gpu_check/largest_batch.hpp"
#include "bench/gpu_check/parts.hpp"
#include "bench/gpu_check/timing.hpp"
#include "host/model/choices.hpp"

namespace stiction::gpu_check {
namespace {

// 4 to 256 contacts; small ones of all families first
constexpr const char* kFamilies[] = {"boxes:1",  "stack:1",  "pile:4",  "boxes:4",  "stack:4",  "pile:8",
                                     "boxes:16", "stack:16", "pile:16", "boxes:64", "stack:64", "pile:32"};
constexpr const char* kSmallFamilies[] = {"boxes:1", "stack:2", "pile:1"};
constexpr int kBatch = 4096;
constexpr double kSeconds = 0.2;  // of the calls of a scene, at least

void measure(const std::string& name, const Subject& of, const Task& task) {
  const bool small = task.options.has_small_sizes();
  const Scene scene = *make_family_scene(name);
  Subject subject = of;
  subject.solver = choice_name(solver_choice(), scene.solver.name);
  subject.factor = subject.dtype = name_of(Dtype::kFloat64);
  subject.batch = std::min(kBatch, find_largest_batch(scene, Dtype::kFloat64, task.options).environments);
  const Course course = follow_course(scene, CourseParts::kMiddle, task.options);
  const std::unique_ptr<Backend> batch = make_batch(scene, on(task.options.device(), subject.batch, Dtype::kFloat64));
  const States& states = course.windows.front().states;
  place(states, subject.batch, *batch);
  time_call(*batch, 1);  // everything is where it belongs
  const double rate = time_from(states, course.timed_steps, subject.batch, small ? 0.0 : kSeconds, *batch);
  SingleSteps singles;
  place(states, subject.batch, *batch);
  time_single_steps(*batch, course.timed_steps, singles);
  task.report.measured(subject, "throughput", rate, "steps/s");
  task.report.measured(subject, "dofs", scene.model->nv, "-");
  report_steps(subject, singles, "", task.report);
  std::printf("  %-12s batch %7d, %5.1f contacts: %12.0f steps/s\n", name.c_str(), subject.batch,
              singles.mean(&StepFigures::contacts), rate);
  std::fflush(stdout);
}

}  // namespace

void measure_families(const Task& task) {
  const bool small = task.options.has_small_sizes();
  for (const char* name :
       small ? std::span<const char* const>(kSmallFamilies) : std::span<const char* const>(kFamilies)) {
    const Subject subject{"families", name};
    if (task.budget.over()) {
      task.report.skipped(subject, "throughput", "out of time");
      continue;
    }
    try {
      measure(name, subject, task);
    } catch (const OutOfMemory& error) {
      task.report.skipped(subject, "throughput", error.what());
    }
  }
}

}  // namespace stiction::gpu_check
