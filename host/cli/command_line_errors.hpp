// What is wrong with a command line, in words that say where and what to do.
#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace stiction {

/// One line about the error with which `app` refused its command line `argv`: an unknown command or option with the
/// nearest one, a value that is no number, or what the parser says; and the command whose --help tells more.
std::string describe_parse_error(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv);

}  // namespace stiction
