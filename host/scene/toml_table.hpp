// A TOML table read strictly: unknown keys name the nearest known one, ill-typed values name what was expected and
// found, every message starts with file:line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/scene/toml_library.hpp"

namespace stiction {

class TomlTable {
 public:
  /// `path` names the table in messages ("" for the top level). Throws InputError for a key that is not in `known`.
  TomlTable(const toml::table& table, std::string file, std::string path, std::vector<std::string> known);

  bool has(const std::string& key) const { return table_->contains(key); }

  // the value of the key, or none if the key is absent; throws InputError if it has another type
  std::optional<double> number(const std::string& key) const;  // finite
  std::optional<std::int64_t> integer(const std::string& key) const;
  std::optional<bool> flag(const std::string& key) const;
  std::optional<std::string> text(const std::string& key) const;
  std::optional<std::vector<double>> numbers(const std::string& key) const;
  const toml::table* table(const std::string& key) const;
  std::vector<const toml::table*> tables(const std::string& key) const;  // [[key]]

  /// A number, or none for "auto" and for an absent key.
  std::optional<double> number_or_auto(const std::string& key) const;

  /// `count` numbers.
  std::optional<std::vector<double>> numbers(const std::string& key, std::size_t count) const;

  /// Throws "file:line: path.key = value but must be <range>".
  [[noreturn]] void reject(const std::string& key, const std::string& range) const;
  /// Throws "file:line: <message>" at the key's line.
  [[noreturn]] void fail(const std::string& key, const std::string& message) const;

  std::string where(const std::string& key) const;    // "file:line"
  std::string where() const;                          // of the table itself
  std::string name_of(const std::string& key) const;  // "path.key"
  const toml::table& raw() const { return *table_; }
  const std::string& file() const { return file_; }

 private:
  [[noreturn]] void wrong_type(const std::string& key, const char* expected) const;
  const toml::node* find(const std::string& key) const { return table_->get(key); }
  void check_keys(const std::vector<std::string>& known) const;

  const toml::table* table_;
  std::string file_, path_;
};

/// What messages say is expected in place of an infinite number or NaN.
constexpr const char* kFiniteText = "a finite number";

/// The word in `known` that is the fewest edits away from `word`.
std::string nearest(const std::string& word, const std::vector<std::string>& known);

/// The numbers of a TOML array. Throws InputError with `name` and `file` unless all entries are finite numbers.
std::vector<double> read_numbers(const toml::node& node, const std::string& file, const std::string& name);

/// The table at `key` of `top`, read with its known keys; an empty one if it is absent.
TomlTable section(const TomlTable& top, const std::string& key, const std::vector<std::string>& known);

/// Resolves a path that is written in the file `file`: relative to the folder of that file.
std::string beside(const std::string& file, const std::string& path);

/// "a, b, c"
std::string join(const std::vector<std::string>& words);

}  // namespace stiction
