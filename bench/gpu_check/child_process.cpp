#include "bench/gpu_check/child_process.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace stiction::gpu_check {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kNotStarted = 127;                        // as of a shell
constexpr double kSecondsToDie = 5.0;                   // a process in the driver may take its time, or for ever
constexpr auto kPause = std::chrono::milliseconds(10);  // between looks at a process

/// What the new process does: becomes `arguments`.
[[noreturn]] void become(char* const* arguments, const char* log) {
  setpgid(0, 0);  // a group of its own, to be killed as one
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int in = open("/dev/null", O_RDONLY);
  dup2(in, STDIN_FILENO);
  if (*log != '\0') {
    const int out = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
  }
  execvp(arguments[0], arguments);
  _exit(kNotStarted);
}

/// Waits until the process has ended or `seconds` have passed; true and its status if it has ended.
bool wait_for(pid_t process, double seconds, int& status) {
  const Clock::time_point begin = Clock::now();
  while (waitpid(process, &status, WNOHANG) == 0) {
    if (std::chrono::duration<double>(Clock::now() - begin).count() > seconds) return false;
    std::this_thread::sleep_for(kPause);
  }
  return true;
}

}  // namespace

std::string Ending::describe() const {
  switch (kind) {
    case kExit:
      if (code == kNotStarted) return "could not be started";
      return code == 0 ? "" : "exit code " + std::to_string(code);
    case kSignal:
      return "killed by signal " + std::to_string(code) + " (" + strsignal(code) + ")";
    case kTimeLimit:
      return "killed after its time limit";
  }
  return {};
}

Ending run_child(const std::vector<std::string>& command, double seconds, const std::string& log) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  std::fflush(nullptr);
  const pid_t process = fork();
  if (process < 0) throw std::runtime_error(std::string("starting a process: ") + std::strerror(errno));
  if (process == 0) become(arguments.data(), log.c_str());
  setpgid(process, process);  // here too: whichever comes first
  int status = 0;
  if (!wait_for(process, seconds, status)) {
    kill(-process, SIGKILL);
    wait_for(process, kSecondsToDie, status);
    return {Ending::kTimeLimit, SIGKILL};
  }
  kill(-process, SIGKILL);  // what it left behind
  return WIFEXITED(status) ? Ending{Ending::kExit, WEXITSTATUS(status)} : Ending{Ending::kSignal, WTERMSIG(status)};
}

std::string own_path() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

bool can_run(const std::string& command) {
  if (command.find('/') != std::string::npos) return access(command.c_str(), X_OK) == 0;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access((folder + "/" + command).c_str(), X_OK) == 0) return true;
  return false;
}

}  // namespace stiction::gpu_check
