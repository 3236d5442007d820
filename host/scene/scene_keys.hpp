// The keys of scene.toml that set one value of a Scene, from the list scene_keys.inc: which values each may have, and a
// function that visits all keys.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "host/model/choices.hpp"
#include "host/scene/scene.hpp"

namespace stiction {

// --- what a value may be -------------------------------------------------------------------------------------------

/// The numbers from `least` to `most`, with or without the ends. Infinite numbers and NaN are in no range.
struct NumberRange {
  double least;
  double most = std::numeric_limits<double>::infinity();
  bool without_ends = false;

  bool holds(double value) const;
  /// "at least 0 m"; `unit` may be empty.
  std::string text(const std::string& unit) const;
};

constexpr NumberRange at_least(double least) { return {.least = least}; }
constexpr NumberRange more_than(double least) { return {.least = least, .without_ends = true}; }
constexpr NumberRange from_to(double least, double most) { return {.least = least, .most = most}; }
constexpr NumberRange between(double least, double most) {
  return {.least = least, .most = most, .without_ends = true};
}

/// The names of an enumeration.
struct OneOf {
  const Choice& choice;

  /// "anitescu, coulomb"
  std::string names() const;
};
inline OneOf one_of(const Choice& choice) { return {choice}; }

// --- a key -----------------------------------------------------------------------------------------------------------

/// The type of value that a field holds. A std::optional field may be empty, which is written "auto".
template <class Field>
struct FieldType {
  using Value = Field;
  static constexpr bool kMayBeAuto = false;
};

template <class Type>
struct FieldType<std::optional<Type>> {
  using Value = Type;
  static constexpr bool kMayBeAuto = true;
};

/// A line of the list. `field_of(scene)` is the field; it is writable if the scene is not const.
template <class FieldOf, class Allowed>
struct SceneKey {
  using Field = std::remove_cvref_t<std::invoke_result_t<FieldOf, Scene&>>;
  using Value = typename FieldType<Field>::Value;
  static constexpr bool kMayBeAuto = FieldType<Field>::kMayBeAuto;
  static constexpr bool kIsChoice = std::is_same_v<Allowed, OneOf>;

  const char* table;
  const char* key;
  FieldOf field_of;
  Allowed allowed;  // NumberRange or OneOf
  const char* unit;
  const char* what;

  /// The range of a number as messages state it.
  std::string range_text() const { return allowed.text(unit) + (kMayBeAuto ? ", or \"auto\"" : ""); }
};

/// Makes a SceneKey. Its range is cut to what the field's type can hold.
template <class FieldOf, class Allowed>
auto make_scene_key(const char* table, const char* key, FieldOf field_of, Allowed allowed, const char* unit,
                    const char* what) {
  using Key = SceneKey<FieldOf, Allowed>;
  if constexpr (std::is_same_v<typename Key::Value, int>)
    allowed.most = std::min(allowed.most, double{std::numeric_limits<int>::max()});
  return Key{table, key, field_of, allowed, unit, what};
}

/// Calls `visit(key)` for every key that sets one value, each a SceneKey, in the order of the list.
template <class Visit>
void for_each_scene_key(const Visit& visit) {
#define ST_SCENE_KEY(table, key, field, allowed, unit, what) \
  visit(make_scene_key(                                      \
      table, key, [](auto& scene) -> auto& { return scene.field; }, allowed, unit, what));
#define ST_SCENE_KEY_APART(table, key)
#include "host/scene/scene_keys.inc"
#undef ST_SCENE_KEY_APART
#undef ST_SCENE_KEY
}

// --- names -----------------------------------------------------------------------------------------------------------

/// The name of a key in Python and in recordings: `[solver] name` is `solver`.
std::string keyword_of(const std::string& table, const std::string& key);

/// The names of a key of the list.
struct SceneKeyName {
  std::string table, key, keyword, unit;
  bool is_value;  // true: sets one field and is an attribute of recordings; false: read separately
};

/// The names of all keys, in the order of the list.
std::vector<SceneKeyName> scene_key_names();

/// The keys of a table of scene.toml.
std::vector<std::string> known_keys(const std::string& table);

}  // namespace stiction
