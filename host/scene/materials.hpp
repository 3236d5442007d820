// Materials of geoms, and the friction of pairs of materials: [[material]] and [[material_pair]]. The pairs of geoms
// whose materials have an entry get its friction in place of that of the geoms; a <pair> of the model keeps its own.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "host/scene/toml_table.hpp"

namespace stiction {

struct Model;

class Materials {
 public:
  /// Throws InputError for names that are missing, unknown or given twice, and for coefficients out of range.
  explicit Materials(const TomlTable& top);

  /// The material of every geom that collides; -1: none. Throws InputError if a geom has two.
  std::vector<int> of_geoms(const Model& model) const;

  /// The name of a material of this list; "" for -1.
  std::string name(int material) const;

  /// Writes the friction of the pairs into the model.
  void apply(Model& model) const;

  /// Throws InputError for a geom or body that none of the models has. `models` must not be empty.
  void check_names(const std::vector<const Model*>& models) const;

 private:
  struct Material {
    std::string name;
    std::vector<std::string> geoms, bodies;
    std::string where;
  };
  struct Pair {
    int first, second;                 // materials
    double fixed, kinetic, torsional;  // static, kinetic [-], about the normal [m]
  };

  Material read_material(const toml::table& entry, const std::string& file) const;
  Pair read_pair(const toml::table& entry, const std::string& file) const;
  const Pair* find(int first, int second) const;

  std::vector<Material> materials_;
  std::vector<Pair> pairs_;
};

}  // namespace stiction
