// ncu's figures of one launch of the solve kernel (caches, instructions, why warps wait), kept beside the report as
// OUT.ncu.csv. The tool belongs to the CUDA toolkit, and a machine may forbid its counters to other users than root.
#include <filesystem>
#include <fstream>

#include "bench/gpu_check/batch.hpp"
#include "bench/gpu_check/child_process.hpp"
#include "bench/gpu_check/course.hpp"
#include "bench/gpu_check/parts.hpp"

namespace stiction::gpu_check {
namespace {

constexpr int kBatch = 4096, kSteps = 3;
constexpr const char* kSkippedLaunches = "1";  // solves before the one that is looked at

std::string find_tool() {
  for (const char* name : {"ncu", "/usr/local/cuda/bin/ncu"})
    if (can_run(name)) return name;
  return {};
}

/// What ncu says of its own trouble, or that it says nothing; empty if `file` has the figures of a launch. Where the
/// counters are forbidden ncu may end as if all were well.
std::string find_trouble(const std::string& file) {
  std::ifstream log(file);
  std::string trouble = "ncu gave no figures";
  for (std::string line; std::getline(log, line);) {
    if (line.starts_with("\"ID\"")) return {};  // the header of the figures
    if (line.starts_with("==ERROR==")) trouble = line;
  }
  return trouble;
}

}  // namespace

void profile_solve(const Task& task) {
  const Options& options = task.options;
  const Subject subject{"profile", "iiwa_stack"};
  const std::string tool = find_tool(), quantity = "ncu of the solve kernel";
  if (options.has_small_sizes()) return task.report.skipped(subject, quantity, "small sizes");
  if (tool.empty()) return task.report.skipped(subject, quantity, "ncu is not installed");
  const std::string file = options.out + ".ncu.csv";
  const Ending ending = run_child({tool,
                                   "--set",
                                   "full",
                                   "--csv",
                                   "--page",
                                   "raw",
                                   "--graph-profiling",
                                   "node",
                                   "--kernel-name",
                                   "regex:solve_kernel",
                                   "--launch-skip",
                                   kSkippedLaunches,
                                   "--launch-count",
                                   "1",
                                   own_path(),
                                   "--profiled-case",
                                   "--gpu",
                                   std::to_string(options.gpu),
                                   "--scenes",
                                   options.scenes},
                                  task.budget.left(), file);
  const std::string how = ending.describe(), trouble = find_trouble(file);
  if (how.empty() && trouble.empty())
    task.report.measured(subject, quantity, static_cast<double>(std::filesystem::file_size(file)), "B", file);
  else
    task.report.skipped(subject, quantity, "ncu: " + how + ": " + trouble + ": see " + file);
}

void run_profiled_case(const Options& options) {
  const Scene scene = load_scene(options.scenes + "/iiwa_stack");
  const Course course = follow_course(scene, CourseParts::kMiddle, options, "cpu");
  const std::unique_ptr<Backend> batch = make_batch(scene, on(options.device(), kBatch, Dtype::kFloat64));
  place(course.windows.front().states, kBatch, *batch);
  for (int s = 0; s < kSteps; ++s) batch->time_kernels();  // kernels by themselves: ncu does not see into every graph
}

}  // namespace stiction::gpu_check
