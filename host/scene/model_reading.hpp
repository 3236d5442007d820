// How model files are read: where the packages of a URDF are, what MuJoCo's compiler does, which actuators are added.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/scene/model_size.hpp"

namespace stiction {

/// `[compiler]`: settings of MuJoCo's compiler that come before the model's own, named as in MJCF.
struct CompilerSettings {
  std::optional<bool> balanceinertia, discardvisual, fusestatic, strippath, alignfree;
  std::optional<double> boundmass;             // least mass of a moving body [kg]
  std::optional<double> boundinertia;          // least principal inertia of a moving body [kg m²]
  std::optional<double> settotalmass;          // masses and inertias are scaled to this sum [kg]
  std::optional<std::string> inertiafromgeom;  // "true", "false", "auto"
  std::optional<std::array<int, 2>> inertiagrouprange;
  std::optional<std::string> meshdir, texturedir;  // relative to the model's folder
};

/// `[[actuator]]`: a position actuator on a joint, or on every hinge and slide without an actuator.
struct AddedActuator {
  std::string joint;                                 // "*": every one
  double kp = 0.0;                                   // [N/m], [N m/rad]
  double kv = 0.0;                                   // [N s/m], [N m s/rad]
  std::optional<std::array<double, 2>> force_range;  // [N], [N m]
  std::optional<std::array<double, 2>> ctrl_range;   // [m], [rad]
  std::string where;                                 // "scene.toml:12", for messages
};

/// Features that the model may lose, by the user's leave: forces of air and water, the filters between controls and
/// actuators, height fields that collide and are not level.
inline const std::vector<std::string> kIgnorable = {"fluid", "activation", "height_field"};

/// Those that the user leaves out.
struct Ignored {
  std::vector<std::string> names;

  bool holds(const std::string& feature) const { return std::find(names.begin(), names.end(), feature) != names.end(); }
};

/// "...; --ignore fluid leaves it out"
inline std::string offer_to_ignore(const std::string& feature) { return "; --ignore " + feature + " leaves it out"; }

struct ModelReading {
  int max_elements = kMaxElements;              // of the model (model_size.hpp)
  std::map<std::string, std::string> packages;  // `[packages]`: of package://NAME/..., its folder
  CompilerSettings compiler;
  std::vector<AddedActuator> actuators;
  Ignored ignore;  // features that are left out

  /// True if it changes what a compiled model has.
  bool changes_model() const;
};

}  // namespace stiction
