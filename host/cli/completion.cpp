// stiction completion SHELL: a script for the shell, which prints what it knows of the program without running it.
#include "host/cli/completion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "host/cli/commands.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/python_commands.hpp"
#include "host/model/error.hpp"

namespace stiction {
namespace {

constexpr const char* kSeparator = " | ";

struct OptionWords {
  std::string name;  // without its dashes
  std::string what;
  std::vector<std::string> words;  // that it takes
  bool takes_value;
};

struct CommandWords {
  std::string name, what;
  std::vector<std::string> words;  // that follow it
  std::vector<OptionWords> options;
};

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

/// `text` as one word of any of the shells.
std::string quote(const std::string& text) {
  std::string quoted = "'";
  for (const char letter : text) quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
  return quoted + "'";
}

std::vector<CommandWords> read_commands(const CLI::App& app) {
  std::vector<CommandWords> commands;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    CommandWords words{command->get_name(), command->get_description(), {}, {}};
    for (const CLI::Option* option : command->get_options()) {
      const std::string what = option->get_description();
      if (option->get_positional()) words.words = words_in_help(what);
      for (const std::string& name : option->get_lnames())
        words.options.push_back({name, what, words_in_help(what), option->get_expected_max() > 0});
    }
    commands.push_back(words);
  }
  for (const std::string_view name : kPythonCommands)
    commands.push_back({std::string(name), "Of the Python package: looks at a recording or a simulation", {}, {}});
  return commands;
}

std::string bash_script(const std::vector<CommandWords>& commands) {
  std::vector<std::string> names;
  std::string values, options;
  for (const CommandWords& command : commands) {
    names.push_back(command.name);
    std::vector<std::string> dashed;
    if (!command.words.empty())
      values += fmt::format("    '{0} {0}') words={1};;\n", command.name, quote(joined(command.words)));
    for (const OptionWords& option : command.options) {
      dashed.push_back("--" + option.name);
      if (!option.words.empty())
        values += fmt::format("    '{} --{}') words={};;\n", command.name, option.name, quote(joined(option.words)));
    }
    if (!dashed.empty()) options += fmt::format("    {}) words={};;\n", command.name, quote(joined(dashed)));
  }
  return fmt::format(R"(_stiction() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}} words=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{} --help --version' -- "$current"))
    return
  fi
  case "$command $previous" in
{}  esac
  [ -z "$words" ] && case "$current" in -*) case "$command" in
{}  esac;; esac
  [ -n "$words" ] && COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _stiction stiction
)",
                     fmt::join(names, " "), values, options);
}

/// zsh runs what bash has.
std::string zsh_script(const std::vector<CommandWords>& commands) {
  return "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n" + bash_script(commands);
}

std::string fish_script(const std::vector<CommandWords>& commands) {
  std::string script;
  for (const CommandWords& command : commands) {
    script += fmt::format("complete -c stiction -n __fish_use_subcommand -f -a {} -d {}\n", command.name,
                          quote(command.what));
    if (!command.words.empty())
      script += fmt::format("complete -c stiction -n '__fish_seen_subcommand_from {}' -f -a {}\n", command.name,
                            quote(joined(command.words)));
    for (const OptionWords& option : command.options) {
      const std::string words = option.words.empty() ? "" : fmt::format(" -f -a {}", quote(joined(option.words)));
      script += fmt::format("complete -c stiction -n '__fish_seen_subcommand_from {}' -l {}{}{} -d {}\n", command.name,
                            option.name, option.takes_value ? " -r" : "", words, quote(option.what));
    }
  }
  return script;
}

}  // namespace

std::vector<std::string> words_in_help(const std::string& text) {
  std::vector<std::string> words;
  std::size_t begin = 0;
  for (std::size_t end = text.find(kSeparator); end != std::string::npos; end = text.find(kSeparator, begin)) {
    const std::string before = text.substr(begin, end - begin);
    words.push_back(before.substr(before.rfind(' ') + 1));
    begin = end + std::string(kSeparator).size();
  }
  if (words.empty()) return words;
  words.push_back(text.substr(begin));
  for (std::string& word : words) word = word.substr(0, word.find_first_of(" ,;()["));
  return words;
}

std::string completion_script(const CLI::App& app, const std::string& shell) {
  const std::vector<CommandWords> commands = read_commands(app);
  if (shell == "bash") return bash_script(commands);
  if (shell == "zsh") return zsh_script(commands);
  if (shell == "fish") return fish_script(commands);
  throw InputError("completion " + shell + ": the shells are bash, zsh and fish");
}

void add_completion_command(CLI::App& app, Selected& selected) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completion", "Print a script that completes commands in a shell");
  command->add_option("SHELL", *shell, "bash | zsh | fish; with bash: eval \"$(stiction completion bash)\"")
      ->required();
  command->callback([&app, shell, &selected] {
    selected = [&app, shell] {
      fmt::print("{}", completion_script(app, *shell));
      return kDone;
    };
  });
}

}  // namespace stiction
