// ncu's figures of one launch of the kernel for warm starts, which has nearly all of a solve's work: how long it took,
// why its warps waited, caches, memory, instructions. Kept beside the report as OUT.ncu.csv, the main ones as rows. The
// tool belongs to the CUDA toolkit, and a machine may forbid its counters to other users than root.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

#include "bench/gpu_check/batch.hpp"
#include "bench/gpu_check/child_process.hpp"
#include "bench/gpu_check/course.hpp"
#include "bench/gpu_check/parts.hpp"

namespace stiction::gpu_check {
namespace {

constexpr int kBatch = 4096, kSteps = 3;
constexpr const char* kSkippedLaunches = "1";  // of the kernel, before the one that is looked at

constexpr const char* kSections[] = {
    "SpeedOfLight",           "WarpStateStats", "SchedulerStats", "InstructionStats",
    "MemoryWorkloadAnalysis", "SourceCounters", "LaunchStats",    "Occupancy"};  // "full" takes twice as long

/// Columns of ncu's page of raw figures, which are rows of the report.
constexpr std::pair<const char*, const char*> kFigures[] = {
    {"gpu__time_duration.sum", "time of the launch"},
    {"smsp__inst_executed.sum", "instructions of warps"},
    {"smsp__issue_active.avg.per_cycle_active", "instructions a cycle of a scheduler"},
    {"smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio", "warps that wait for instructions"},
    {"smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", "warps that wait for memory"},
    {"smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio", "warps that wait at barriers"},
    {"smsp__average_warps_issue_stalled_wait_per_issue_active.ratio", "warps that wait for a fixed time"},
    {"l1tex__t_sector_hit_rate.pct", "hits in the first cache"},
    {"lts__t_sector_hit_rate.pct", "hits in the second cache"},
    {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", "of the memory's bandwidth"}};

std::string find_tool() {
  for (const char* name : {"ncu", "/usr/local/cuda/bin/ncu"})
    if (can_run(name)) return name;
  return {};
}

/// The cells of a line, each in quotes, as ncu writes them.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  for (std::size_t end = 0, begin = line.find('"'); begin != std::string::npos; begin = line.find('"', end + 1)) {
    end = line.find('"', begin + 1);
    if (end == std::string::npos) break;  // torn
    cells.push_back(line.substr(begin + 1, end - begin - 1));
  }
  return cells;
}

/// What ncu printed: three lines of a table, or its trouble. Where the counters are forbidden ncu may end as if all
/// were well.
struct Profile {
  std::vector<std::string> names, units, values;
  std::string trouble = "ncu gave no figures";

  bool has_figures() const { return !names.empty() && values.size() == names.size() && units.size() == names.size(); }
};

Profile read_profile(const std::string& file) {
  Profile found;
  std::ifstream log(file);
  for (std::string line; std::getline(log, line);) {
    if (line.starts_with("==ERROR==")) found.trouble = line;
    if (!line.starts_with('"')) continue;
    std::vector<std::string>& next = found.names.empty()   ? found.names
                                     : found.units.empty() ? found.units
                                                           : found.values;
    next = cells_of(line);
  }
  return found;
}

void report_figures(const Profile& profile, const Subject& subject, Report& report) {
  for (const auto& [name, meaning] : kFigures) {
    const auto place = static_cast<std::size_t>(std::ranges::find(profile.names, name) - profile.names.begin());
    const std::string quantity = std::string("ncu ") + name;
    if (place == profile.names.size()) {
      report.skipped(subject, quantity, "ncu has no such column");
      continue;
    }
    std::string value = profile.values[place];
    std::erase(value, ',');  // 1,234.5
    char* end = nullptr;
    const double number = std::strtod(value.c_str(), &end);
    if (value.empty() || *end != '\0')
      report.skipped(subject, quantity, "ncu says: " + value);
    else
      report.measured(subject, quantity, number, profile.units[place], meaning);
  }
}

std::vector<std::string> command_of(const std::string& tool, const Options& options) {
  std::vector<std::string> command = {tool, "--csv", "--page", "raw", "--clock-control", "none"};
  for (const char* section : kSections) command.insert(command.end(), {"--section", section});
  command.insert(command.end(), {"--kernel-name-base", "mangled", "--kernel-name", "regex:WarmPhase", "--launch-skip",
                                 kSkippedLaunches, "--launch-count", "1"});
  command.insert(command.end(),
                 {own_path(), "--profiled-case", "--gpu", std::to_string(options.gpu), "--scenes", options.scenes});
  return command;
}

}  // namespace

void profile_solve(const Task& task) {
  const Options& options = task.options;
  const Subject subject{"profile", "iiwa_stack"};
  const std::string tool = find_tool(), quantity = "ncu of the kernel for warm starts";
  if (options.has_small_sizes()) return task.report.skipped(subject, quantity, "small sizes");
  if (tool.empty()) return task.report.skipped(subject, quantity, "ncu is not installed");
  const std::string file = options.out + ".ncu.csv";
  const Ending ending = run_child(command_of(tool, options), task.budget.left(), file);
  const Profile profile = read_profile(file);
  const std::string how = ending.describe();
  if (!how.empty() || !profile.has_figures())
    return task.report.skipped(subject, quantity, "ncu: " + how + ": " + profile.trouble + ": see " + file);
  task.report.measured(subject, quantity, static_cast<double>(std::filesystem::file_size(file)), "B", file);
  report_figures(profile, subject, task.report);
}

void run_profiled_case(const Options& options) {
  const Scene scene = load_scene(options.scenes + "/iiwa_stack");
  const Course course = follow_course(scene, CourseParts::kMiddle, options, "cpu");
  const std::unique_ptr<Backend> batch = make_batch(scene, on(options.device(), kBatch, Dtype::kFloat64));
  place(course.windows.front().states, kBatch, *batch);
  for (int s = 0; s < kSteps; ++s) batch->time_kernels();  // kernels by themselves: ncu does not see into every graph
}

}  // namespace stiction::gpu_check
