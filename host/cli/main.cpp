// The program `stiction`: reads the command line, runs one command, turns every error into one line and an exit code.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include "host/cli/command_line_errors.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/memory.hpp"
#include "host/cli/one_line.hpp"
#include "host/cli/versions.hpp"
#include "host/model/error.hpp"

namespace stiction {
namespace {

constexpr const char* kFooter =
    "Exit codes: 0 done; 1 internal error or out of memory; 2 bad input; 3 more environments failed, or\n"
    "problems stayed unsolved, than --allow-failures, or the sides of a comparison differ by more than --tolerance;\n"
    "130 interrupted.";

int fail(ExitCode code, const std::string& message) {
  fmt::print(stderr, "stiction: {}\n", make_one_line(message));
  return code;
}

/// Checks that all output was written; if not, that is an error like any other.
int check_output(int code) {
  const bool written = std::fflush(stdout) == 0 && !std::ferror(stdout);
  return written || code != kDone ? code : fail(kBadInput, "cannot write to standard output");
}

/// Refuses empty values: the parser silently takes an empty number for an option that was not given.
void refuse_empty_values(const CLI::App& app) {
  for (const CLI::App* command : app.get_subcommands())
    for (const CLI::Option* option : command->get_options())
      for (const std::string& value : option->results())
        if (value.empty()) throw CLI::ValidationError(option->get_name(), "expected a value, given an empty text");
}

int run_selected(CLI::App& app, const Selected& selected, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    refuse_empty_values(app);
  } catch (const CLI::Success& success) {
    app.exit(success);
    return check_output(kDone);
  } catch (const CLI::ParseError& error) {
    return fail(kBadInput, describe_parse_error(app, error, argc, argv));
  }
  try {
    return check_output(selected());
  } catch (const InputError& error) {
    return fail(kBadInput, error.what());
  } catch (const OutOfMemory& error) {
    return fail(kInternalError, error.what());
  } catch (const std::bad_alloc&) {
    return fail(kInternalError, "out of memory: use a smaller --batch or --max-contacts");
  } catch (const std::exception& error) {
    return fail(kInternalError, std::string("internal error: ") + error.what());
  }
}

int run_program(int argc, char** argv) {
  CLI::App app("Batched simulation of hard contact for manipulation", "stiction");
  app.set_version_flag("--version", "stiction " + stiction_version());
  app.require_subcommand(1);
  app.footer(kFooter);
  Selected selected;
  add_run_command(app, selected);
  add_compare_command(app, selected);
  add_bench_command(app, selected);
  add_solve_command(app, selected);
  add_info_command(app, selected);
  add_doctor_command(app, selected);
  add_completion_command(app, selected);
  return run_selected(app, selected, argc, argv);
}

}  // namespace
}  // namespace stiction

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // exceeding the file size limit fails a write and does not kill the program
  return stiction::run_program(argc, argv);
}
