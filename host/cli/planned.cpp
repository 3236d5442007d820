// Commands whose names are fixed but that are not built yet.
#include <CLI/CLI.hpp>

#include "host/cli/commands.hpp"
#include "host/model/error.hpp"

namespace stiction {

void add_planned_commands(CLI::App& app, Selected& selected) {
  const std::pair<const char*, const char*> planned[] = {
      {"solve", "Solve recorded contact problems: not yet"},
  };
  for (const auto& [name, description] : planned) {
    CLI::App* command = app.add_subcommand(name, description);
    command->allow_extras();
    command->set_help_flag();
    command->callback([name = std::string(name), &selected] {
      selected = [name]() -> int { throw InputError(name + ": not yet"); };
    });
  }
}

}  // namespace stiction
