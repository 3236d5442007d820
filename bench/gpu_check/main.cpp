// gpu_check: everything that only a GPU can show, in one run with a time limit; a report and a summary.
//
// Exit codes: 0 every check passed; 1 internal error; 2 bad input; 3 a check failed; 4 no usable GPU.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "bench/gpu_check/commit.hpp"
#include "bench/gpu_check/parts.hpp"
#include "host/backend/cuda_devices.hpp"

namespace stiction::gpu_check {
namespace {

enum ExitCode : int { kPassed = 0, kInternalError = 1, kBadInput = 2, kCheckFailed = 3, kNoGpu = 4 };

/// What the parts of a run share.
struct Run {
  const Options& options;
  Budget budget;
  Report& report;
  std::optional<Ceilings> ceilings{};
};

/// A part, and the share of the time after which it ends.
struct Part {
  std::string name;
  double until;
  void (*run)(Run&);
};

const Part kMachine = {"machine", 1.0, [](Run& r) { r.ceilings = describe_machine(r.options, r.report); }};
const Part kParts[] = {
    {"interplay", 1.0, [](Run& r) { check_interplay(r.options, r.report); }},
    {"equivalence", 0.3, [](Run& r) { check_equivalence(r.options, r.budget, r.report); }},
    {"repeatability", 0.45, [](Run& r) { check_repeatability(r.options, r.budget, r.report); }},
    {"speed", 0.8, [](Run& r) { measure_speed(r.options, r.budget, r.ceilings, r.report); }},
    {"sanitizer", 0.9, [](Run& r) { check_memory_and_races(r.options, r.budget, r.report); }},
    {"dense_factor", 1.0, [](Run& r) { compare_dense_factor(r.options, r.budget, r.report); }},
};

/// The names of the parts that can be chosen.
std::vector<std::string> part_names() {
  std::vector<std::string> names;
  for (const Part& part : kParts) names.push_back(part.name);
  return names;
}

void add_options(CLI::App& app, Options& options) {
  app.add_option("--minutes", options.minutes, "time for everything; what does not fit is skipped and counted")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--gpu", options.gpu, "index of the GPU")->check(CLI::NonNegativeNumber)->capture_default_str();
  app.add_option("--scenes", options.scenes, "folder of the scenes")->capture_default_str();
  app.add_option("--only", options.only, "parts to run (default: all); the machine is always described")
      ->check(CLI::IsMember(part_names()));
  app.add_option("--cusolver", options.cusolver,
                 "cuSOLVER's library (default: where the loader or CUDA's folder has it)");
  app.add_option("--out", options.out, "report to write; else GPU_NAME.csv, or gpu_check_dry_run.csv");
  app.add_flag("--dry-run", options.dry_run, "every check with the host in the GPU's place and small sizes");
  app.add_flag("--small-case", options.small_case, "only a few steps of a few boxes, for compute-sanitizer");
}

/// "NVIDIA H200" -> "nvidia_h200".
std::string file_name(const std::string& gpu) {
  std::string name;
  for (const char letter : gpu)
    name += std::isalnum(static_cast<unsigned char>(letter)) ? static_cast<char>(std::tolower(letter)) : '_';
  return name;
}

void run_part(const Part& part, Run& run) {
  std::printf("%s\n", part.name.c_str());
  std::fflush(stdout);
  run.budget.until(part.until);
  part.run(run);
}

void run_parts(const Options& options, Report& report) {
  Run run{options, Budget(options.minutes), report};
  run_part(kMachine, run);
  for (const Part& part : kParts)
    if (options.only.empty() || std::ranges::count(options.only, part.name) > 0) run_part(part, run);
}

int check(Options options) {
  const CudaDevices devices = find_cuda_devices();
  const auto index = static_cast<std::size_t>(options.gpu);
  if (!options.dry_run && devices.names.size() <= index) {
    const std::string why =
        devices.names.empty() ? devices.why_none : "cuda:" + std::to_string(index) + " does not exist";
    std::fprintf(stderr, "gpu_check: no usable GPU: %s; --dry-run runs every check on the host\n", why.c_str());
    return kNoGpu;
  }
  if (options.small_case) {
    run_small_case(options);
    return kPassed;
  }
  const std::string gpu = options.dry_run ? "dry run on the host" : devices.names[index];
  if (options.out.empty()) options.out = (options.dry_run ? "gpu_check_dry_run" : file_name(gpu)) + ".csv";
  std::printf("gpu_check: %s, commit %s, %g minutes, report %s\n", gpu.c_str(), kCommit, options.minutes,
              options.out.c_str());
  Report report(options.out, kCommit, gpu);
  run_parts(options, report);
  report.print_summary();
  if (const std::string fault = find_fault(options.out); !fault.empty())
    throw std::logic_error("the report is malformed: " + fault);
  const int failed = report.count(Outcome::kFail);
  std::printf("%d checks failed, report %s\n", failed, options.out.c_str());
  return failed == 0 ? kPassed : kCheckFailed;
}

}  // namespace
}  // namespace stiction::gpu_check

int main(int argc, char** argv) {
  using namespace stiction::gpu_check;
  Options options;
  CLI::App app("Checks and measures stiction on a GPU");
  add_options(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kPassed : kBadInput;
  }
  try {
    return check(options);
  } catch (const stiction::InputError& error) {
    std::fprintf(stderr, "gpu_check: %s\n", error.what());
    return kBadInput;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gpu_check: internal error: %s\n", error.what());
    return kInternalError;
  }
}
