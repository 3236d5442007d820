#include "host/scene/toml_table.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "host/model/error.hpp"
#include "host/scene/toml_text.hpp"

namespace stiction {
namespace {

/// "file:line"; only the name for keys that a program gives, as nobody could look up their lines.
std::string line_of(const std::string& file, const toml::source_region& source) {
  if (file == kGivenKeys || source.begin.line == 0) return kGivenKeys;
  return file + ":" + std::to_string(source.begin.line);
}

std::string article(const std::string& noun) {
  return (std::string("aeiou").find(noun[0]) != std::string::npos ? "an " : "a ") + noun;
}

std::string type_name(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::string:
      return "a string";
    case toml::node_type::integer:
      return "an integer";
    case toml::node_type::floating_point:
      return "a number";
    case toml::node_type::boolean:
      return "a boolean";
    default:
      return "a date or time";
  }
}

std::string print(const toml::node& node) {
  std::ostringstream text;
  node.visit([&](const auto& value) { text << value; });
  return text.str();
}

/// Insertions, deletions and replacements that turn one word into the other.
std::size_t edits(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest(const std::string& word, const std::vector<std::string>& known) {
  const std::string shortened = word.substr(0, 64);
  const auto distance = [&](const std::string& a) {
    const bool abbreviated = !shortened.empty() && a.rfind(shortened, 0) == 0;
    return abbreviated ? 0 : edits(shortened, a);
  };
  const auto closer = [&](const std::string& a, const std::string& b) { return distance(a) < distance(b); };
  return *std::min_element(known.begin(), known.end(), closer);
}

std::vector<double> read_numbers(const toml::node& node, const std::string& file, const std::string& name) {
  const std::string where = line_of(file, node.source());
  const toml::array* array = node.as_array();
  if (!array) throw InputError(where + ": " + name + " is " + type_name(node) + ", expected an array of numbers");
  std::vector<double> values;
  for (std::size_t i = 0; i < array->size(); ++i) {
    const toml::node& entry = *array->get(i);
    const std::string entry_name = name + "[" + std::to_string(i) + "]";
    if (!entry.is_number()) {
      throw InputError(where + ": " + entry_name + " is " + type_name(entry) + ", expected a number");
    }
    values.push_back(*entry.value<double>());
    if (!std::isfinite(values.back())) throw InputError(where + ": " + entry_name + " is not a finite number");
  }
  return values;
}

TomlTable::TomlTable(const toml::table& table, std::string file, std::string path, std::vector<std::string> known)
    : table_(&table), file_(std::move(file)), path_(std::move(path)) {
  check_keys(known);
}

void TomlTable::check_keys(const std::vector<std::string>& known) const {
  for (const auto& [key, value] : *table_) {
    const std::string word(key.str());
    if (std::find(known.begin(), known.end(), word) != known.end()) continue;
    throw InputError(line_of(file_, key.source()) + ": unknown key " + name_of(word) + "; the nearest known key is " +
                     name_of(nearest(word, known)));
  }
}

std::string TomlTable::name_of(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }

std::string TomlTable::where() const {
  return table_->source().begin.line > 0 ? line_of(file_, table_->source()) : file_;
}

std::string TomlTable::where(const std::string& key) const {
  const toml::node* node = find(key);
  return node ? line_of(file_, node->source()) : where();
}

void TomlTable::fail(const std::string& key, const std::string& message) const {
  throw InputError(where(key) + ": " + message);
}

void TomlTable::reject(const std::string& key, const std::string& range) const {
  fail(key, name_of(key) + " = " + (find(key) ? print(*find(key)) : "nothing") + " but must be " + range);
}

void TomlTable::wrong_type(const std::string& key, const char* expected) const {
  fail(key, name_of(key) + " is " + type_name(*find(key)) + ", expected " + article(expected));
}

std::optional<double> TomlTable::number(const std::string& key) const {
  const toml::node* node = find(key);
  if (!node) return std::nullopt;
  if (!node->is_number()) wrong_type(key, "number");
  const double value = *node->value<double>();
  if (!std::isfinite(value)) reject(key, kFiniteText);
  return value;
}

std::optional<std::int64_t> TomlTable::integer(const std::string& key) const {
  const toml::node* node = find(key);
  if (!node) return std::nullopt;
  if (!node->is_integer()) wrong_type(key, "integer");
  return node->value<std::int64_t>();
}

std::optional<bool> TomlTable::flag(const std::string& key) const {
  const toml::node* node = find(key);
  if (!node) return std::nullopt;
  if (!node->is_boolean()) wrong_type(key, "boolean");
  return node->value<bool>();
}

std::optional<std::string> TomlTable::text(const std::string& key) const {
  const toml::node* node = find(key);
  if (!node) return std::nullopt;
  if (!node->is_string()) wrong_type(key, "string");
  const std::string value = *node->value<std::string>();
  if (value.find('\0') != std::string::npos) fail(key, name_of(key) + " holds a zero byte");
  return value;
}

std::optional<std::vector<double>> TomlTable::numbers(const std::string& key) const {
  const toml::node* node = find(key);
  if (!node) return std::nullopt;
  return read_numbers(*node, file_, name_of(key));
}

std::optional<std::vector<double>> TomlTable::numbers(const std::string& key, std::size_t count) const {
  const auto values = numbers(key);
  if (values && values->size() != count) {
    fail(key, name_of(key) + " has " + std::to_string(values->size()) + " numbers, expected " + std::to_string(count));
  }
  return values;
}

std::optional<double> TomlTable::number_or_auto(const std::string& key) const {
  const toml::node* node = find(key);
  if (!node) return std::nullopt;
  if (node->is_string() && *node->value<std::string>() == "auto") return std::nullopt;
  if (!node->is_number()) wrong_type(key, "number or \"auto\"");
  return number(key);
}

const toml::table* TomlTable::table(const std::string& key) const {
  const toml::node* node = find(key);
  if (!node) return nullptr;
  if (!node->is_table()) wrong_type(key, "table");
  return node->as_table();
}

std::vector<const toml::table*> TomlTable::tables(const std::string& key) const {
  std::vector<const toml::table*> entries;
  const toml::node* node = find(key);
  if (!node) return entries;
  const toml::array* array = node->as_array();
  if (!array) wrong_type(key, "array of tables, [[...]]");
  for (const toml::node& entry : *array) {
    if (!entry.is_table()) wrong_type(key, "array of tables, [[...]]");
    entries.push_back(entry.as_table());
  }
  return entries;
}

TomlTable section(const TomlTable& top, const std::string& key, const std::vector<std::string>& known) {
  static const toml::table kNone;
  const toml::table* table = top.table(key);
  return TomlTable(table ? *table : kNone, top.file(), key, known);
}

std::string beside(const std::string& file, const std::string& path) {
  const std::filesystem::path given(path);
  return (given.is_absolute() ? given : std::filesystem::path(file).parent_path() / given).string();
}

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace stiction
