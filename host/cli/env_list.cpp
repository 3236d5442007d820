#include "host/cli/env_list.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "host/model/error.hpp"

namespace stiction {
namespace {

[[noreturn]] void fail(const std::string& text, const std::string& reason) {
  throw InputError(fmt::format("--envs {}: {}", text, reason));
}

int parse_env(std::string_view item, const std::string& text, int batch) {
  int env = 0;
  const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), env);
  if (error == std::errc::invalid_argument || end != item.data() + item.size() || item.starts_with('-'))
    fail(text, fmt::format("'{}' is no environment; write a list such as 0,5,10-19", item));
  if (error == std::errc::result_out_of_range || env >= batch)
    fail(text, fmt::format("there is no environment {}; the batch has 0 to {}", item, batch - 1));
  return env;
}

}  // namespace

std::vector<int> parse_env_list(const std::string& text, int batch) {
  std::vector<int> envs;
  std::vector<bool> seen(batch, false);
  std::string_view rest = text;
  while (true) {
    const auto comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    const auto dash = item.find('-', 1);
    const int first = parse_env(item.substr(0, dash), text, batch);
    const int last = dash == std::string_view::npos ? first : parse_env(item.substr(dash + 1), text, batch);
    if (last < first) fail(text, fmt::format("{} runs backwards", item));
    for (int env = first; env <= last; ++env) {
      if (seen[env]) fail(text, fmt::format("environment {} occurs twice", env));
      seen[env] = true;
      envs.push_back(env);
    }
    if (comma == std::string_view::npos) return envs;
    rest = rest.substr(comma + 1);
  }
}

}  // namespace stiction
