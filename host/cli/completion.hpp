// Scripts that complete the program's commands, options and words in a shell, made from the options themselves.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace stiction {

/// The words of a list in a help text, such as "Contact law: anitescu | coulomb (default: the scene's)"; empty if it
/// has none.
std::vector<std::string> words_in_help(const std::string& text);

/// The script for bash, zsh or fish. Throws InputError for another shell.
std::string completion_script(const CLI::App& app, const std::string& shell);

}  // namespace stiction
