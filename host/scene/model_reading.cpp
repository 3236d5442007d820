// The tables of scene.toml that say how model files are read.
#include "host/scene/model_reading.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>

#include "host/model/error.hpp"
#include "host/scene/scene_sections.hpp"

namespace stiction {
namespace {

namespace fs = std::filesystem;

int read_max_elements(const TomlTable& top) {
  const std::int64_t value = top.integer("max_elements").value_or(kMaxElements);
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  if (value < 1 || value > kMost) top.reject("max_elements", "in [1, " + std::to_string(kMost) + "]");
  return static_cast<int>(value);
}

/// Every key of [packages] is the name of a package.
std::map<std::string, std::string> read_packages(const TomlTable& top) {
  const toml::table* table = top.table("packages");
  if (!table) return {};
  std::vector<std::string> names;
  for (const auto& [key, value] : *table) names.emplace_back(key.str());
  const TomlTable packages(*table, top.file(), "packages", names);
  std::map<std::string, std::string> folders;
  for (const std::string& name : names) {
    const std::string folder = beside(top.file(), *packages.text(name));
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored))
      packages.fail(name, packages.name_of(name) + " = \"" + folder + "\" is no folder: name that of the package");
    folders[name] = folder;
  }
  return folders;
}

/// A number that is at least 0.
std::optional<double> read_bound(const TomlTable& table, const char* key) {
  const auto value = table.number(key);
  if (value && *value < 0.0) table.reject(key, "at least 0");
  return value;
}

/// true, false or "auto", as MJCF writes it.
std::optional<std::string> read_inertia_from_geom(const TomlTable& table) {
  const char* key = "inertiafromgeom";
  if (!table.has(key)) return std::nullopt;
  if (table.raw()[key].is_boolean()) return *table.flag(key) ? "true" : "false";
  const auto word = table.text(key);
  if (*word != "true" && *word != "false" && *word != "auto") table.reject(key, "true, false or \"auto\"");
  return word;
}

std::optional<std::array<int, 2>> read_groups(const TomlTable& table) {
  const auto numbers = table.numbers("inertiagrouprange", 2);
  if (!numbers) return std::nullopt;
  const std::array<int, 2> groups{static_cast<int>((*numbers)[0]), static_cast<int>((*numbers)[1])};
  for (std::size_t i = 0; i < 2; ++i)
    if (groups[i] != (*numbers)[i] || groups[i] < 0 || groups[i] > 5)
      table.reject("inertiagrouprange", "two whole numbers from 0 to 5");
  return groups;
}

CompilerSettings read_compiler(const TomlTable& top) {
  const TomlTable table =
      section(top, "compiler",
              {"balanceinertia", "discardvisual", "fusestatic", "strippath", "alignfree", "boundmass", "boundinertia",
               "settotalmass", "inertiafromgeom", "inertiagrouprange", "meshdir", "texturedir"});
  return {.balanceinertia = table.flag("balanceinertia"),
          .discardvisual = table.flag("discardvisual"),
          .fusestatic = table.flag("fusestatic"),
          .strippath = table.flag("strippath"),
          .alignfree = table.flag("alignfree"),
          .boundmass = read_bound(table, "boundmass"),
          .boundinertia = read_bound(table, "boundinertia"),
          .settotalmass = read_bound(table, "settotalmass"),
          .inertiafromgeom = read_inertia_from_geom(table),
          .inertiagrouprange = read_groups(table),
          .meshdir = table.text("meshdir"),
          .texturedir = table.text("texturedir")};
}

std::optional<std::array<double, 2>> read_range(const TomlTable& table, const char* key) {
  const auto range = table.numbers(key, 2);
  if (!range) return std::nullopt;
  if (!((*range)[0] < (*range)[1])) table.reject(key, "a lower and a larger upper end");
  return std::array<double, 2>{(*range)[0], (*range)[1]};
}

AddedActuator read_actuator(const toml::table& entry, const std::string& file) {
  const TomlTable table(entry, file, "actuator", {"joint", "kp", "kv", "forcerange", "ctrlrange"});
  const auto joint = table.text("joint");
  const auto kp = table.number("kp");
  if (!joint) table.fail("joint", "actuator.joint is missing: name a joint, or \"*\" for all without an actuator");
  if (!kp) table.fail("kp", "actuator.kp is missing: the stiffness of the position actuator [N/m, N m/rad]");
  if (!(*kp > 0.0)) table.reject("kp", "more than 0");
  return {.joint = *joint,
          .kp = *kp,
          .kv = read_bound(table, "kv").value_or(0.0),
          .force_range = read_range(table, "forcerange"),
          .ctrl_range = read_range(table, "ctrlrange"),
          .where = table.where()};
}

/// Features that are to be left out.
Ignored read_ignored(const TomlTable& top) {
  if (!top.has("ignore")) return {};
  const toml::array* list = top.raw()["ignore"].as_array();
  if (!list) top.fail("ignore", "ignore is no array of names; these can be left out: " + join(kIgnorable));
  Ignored ignored;
  for (const toml::node& entry : *list) {
    std::vector<std::string>& names = ignored.names;
    names.push_back(entry.value<std::string>().value_or(""));
    if (std::find(kIgnorable.begin(), kIgnorable.end(), names.back()) != kIgnorable.end()) continue;
    top.fail("ignore", "ignore: \"" + names.back() + "\" is unknown; the nearest is \"" +
                           nearest(names.back(), kIgnorable) + "\"; these can be left out: " + join(kIgnorable));
  }
  return ignored;
}

}  // namespace

bool ModelReading::changes_model() const {
  const CompilerSettings& c = compiler;
  const bool compiles = c.balanceinertia || c.discardvisual || c.fusestatic || c.strippath || c.alignfree ||
                        c.boundmass || c.boundinertia || c.settotalmass || c.inertiafromgeom || c.inertiagrouprange ||
                        c.meshdir || c.texturedir;
  return compiles || !packages.empty() || !actuators.empty();
}

ModelReading read_model_reading(const TomlTable& top) {
  ModelReading reading{read_max_elements(top), read_packages(top), read_compiler(top), {}, read_ignored(top)};
  for (const toml::table* entry : top.tables("actuator"))
    reading.actuators.push_back(read_actuator(*entry, top.file()));
  return reading;
}

}  // namespace stiction
