// stiction doctor: can this program run here, on what, and with which versions.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

#include "host/backend/cuda_devices.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/cpu_features.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/versions.hpp"
#include "host/scene/mujoco_version.hpp"

namespace stiction {
namespace {

void print_line(const char* name, const std::string& value) { fmt::print("{:<12}{}\n", name, value); }

/// Standard output of a command without its last line break; empty if the command failed.
std::string output_of(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return {};
  std::string output;
  char buffer[256];
  while (const std::size_t n = std::fread(buffer, 1, sizeof(buffer), pipe)) output.append(buffer, n);
  if (pclose(pipe) != 0) return {};
  while (!output.empty() && output.back() == '\n') output.pop_back();
  return output;
}

/// `word` as one word of a shell command.
std::string quote(const std::string& word) {
  std::string quoted = "'";
  for (const char letter : word) quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
  return quoted + "'";
}

/// MuJoCo's version in the Python interpreter; empty if there is none.
std::string python_mujoco_version(const std::string& interpreter) {
  return output_of(quote(interpreter) + " -c 'import mujoco; print(mujoco.mj_versionString())' 2>/dev/null");
}

/// Checks that the Python package has the library's version; it may be absent where the program is only run. That the
/// library fits the headers is checked where it is loaded.
bool report_mujoco() {
  const char* chosen = std::getenv("STICTION_PYTHON");
  const std::string interpreter = chosen ? chosen : STICTION_PYTHON;
  const MujocoVersion version = mujoco_version();
  const std::string python = python_mujoco_version(interpreter);
  print_line("MuJoCo", fmt::format("header {}, library {}, Python {}", version.header, version.library,
                                   python.empty() ? "none (" + interpreter + ")" : python));
  const bool agree = python.empty() || python == version.library;
  if (!agree)
    print_line("", fmt::format("they disagree: {} -m pip install mujoco-core=={}", interpreter, version.library));
  return agree;
}

bool report_cpu() {
  CpuFeature features[kMaxCpuFeatures];
  const int count = required_cpu_features(features);
  std::string needs;
  for (int i = 0; i < count; ++i)
    needs += std::string(" ") + features[i].name + (features[i].present ? "" : " (MISSING)");
  print_line("CPU", count == 0 ? "needs nothing special" : "needs" + needs);
  print_line("threads", std::to_string(std::thread::hardware_concurrency()));
  return find_missing_feature(features, count) == nullptr;
}

void report_cuda() {
  const CudaDevices devices = find_cuda_devices();
  for (std::size_t i = 0; i < devices.names.size(); ++i)
    print_line("CUDA", fmt::format("cuda:{} {}", i, devices.names[i]));
  if (devices.names.empty()) print_line("CUDA", "no usable GPU: " + devices.why_none);
}

int run_doctor() {
  for (const auto& [name, version] : program_versions())
    if (name != "mujoco") print_line(name.c_str(), version);
  const bool mujoco_agrees = report_mujoco();
  const bool cpu_suffices = report_cpu();
  report_cuda();
  if (mujoco_agrees && cpu_suffices) return kDone;
  fmt::print(stderr, "stiction: this installation cannot run here: {}\n",
             mujoco_agrees ? "the processor lacks features" : "MuJoCo's versions disagree");
  return kBadInput;
}

}  // namespace

void add_doctor_command(CLI::App& app, Selected& selected) {
  CLI::App* command = app.add_subcommand("doctor", "Check versions, processor and GPU; exit 0 if all is well, else 2");
  command->callback([&selected] { selected = run_doctor; });
}

}  // namespace stiction
