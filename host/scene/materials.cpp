#include "host/scene/materials.hpp"

#include <algorithm>

#include "host/model/error.hpp"
#include "host/model/model.hpp"

namespace stiction {
namespace {

using Names = std::vector<std::string>;

bool holds(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The strings of an array; none if the key is absent.
Names read_names(const TomlTable& table, const std::string& key) {
  Names names;
  if (!table.has(key)) return names;
  const toml::array* list = table.raw()[key].as_array();
  if (!list) table.fail(key, table.name_of(key) + " is no array of names");
  for (const toml::node& entry : *list) {
    const auto name = entry.value<std::string>();
    if (!name) table.fail(key, table.name_of(key) + " is no array of names");
    names.push_back(*name);
  }
  return names;
}

/// A coefficient of at least 0, or none.
std::optional<double> read_coefficient(const TomlTable& table, const char* key) {
  const auto value = table.number(key);
  if (value && *value < 0.0) table.reject(key, "at least 0");
  return value;
}

void check_known(const Names& wanted, const Names& known, const char* what, const std::string& where) {
  for (const std::string& name : wanted)
    if (!holds(known, name))
      throw InputError(where + ": material: no " + what + " is called '" + name + "'" +
                       (known.empty() ? "" : "; the nearest is '" + nearest(name, known) + "'"));
}

}  // namespace

Materials::Materials(const TomlTable& top) {
  for (const toml::table* entry : top.tables("material")) materials_.push_back(read_material(*entry, top.file()));
  for (const toml::table* entry : top.tables("material_pair")) pairs_.push_back(read_pair(*entry, top.file()));
}

Materials::Material Materials::read_material(const toml::table& entry, const std::string& file) const {
  const TomlTable table(entry, file, "material", {"name", "geoms", "bodies"});
  const auto name = table.text("name");
  if (!name || name->empty()) table.fail("name", "material.name is missing");
  if (std::any_of(materials_.begin(), materials_.end(), [&](const Material& m) { return m.name == *name; }))
    table.fail("name", "material.name = \"" + *name + "\" is there twice: put all its geoms in one table");
  Material material{*name, read_names(table, "geoms"), read_names(table, "bodies"), table.where()};
  if (material.geoms.empty() && material.bodies.empty())
    table.fail("geoms", "material '" + *name + "' names neither geoms nor bodies");
  return material;
}

Materials::Pair Materials::read_pair(const toml::table& entry, const std::string& file) const {
  const TomlTable table(entry, file, "material_pair", {"materials", "static", "kinetic", "torsional"});
  const Names names = read_names(table, "materials");
  if (names.size() != 2)
    table.fail("materials", "material_pair.materials must be two names, as [\"steel\", \"rubber\"]");
  Names known;
  for (const Material& material : materials_) known.push_back(material.name);
  int ids[2];
  for (std::size_t side = 0; side < 2; ++side) {
    const auto found = std::find(known.begin(), known.end(), names[side]);
    if (found == known.end())
      table.fail("materials", "material_pair: no [[material]] is called '" + names[side] + "'" +
                                  (known.empty() ? "" : "; the nearest is '" + nearest(names[side], known) + "'"));
    ids[side] = static_cast<int>(found - known.begin());
  }
  const auto fixed = read_coefficient(table, "static"), kinetic = read_coefficient(table, "kinetic");
  if (!fixed) table.fail("static", "material_pair.static is missing: the coefficient of friction at rest");
  if (kinetic.value_or(0.0) > *fixed) table.reject("kinetic", "at most that of static");
  if (find(ids[0], ids[1]))
    table.fail("materials", "material_pair: '" + names[0] + "' and '" + names[1] + "' are there twice");
  return {ids[0], ids[1], *fixed, kinetic.value_or(*fixed), read_coefficient(table, "torsional").value_or(0.0)};
}

const Materials::Pair* Materials::find(int first, int second) const {
  for (const Pair& pair : pairs_)
    if ((pair.first == first && pair.second == second) || (pair.first == second && pair.second == first)) return &pair;
  return nullptr;
}

std::string Materials::name(int material) const {
  return material < 0 ? "" : materials_[static_cast<std::size_t>(material)].name;
}

std::vector<int> Materials::of_geoms(const Model& model) const {
  std::vector<int> of(static_cast<std::size_t>(model.ngeom), -1);
  for (int g = 0; g < model.ngeom; ++g) {
    int& own = of[static_cast<std::size_t>(g)];
    const std::string& geom = model.geom_names[static_cast<std::size_t>(g)];
    const std::string& body = model.body_names[static_cast<std::size_t>(model.geom_body[g])];
    for (int m = 0; m < static_cast<int>(materials_.size()); ++m) {
      const Material& material = materials_[static_cast<std::size_t>(m)];
      if (!holds(material.geoms, geom) && !holds(material.bodies, body)) continue;
      if (own >= 0)
        throw InputError(material.where + ": material: geom '" + geom + "' is of '" + name(own) + "' and of '" +
                         material.name + "'");
      own = m;
    }
  }
  return of;
}

void Materials::apply(Model& model) const {
  const std::vector<int> of = of_geoms(model);
  for (int p = 0; p < model.npair; ++p) {
    const int first = of[static_cast<std::size_t>(model.pair_geom[2 * p])];
    const int second = of[static_cast<std::size_t>(model.pair_geom[2 * p + 1])];
    const Pair* pair = first < 0 || second < 0 || model.pair_explicit[p] ? nullptr : find(first, second);
    if (!pair) continue;
    model.pair_explicit[p] = 1;
    model.pair_condim[p] = pair->torsional > 0.0 ? 4 : 3;
    const double friction[5] = {pair->fixed, pair->fixed, pair->torsional, 0.0, 0.0};
    std::copy_n(friction, 5, model.pair_friction.begin() + 5 * p);
    if (pair->kinetic < pair->fixed) model.pair_kinetic[p] = pair->kinetic;
  }
}

void Materials::check_names(const std::vector<const Model*>& models) const {
  Names geoms, bodies = models.front()->body_names;
  for (const Model* model : models) geoms.insert(geoms.end(), model->geom_names.begin(), model->geom_names.end());
  for (const Material& material : materials_) {
    check_known(material.geoms, geoms, "geom that collides", material.where);
    check_known(material.bodies, bodies, "body", material.where);
  }
}

}  // namespace stiction
