#include "host/cli/given_keys.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "host/model/error.hpp"
#include "host/scene/model_reading.hpp"

namespace stiction {
namespace {

namespace fs = std::filesystem;

/// A TOML string.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) {
      result += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
      continue;
    }
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

/// "NAME" = "absolute folder"
std::string package_line(const std::string& given) {
  const std::size_t sign = given.find('=');
  if (sign == std::string::npos || sign == 0 || sign + 1 == given.size())
    throw InputError("--package " + given + ": it takes NAME=DIR, the folder of package://NAME/...");
  const std::string folder = given.substr(sign + 1);
  std::error_code failed;
  if (!fs::is_directory(folder, failed)) throw InputError("--package " + given + ": there is no folder " + folder);
  return quoted(given.substr(0, sign)) + " = " + quoted(fs::absolute(folder, failed).string()) + "\n";
}

}  // namespace

void add_given_keys(CLI::App& app, GivenKeys& keys) {
  app.add_option("--package", keys.packages, "NAME=DIR: the folder of package://NAME/... of a URDF; may be repeated")
      ->allow_extra_args(false);
  app.add_option("--ignore", keys.ignore,
                 fmt::format("Leave this out of the model: {}; may be repeated", fmt::join(kIgnorable, " | ")))
      ->allow_extra_args(false);
  app.add_option("--keyframe", keys.keyframe, "Where the scene starts: a keyframe of the model, by name");
}

std::string toml_text(const GivenKeys& keys) {
  std::string text;
  if (!keys.ignore.empty()) {
    std::vector<std::string> names;
    for (const std::string& name : keys.ignore) names.push_back(quoted(name));
    text += fmt::format("ignore = [{}]\n", fmt::join(names, ", "));
  }
  if (!keys.packages.empty()) text += "[packages]\n";
  for (const std::string& package : keys.packages) text += package_line(package);
  if (keys.keyframe) text += "[initial]\nkeyframe = " + quoted(*keys.keyframe) + "\n";
  return text;
}

}  // namespace stiction
