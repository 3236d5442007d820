#include "host/scene/scene_keys.hpp"

#include <cmath>
#include <cstdio>

namespace stiction {
namespace {

/// Prints ten digits, so that every int appears in full.
std::string print(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", value);
  return text;
}

}  // namespace

bool NumberRange::holds(double value) const {
  const bool within = without_ends ? value > least && value < most : value >= least && value <= most;
  return within && std::isfinite(value);
}

std::string NumberRange::text(const std::string& unit) const {
  const std::string ending = unit.empty() ? "" : " " + unit;
  if (without_ends && std::isfinite(most)) return "in (" + print(least) + ", " + print(most) + ")" + ending;
  const std::string lower = (without_ends ? "more than " : "at least ") + print(least);
  return lower + (std::isfinite(most) ? " and at most " + print(most) : "") + ending;
}

std::string OneOf::names() const {
  std::string text;
  for (const std::string& name : choice.built) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string keyword_of(const std::string& table, const std::string& key) { return key == "name" ? table : key; }

std::vector<SceneKeyName> scene_key_names() {
  std::vector<SceneKeyName> names;
#define ST_SCENE_KEY(table, key, field, allowed, unit, what) \
  names.push_back({table, key, keyword_of(table, key), unit, true});
#define ST_SCENE_KEY_APART(table, key) names.push_back({table, key, key, "", false});
#include "host/scene/scene_keys.inc"
#undef ST_SCENE_KEY_APART
#undef ST_SCENE_KEY
  return names;
}

std::vector<std::string> known_keys(const std::string& table) {
  std::vector<std::string> keys;
  for (const SceneKeyName& name : scene_key_names())
    if (name.table == table) keys.push_back(name.key);
  return keys;
}

}  // namespace stiction
