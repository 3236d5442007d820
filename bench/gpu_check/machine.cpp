// The machine of a report: what it is, what state its GPU is in, and what it can do at most.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <span>

#include "bench/gpu_check/child_process.hpp"
#include "bench/gpu_check/gpu_facts.hpp"
#include "bench/gpu_check/parts.hpp"
#include "host/backend/ceilings.hpp"

namespace stiction::gpu_check {
namespace {

constexpr double kSecondsToAsk = 5.0;

/// A name of nvidia-smi's --query-gpu, and the unit of its value.
struct Asked {
  const char* name;
  const char* unit;
};
constexpr Asked kAsked[] = {{"driver_version", "-"},  {"clocks.max.sm", "MHz"},      {"clocks.max.mem", "MHz"},
                            {"clocks.sm", "MHz"},     {"clocks.mem", "MHz"},         {"power.limit", "W"},
                            {"temperature.gpu", "C"}, {"ecc.mode.current", "1: on"}, {"mig.mode.current", "1: on"}};
/// Asked once more right after the GPU has worked: at rest its clocks are low.
constexpr Asked kAskedBusy[] = {
    {"clocks.sm", "MHz"}, {"clocks.mem", "MHz"}, {"power.draw", "W"}, {"clocks_event_reasons.active", "bits"}};

/// The row of a fact that the driver told in words: its number, or 1 for "Enabled" and 0 for "Disabled".
void report_fact(const std::string& quantity, const Asked& asked, const std::string& text, Report& report) {
  const Subject subject{"machine"};
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (text == "Enabled" || text == "Disabled")
    report.measured(subject, quantity, text == "Enabled" ? 1.0 : 0.0, asked.unit, text);
  else if (end != text.c_str())
    report.measured(subject, quantity, number, asked.unit, text);
  else
    report.skipped(subject, quantity, "nvidia-smi says: " + text);
}

/// Cells of a line, which ", " separates.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char letter : line) {
    if (letter == ',')
      cells.emplace_back();
    else if (letter != ' ' || !cells.back().empty())
      cells.back() += letter;
  }
  return cells;
}

/// Where nvidia-smi is asked about one GPU, and what the names of the quantities begin with.
struct Question {
  std::string bus, log, prefix;
};

/// Asks for all of `asked` at once; returns why nvidia-smi did not answer, empty if it did.
std::string ask_at_once(std::span<const Asked> asked, const Question& question, Report& report) {
  std::string names;
  for (const Asked& one : asked) names += (names.empty() ? "" : ",") + std::string(one.name);
  const Ending ending =
      run_child({"nvidia-smi", "-i", question.bus, "--query-gpu=" + names, "--format=csv,noheader,nounits"},
                kSecondsToAsk, question.log);
  std::string line;
  std::ifstream file(question.log);
  std::getline(file, line);
  const std::vector<std::string> cells = cells_of(line);
  if (!ending.describe().empty() || cells.size() != asked.size()) return ending.describe() + " " + line;
  for (std::size_t i = 0; i < cells.size(); ++i)
    report_fact(question.prefix + asked[i].name, asked[i], cells[i], report);
  return {};
}

/// One name that this driver does not know spoils the answer to all, so they are then asked for one by one.
void ask(std::span<const Asked> asked, const Question& question, Report& report) {
  const Budget budget(kSecondsToAsk);
  if (ask_at_once(asked, question, report).empty()) return;
  for (const Asked& one : asked) {
    const std::string why = budget.over() ? "out of time" : ask_at_once({&one, 1}, question, report);
    if (!why.empty()) report.skipped({"machine"}, question.prefix + one.name, why);
  }
}

/// Clocks, power, ECC and driver by nvidia-smi, and all else that it says beside the report.
void ask_the_driver(const GpuFacts& gpu, const std::string& log, Report& report) {
  ask(kAsked, {gpu.bus, log, "nvidia-smi "}, report);
  run_child({"nvidia-smi", "-q"}, kSecondsToAsk, log);
}

}  // namespace

void describe_machine(const Task& task) {
  const Subject subject{"machine"};
  Report& report = task.report;
  if (task.options.dry_run) return report.skipped(subject, "ceilings", "no GPU: dry run");
  const GpuFacts facts = read_gpu_facts(task.options.gpu);
  report.measured(subject, "streaming multiprocessors", facts.processors, "-");
  report.measured(subject, "memory", facts.memory_bytes, "B");
  report.measured(subject, "shared memory of a multiprocessor", facts.shared_bytes_a_processor, "B");
  report.measured(subject, "CUDA version of the driver", facts.driver, "-");
  report.measured(subject, "CUDA version of the runtime", facts.runtime, "-");
  report.measured(subject, "memory free at the start", static_cast<double>(free_gpu_bytes(task.options.gpu)), "B");
  const std::string log = task.options.out + ".nvidia-smi.txt";
  const bool can_ask = can_run("nvidia-smi");
  if (can_ask)
    ask_the_driver(facts, log, report);
  else
    report.skipped(subject, "nvidia-smi", "nvidia-smi is not installed");
  if (task.options.small) return report.skipped(subject, "ceilings", "small sizes");
  const Ceilings ceilings = measure_cuda_ceilings(task.options.gpu);
  report.measured(subject, "copy bandwidth", ceilings.copy_bytes, "B/s");
  report.measured(subject, "multiply-add rate float64", ceilings.multiply_adds, "1/s");
  if (can_ask) ask(kAskedBusy, {facts.bus, task.options.out + ".nvidia-smi.busy.txt", "nvidia-smi busy "}, report);
  std::printf("  copy %.3g TB/s, multiply-adds in double %.3g T/s\n", 1e-12 * ceilings.copy_bytes,
              1e-12 * ceilings.multiply_adds);
}

}  // namespace stiction::gpu_check
