#include "host/cli/command_line_errors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "host/cli/python_commands.hpp"
#include "host/scene/toml_table.hpp"

namespace stiction {
namespace {

/// The command that was chosen; the program itself if none was.
const CLI::App& chosen(const CLI::App& app) {
  const auto commands = app.get_subcommands();
  return commands.empty() ? app : *commands.front();
}

/// "--batch" of "--batch,-b" and "--batch=3".
std::string bare(const std::string& option) { return option.substr(0, option.find_first_of(",=")); }

/// "--batch" of "-batch": all options have two dashes.
std::string dashed(const std::string& option) { return option.starts_with("--") ? option : "-" + option; }

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::string describe_unknown_command(const CLI::App& app, const std::vector<std::string>& words) {
  const std::string& word = words.front();
  if (std::find(kPythonCommands.begin(), kPythonCommands.end(), word) != kPythonCommands.end())
    return fmt::format("'{}' is a command of the Python package: python -m stiction {}", word, fmt::join(words, " "));
  std::vector<std::string> known(kPythonCommands.begin(), kPythonCommands.end());
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    known.push_back(command->get_name());
  return fmt::format("there is no command '{}'; the nearest is '{}'", word, nearest(word, known));
}

/// What is wrong with words that belong to nothing.
std::string describe_extras(const CLI::App& command, const std::vector<std::string>& words) {
  for (const std::string& word : words)
    if (word.size() > 1 && word[0] == '-')
      return fmt::format("there is no option {}; the nearest is {}", bare(word),
                         nearest(dashed(bare(word)), option_names(command)));
  return fmt::format("{}: not expected; every option has its name before it", fmt::join(words, " "));
}

bool is_integer(const std::string& text) {
  long long value = 0;
  const char *begin = text.data() + (text.starts_with('+') ? 1 : 0), *end = text.data() + text.size();
  const auto [read, error] = std::from_chars(begin, end, value);
  return error == std::errc() && read == end;
}

/// The number that a text spells, or NaN.
double number_in(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' ? value : std::nan("");
}

/// "--batch 1e6: it takes whole numbers; write 1000000"
std::string describe_integer(const std::string& option, const std::string& text) {
  const double value = number_in(text);
  const bool whole = std::abs(value) < 1e15 && value == std::round(value);
  const std::string advice = whole ? fmt::format("; write {}", static_cast<long long>(value)) : "";
  return fmt::format("{} {}: it takes whole numbers{}", option, text, advice);
}

/// The first value that its option cannot read; empty if there is none.
std::string describe_value(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const std::string type = option->get_type_name(), name = bare(option->get_name());
    for (const std::string& text : option->results()) {
      if (option->get_expected_max() == 0 && text != "true")
        return fmt::format("{}={}: it takes no value; leave out what follows the name", name, text);
      if (type == "INT" && !is_integer(text)) return describe_integer(name, text);
      if (type == "FLOAT" && std::isnan(number_in(text)) && text.find("nan") == std::string::npos)
        return fmt::format("{} {}: it takes numbers, such as 0.01", name, text);
    }
  }
  return "";
}

/// The first thing that the command needs and did not get.
std::string describe_missing(const CLI::App& command, const std::string& otherwise) {
  for (const CLI::Option* option : command.get_options())
    if (option->get_required() && option->count() == 0)
      return fmt::format("{} is missing: {}", option->get_name(), option->get_description());
  return otherwise;
}

std::string describe(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& words) {
  const CLI::App& command = chosen(app);
  const bool no_command = &command == &app;
  if (no_command && words.empty()) return "it takes a command, such as run";
  if (no_command && words.front()[0] != '-') return describe_unknown_command(app, words);
  if (no_command) return describe_extras(app, words);
  if (dynamic_cast<const CLI::ExtrasError*>(&error)) return describe_extras(command, app.remaining(true));
  std::string said = error.what();
  if (dynamic_cast<const CLI::RequiredError*>(&error)) return describe_missing(command, said);
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error))
    return said.substr(0, said.find(':')) + ": a value is missing";
  if (dynamic_cast<const CLI::ConversionError*>(&error))
    if (std::string text = describe_value(command); !text.empty()) return text;
  return said;
}

}  // namespace

std::string describe_parse_error(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  const std::string line = describe(app, error, {argv + 1, argv + argc});
  const CLI::App& command = chosen(app);
  return fmt::format("{} (stiction {}--help)", line, &command == &app ? "" : command.get_name() + " ");
}

}  // namespace stiction
