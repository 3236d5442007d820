// The commands of the program. Each adds itself to the command line; `Selected` then runs the one that the user asked
// for.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace stiction {

/// Runs the command that was chosen and returns the exit code. Throws InputError for bad input.
using Selected = std::function<int()>;

void add_run_command(CLI::App& app, Selected& selected);
void add_compare_command(CLI::App& app, Selected& selected);
void add_bench_command(CLI::App& app, Selected& selected);
void add_solve_command(CLI::App& app, Selected& selected);
void add_info_command(CLI::App& app, Selected& selected);
void add_doctor_command(CLI::App& app, Selected& selected);
void add_completion_command(CLI::App& app, Selected& selected);

}  // namespace stiction
