// MuJoCo Warp on this GPU, from the states and with the command of our timed steps, where a Python has it: python3, or
// the one that GPU_CHECK_PYTHON names. The first scene may take all of the time, most of which MuJoCo Warp may need to
// compile its kernels. What it simulates lies in the folder OUT.mujoco_warp, by scene:
//
//   SCENE.xml        the compiled model
//   SCENE.qpos.csv   a state (nq) a row, at the first step of the middle window (course.hpp); at rest
//   SCENE.ctrl.csv   time since then [s], ctrl (nu); linear between the rows
//   SCENE.log        what the script printed: lines that begin with "row|" are figures
//
// The script (time_mujoco_warp.py) prints integrator, cone, contacts, batch, quantity, value, unit and note of a
// figure, with | between them; without a value the figure is skipped, and the note says why.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "bench/gpu_check/batch.hpp"
#include "bench/gpu_check/child_process.hpp"
#include "bench/gpu_check/course.hpp"
#include "bench/gpu_check/parts.hpp"

namespace stiction::gpu_check {
namespace {

constexpr const char* kScenes[] = {"iiwa_stack", "hand_cube", "gripper2d"};
constexpr double kSecondsToLook = 20.0, kSecondsToEnd = 3.0;
constexpr const char* kThroughput = "throughput";
// finds the packages without importing them
constexpr const char* kLook =
    "import importlib.util as u, sys; "
    "sys.exit(', '.join('no ' + m for m in ('mujoco', 'mujoco_warp', 'numpy', 'warp') if not u.find_spec(m)) or None)";

/// The Python that a user named; empty if none.
std::string named_python() {
  const char* named = std::getenv("GPU_CHECK_PYTHON");
  return named ? named : "";
}

std::string python() { return named_python().empty() ? "python3" : named_python(); }

std::string last_line(const std::string& file) {
  std::ifstream lines(file);
  std::string last;
  for (std::string line; std::getline(lines, line);)
    if (!line.empty()) last = line;
  return last;
}

/// Why MuJoCo Warp can not be timed here; empty if it can.
std::string why_not(const Options& options, const std::string& log, double seconds) {
  if (options.dry_run && named_python().empty()) return "no GPU: dry run";
  if (options.small) return "small sizes";
  if (!std::filesystem::exists(options.mujoco_warp)) return options.mujoco_warp + " is not there (--mujoco-warp)";
  if (!can_run(python())) return python() + " can not be run";
  const std::string how = run_child({python(), "-c", kLook}, std::min(kSecondsToLook, seconds), log).describe();
  return how.empty() ? "" : python() + ": " + how + ": " + last_line(log);
}

std::ofstream table(const std::string& path) {
  std::ofstream file(path);
  if (!file) throw std::runtime_error("cannot write " + path);
  file.precision(17);
  return file;
}

void write_row(const double* values, std::size_t count, std::ostream& file) {
  for (std::size_t i = 0; i < count; ++i) file << (i > 0 ? "," : "") << values[i];
  file << '\n';
}

void write_states(const States& states, const std::string& path) {
  const std::vector<double>& qpos = states.values[static_cast<std::size_t>(EnvField::qpos)];
  const std::size_t length = qpos.size() / static_cast<std::size_t>(states.environments);
  std::ofstream file = table(path);
  for (std::size_t first = 0; first < qpos.size(); first += length) write_row(&qpos[first], length, file);
}

/// The command from `begin` [s] on, for `span` [s].
void write_command(const Scene& scene, double begin, double span, const std::string& path) {
  std::vector<double> times = {0.0};
  for (const double time : scene.command.time)
    if (time > begin && time < begin + span) times.push_back(time - begin);
  times.push_back(span);
  std::ofstream file = table(path);
  for (const double time : times) {
    std::vector<double> row = scene.command.sample(begin + time, scene.model->nu);
    row.insert(row.begin(), time);
    write_row(row.data(), row.size(), file);
  }
}

/// Writes the scene's files; returns the time that its windows span [s].
double write_scene(const Scene& scene, const Options& options, const std::string& stem) {
  const Course course = follow_course(scene, CourseParts::kMiddle, options);
  const Course::LockStep& window = course.windows.front();
  const double span = scene.step_size * course.timed_steps;
  table(stem + ".xml") << scene.model->xml;
  write_states(window.states, stem + ".qpos.csv");
  write_command(scene, scene.step_size * window.first, span, stem + ".ctrl.csv");
  return span;
}

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> words;
  std::istringstream text(line);
  for (std::string word; std::getline(text, word, '|');) words.push_back(word);
  return words;
}

/// A figure of the script; false if the line is none.
bool report_line(const std::string& line, const std::string& scene, Report& report) {
  std::vector<std::string> words = split(line);
  if (words.empty() || words[0] != "row") return false;
  words.resize(9);
  Subject subject{"mujoco_warp", scene};
  subject.dynamics = words[1], subject.cone = words[2], subject.law = words[3];
  subject.solver = "newton", subject.dtype = "float32";
  subject.batch = std::atoi(words[4].c_str());
  char* end = nullptr;
  const double value = std::strtod(words[6].c_str(), &end);
  const bool is_number = end != words[6].c_str() && *end == '\0';
  if (is_number)
    report.measured(subject, words[5], value, words[7], words[8]);
  else
    report.skipped(subject, words[5], words[8].empty() ? "no figure: " + line : words[8]);
  if (is_number && words[5].starts_with(kThroughput))
    std::printf("  %-12s batch %7d, MuJoCo Warp, %s: %12.0f steps/s\n", scene.c_str(), subject.batch, words[5].c_str(),
                value);
  return true;
}

/// Reports all figures of a log; returns how many.
int report_log(const std::string& log, const std::string& scene, Report& report) {
  std::ifstream lines(log);
  int found = 0;
  for (std::string line; std::getline(lines, line);) found += report_line(line, scene, report) ? 1 : 0;
  std::fflush(stdout);
  return found;
}

void time_scene(const std::string& scene, const std::string& stem, const Task& task) {
  const Options& options = task.options;
  const Subject subject{"mujoco_warp", scene};
  const double span = write_scene(load_scene(options.scenes + "/" + scene), options, stem);
  const double left = task.budget.left();
  if (left <= kSecondsToEnd) return task.report.skipped(subject, kThroughput, "out of time");
  std::vector<std::string> command = {python(),
                                      "-u",
                                      options.mujoco_warp,
                                      stem,
                                      "--span",
                                      std::to_string(span),
                                      "--seconds",
                                      std::to_string(left - kSecondsToEnd),
                                      "--device",
                                      options.dry_run ? "cpu" : options.device()};
  if (options.has_small_sizes()) command.emplace_back("--small");
  const std::string log = stem + ".log";
  const Ending ending = run_child(command, left, log);
  const int found = report_log(log, scene, task.report);
  const std::string how = ending.describe();
  if (found == 0 || !how.empty())
    task.report.skipped(subject, kThroughput, (how.empty() ? "no figures" : how) + ": " + last_line(log));
}

}  // namespace

void time_mujoco_warp(const Task& task) {
  const std::string folder = task.options.out + ".mujoco_warp";
  std::filesystem::create_directories(folder);
  const std::string why = why_not(task.options, folder + "/python.log", task.budget.left());
  for (const char* scene : kScenes) {
    if (!why.empty())
      task.report.skipped({"mujoco_warp", scene}, kThroughput, why);
    else if (task.budget.over())
      task.report.skipped({"mujoco_warp", scene}, kThroughput, "out of time");
    else
      time_scene(scene, folder + "/" + scene, task);
  }
}

}  // namespace stiction::gpu_check
