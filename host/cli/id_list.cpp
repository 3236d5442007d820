#include "host/cli/id_list.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "host/model/error.hpp"

namespace stiction {
namespace {

/// Parses one list.
class Parser {
 public:
  Parser(const IdWords& words, const std::string& text, int count) : words_(words), text_(text), count_(count) {}

  [[noreturn]] void fail(const std::string& reason) const {
    throw InputError(fmt::format("{} {}: {}", words_.option, text_, reason));
  }

  int parse_id(std::string_view item) const {
    int id = 0;
    const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), id);
    if (error == std::errc::invalid_argument || end != item.data() + item.size() || item.starts_with('-'))
      fail(fmt::format("'{}' is no {}; write a list such as 0,5,10-19", item, words_.item));
    if (error == std::errc::result_out_of_range || id >= count_)
      fail(fmt::format("there is no {} {}; {} has 0 to {}", words_.item, item, words_.whole, count_ - 1));
    return id;
  }

 private:
  const IdWords& words_;
  const std::string& text_;
  int count_;
};

}  // namespace

std::vector<int> parse_id_list(const IdWords& words, const std::string& text, int count) {
  const Parser parser(words, text, count);
  std::vector<int> ids;
  std::vector<bool> seen(static_cast<std::size_t>(count), false);
  std::string_view rest = text;
  while (true) {
    const auto comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    const auto dash = item.find('-', 1);
    const int first = parser.parse_id(item.substr(0, dash));
    const int last = dash == std::string_view::npos ? first : parser.parse_id(item.substr(dash + 1));
    if (last < first) parser.fail(fmt::format("{} runs backwards", item));
    for (int id = first; id <= last; ++id) {
      if (seen[static_cast<std::size_t>(id)]) parser.fail(fmt::format("{} {} occurs twice", words.item, id));
      seen[static_cast<std::size_t>(id)] = true;
      ids.push_back(id);
    }
    if (comma == std::string_view::npos) return ids;
    rest = rest.substr(comma + 1);
  }
}

std::vector<int> parse_env_list(const std::string& text, int batch) {
  return parse_id_list({"--envs", "environment", "the batch"}, text, batch);
}

}  // namespace stiction
