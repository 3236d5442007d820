// stiction bench SCENE..: speed of every combination of choices, always with contacts, iterations and residual.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <memory>

#include "host/cli/bench_options.hpp"
#include "host/cli/bench_table.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/interrupt.hpp"
#include "host/cli/one_line.hpp"
#include "host/record/output_folder.hpp"

namespace stiction {
namespace {

constexpr std::int64_t kMostWatchedSteps = 2000;

/// The table, written line by line so that no measurement is lost; the file is checked before anything is measured.
class CsvFile {
 public:
  explicit CsvFile(const std::string& path) : path_(path) {
    if (path.empty()) return;
    make_folder_of(path);
    stream_.open(path);
    write(bench_csv_header());
  }
  void write(const std::string& text) {
    if (path_.empty()) return;
    if (!(stream_ << text << std::flush)) throw InputError("--out " + path_ + ": cannot be written");
  }

 private:
  std::string path_;
  std::ofstream stream_;
};

/// Measures the extra figures along the course of environment 0.
BenchExtras measure_extras(const BenchOptions& options, const BenchCase& bench, const BenchResult& result,
                           MachineCeilings& machine) {
  const auto course = std::llround(bench.scene.duration / bench.scene.step_size);
  const int steps = static_cast<int>(std::clamp<std::int64_t>(course, 1, kMostWatchedSteps));
  BenchExtras extras;
  if (options.stages) extras.stages = time_stages(bench.scene, steps);
  if (!options.limits) return extras;
  if (const auto ceilings = machine.of(bench, result.device))
    extras.limit = step_limit(bench, result, count_work(bench.scene, steps), *ceilings);
  return extras;
}

void report(const BenchCase& bench, const BenchResult& result, const BenchExtras& extras, CsvFile& csv) {
  fmt::print("{}{}{}", bench_screen_row(bench, result), extras.stages ? describe_stages(*extras.stages) : "",
             extras.limit ? describe_limit(*extras.limit) : "");
  std::fflush(stdout);
  if (!result.device_warning.empty())
    fmt::print(stderr, "stiction: warning: {}\n", make_one_line(result.device_warning));
  csv.write(bench_csv_row(bench, result, extras));
}

/// Runs all rounds, with the cases interleaved. Every case is reported in the last round.
int run_bench(const BenchOptions& options) {
  const InterruptGuard guard;
  const std::vector<BenchCase> cases = bench_cases(options);
  CsvFile csv(options.out);
  fmt::print("{}", bench_screen_header());
  std::fflush(stdout);
  std::vector<BenchResult> results(cases.size());
  MachineCeilings machine;
  for (long long round = 1; round <= options.rounds; ++round)
    for (std::size_t i = 0; i < cases.size(); ++i) {
      if (const int signal = InterruptGuard::signal_received()) return signal == SIGINT ? kInterrupted : kTerminated;
      run_round(cases[i], options.seconds, results[i]);
      if (round == options.rounds)
        report(cases[i], results[i], measure_extras(options, cases[i], results[i], machine), csv);
    }
  return kDone;
}

}  // namespace

void add_bench_command(CLI::App& app, Selected& selected) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* command = app.add_subcommand("bench", "Measure speed with contacts, rows, iterations and residual");
  add_bench_options(*command, *options);
  command->callback([options, &selected] { selected = [options] { return run_bench(*options); }; });
}

}  // namespace stiction
