#include "host/scene/toml_text.hpp"

#include <fstream>
#include <sstream>

#include "host/model/error.hpp"

namespace stiction {
namespace {

/// The first line such that the text up to its end makes an assertion of toml++ fail.
int asserting_line(const std::string& text) {
  int line = 1;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', end + 1), ++line) {
    try {
      static_cast<void>(toml::parse(text.substr(0, end + 1)));
    } catch (const TomlAssertion&) {
      break;
    } catch (const toml::parse_error&) {
      continue;
    }
  }
  return line;
}

}  // namespace

std::string read_text(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw InputError(file + ": cannot be read");
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

toml::table parse_toml(const std::string& text, const std::string& file) {
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    throw InputError(file + ":" + std::to_string(error.source().begin.line) + ": " + std::string(error.description()));
  } catch (const TomlAssertion&) {
    throw InputError(file + ":" + std::to_string(asserting_line(text)) + ": not well-formed TOML");
  }
}

}  // namespace stiction
