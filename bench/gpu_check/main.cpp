// gpu_check: everything that only a GPU can show, in one run with a time limit; a report and a summary. It starts
// itself once for every piece of every part (run_parts.hpp).
//
// Exit codes: 0 every check passed; 1 internal error; 2 bad input; 3 a check failed; 4 no usable GPU.
#include <CLI/CLI.hpp>
#include <cctype>
#include <cstdio>
#include <filesystem>

#include "bench/gpu_check/commit.hpp"
#include "bench/gpu_check/run_parts.hpp"
#include "host/backend/cuda_devices.hpp"

namespace stiction::gpu_check {
namespace {

enum ExitCode : int { kPassed = 0, kInternalError = 1, kBadInput = 2, kCheckFailed = 3, kNoGpu = 4 };

/// The names of the parts that can be chosen.
std::vector<std::string> part_names() {
  std::vector<std::string> names;
  for (const Part& part : every_part()) names.emplace_back(part.name);
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
  app.add_option("--mujoco-warp", options.mujoco_warp, "script that times MuJoCo Warp")->capture_default_str();
  app.add_option("--out", options.out, "report to write; else GPU_NAME.csv, or gpu_check_dry_run.csv");
  app.add_flag("--dry-run", options.dry_run, "every check with the host in the GPU's place and small sizes");
  app.add_flag("--small", options.small, "the small sizes of a dry run, for an emulated GPU");
  app.add_flag("--small-case", options.small_case, "only a few steps of a few boxes, for compute-sanitizer");
  app.add_flag("--profiled-case", options.profiled_case, "only some steps of many iiwa_stack, for ncu");
  const std::string hidden;  // group of the options that the program gives to its own processes
  app.add_option("--part", options.part)->check(CLI::IsMember(part_names()))->group(hidden);
  app.add_option("--piece", options.piece)->group(hidden);
  app.add_option("--seconds", options.seconds)->group(hidden);
}

/// "NVIDIA H200" -> "nvidia_h200".
std::string file_name(const std::string& gpu) {
  std::string name;
  for (const char letter : gpu)
    name += std::isalnum(static_cast<unsigned char>(letter)) ? static_cast<char>(std::tolower(letter)) : '_';
  return name;
}

/// Throws InputError for a scene that can not be read.
void check_scenes(const std::string& folder) {
  for (const char* name : {"gripper2d", "hand_cube", "iiwa_stack"}) load_scene(folder + "/" + name);
  checked_scenes(folder);
}

/// Puts a report that is there aside: a run of some parts must not lose that of all.
void keep_previous(const std::string& report) {
  if (!std::filesystem::exists(report)) return;
  std::filesystem::rename(report, report + ".previous");
  std::printf("the report that was there is now %s.previous\n", report.c_str());
}

/// A run as its user asked for; true if every check passed.
bool run_all(const Options& options, const std::string& gpu) {
  check_scenes(options.scenes);
  std::printf("gpu_check: %s, commit %s, %g minutes, report %s\n", gpu.c_str(), kCommit, options.minutes,
              options.out.c_str());
  keep_previous(options.out);
  Report report(options.out, kCommit, gpu);
  run_parts(options, report);
  if (const std::string fault = find_fault(options.out); !fault.empty())
    throw std::logic_error("the report is malformed: " + fault);
  const Tally tally = count_rows(options.out);
  print(tally);
  const int failed = total(tally, Outcome::kFail);
  std::printf("%d checks failed, report %s\n", failed, options.out.c_str());
  return failed == 0;
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
  if (options.small_case) return run_small_case(options), kPassed;
  if (options.profiled_case) return run_profiled_case(options), kPassed;
  const std::string gpu = options.dry_run ? "dry run on the host" : devices.names[index];
  if (options.out.empty()) options.out = (options.dry_run ? "gpu_check_dry_run" : file_name(gpu)) + ".csv";
  if (options.part.empty()) return run_all(options, gpu) ? kPassed : kCheckFailed;
  Report report(options.out, kCommit, gpu);
  return run_piece(options, report) ? kPassed : kCheckFailed;
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
