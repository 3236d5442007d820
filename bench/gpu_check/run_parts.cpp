// Time: a part ends at its share of the whole, which it looks at itself, and a piece of a part at its share of that.
// What ends early leaves its rest to the next. A process that does not end by itself is killed some seconds later.
#include "bench/gpu_check/run_parts.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "bench/gpu_check/child_process.hpp"

namespace stiction::gpu_check {
namespace {

constexpr int kBrokenOff = 3;      // exit code of a process that has said in the report why it ended
constexpr double kPlanned = 0.95;  // of the time; the rest is for what is killed
constexpr double kGraceShare = 0.04, kLeastGrace = 2;  // of the whole time; [s]
constexpr const char* kBreak = "broken off";           // the quantity that says how a process ended

double share_of(const Part& part, const Options& options) {
  return options.is_brief() && options.only.empty() ? part.brief_share : part.share;
}

bool is_wanted(const Part& part, const Options& options) {
  const bool is_machine = &part == every_part().data();
  return is_machine || options.only.empty() || std::ranges::count(options.only, part.name) > 0;
}

Subject subject_of(const Part& part, const std::string& piece) {
  return {part.name, part.pieces.empty() ? "-" : piece};
}

std::string text_of(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", number);
  return text;
}

std::vector<std::string> command_of(const Options& options, const Part& part, const std::string& piece,
                                    double seconds) {
  std::vector<std::string> command = {own_path(),  "--gpu",        std::to_string(options.gpu),
                                      "--scenes",  options.scenes, "--out",
                                      options.out, "--minutes",    text_of(options.minutes),
                                      "--part",    part.name,      "--piece",
                                      piece,       "--seconds",    text_of(seconds)};
  if (!options.cusolver.empty()) command.insert(command.end(), {"--cusolver", options.cusolver});
  command.insert(command.end(), {"--mujoco-warp", options.mujoco_warp});
  if (options.dry_run) command.push_back("--dry-run");
  if (options.small) command.push_back("--small");
  return command;
}

/// A process of one piece, and rows that say how it ended and how long it took.
void start_piece(const Options& options, const Part& part, const std::string& piece, double seconds, Report& report) {
  const Subject subject = subject_of(part, piece);
  if (seconds <= 0.0) return report.skipped(subject, kBreak, "out of time");
  const double grace = std::max(kLeastGrace, kGraceShare * 60.0 * options.minutes);
  const Budget clock(seconds);
  const Ending ending = run_child(command_of(options, part, piece, seconds), seconds + grace);
  cut_torn_row(options.out);
  if (ending.kind == Ending::kExit && ending.code == 0)
    report.checked(subject, kBreak, 0.0, "-", 0.0);
  else if (ending.kind != Ending::kExit || ending.code != kBrokenOff)
    report.checked(subject, kBreak, 1.0, "-", 0.0, ending.describe());
  report.measured(subject, "seconds of the process", clock.spent(), "s");
}

/// For tests: GPU_CHECK_TROUBLE=PART=kill|hang|throw makes every process of that part do so; "kill" in the middle of a
/// row.
void make_trouble(const Options& options) {
  const char* wanted = std::getenv("GPU_CHECK_TROUBLE");
  if (wanted == nullptr) return;
  if (wanted == options.part + "=throw") throw std::runtime_error("trouble that a test asked for");
  while (wanted == options.part + "=hang") pause();
  if (wanted != options.part + "=kill") return;
  std::ofstream(options.out, std::ios::app) << "half a row";
  kill(getpid(), SIGKILL);
}

}  // namespace

void run_parts(const Options& options, Report& report) {
  double shares = 0.0, before = 0.0;
  for (const Part& part : every_part())
    if (is_wanted(part, options)) shares += share_of(part, options);
  const double planned = kPlanned * 60.0 * options.minutes;
  const Budget clock(planned);
  for (const Part& part : every_part()) {
    if (!is_wanted(part, options)) continue;
    if (share_of(part, options) == 0.0) {
      report.skipped({part.name}, kBreak, "left out of a run of at most one minute");
      continue;
    }
    std::printf("%s\n", part.name);
    before += share_of(part, options);
    const double end = planned * before / shares;
    const std::vector<const char*> pieces = part.pieces.empty() ? std::vector{"all"} : part.pieces;
    auto left = static_cast<double>(pieces.size());
    for (const char* piece : pieces) start_piece(options, part, piece, (end - clock.spent()) / left--, report);
  }
}

bool run_piece(const Options& options, Report& report) {
  const std::span<const Part> parts = every_part();
  const auto part = std::ranges::find(parts, options.part, &Part::name);
  if (part == parts.end()) throw std::logic_error("no part " + options.part);
  try {
    make_trouble(options);
    part->run({options, options.piece, Budget(options.seconds), report});
    return true;
  } catch (const std::exception& error) {
    report.checked(subject_of(*part, options.piece), kBreak, 1.0, "-", 0.0, error.what());
    return false;
  }
}

}  // namespace stiction::gpu_check
