// Which row a step without a solution violates most.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/api/simulator.hpp"

namespace stiction {

/// The pair of geoms, joint, tendon, coupling or hard weld that is violated most where an infeasible step ended.
struct Infeasibility {
  std::string what;   // "floor and ball/shell overlap", "joint elbow is beyond its limit"
  double depth;       // size of the violation [m] or [rad]
  std::string unit;   // "m" or "rad"
  std::int64_t step;  // step that ended there, counted from 1; 0: the start

  /// "3.2 mm", "0.52 rad"
  std::string amount() const;

  /// "floor and ball/shell overlap by 3.2 mm after step 7"
  std::string describe() const;
};

/// The infeasibility of environment `env`, if its last step was infeasible. If it kept its state, contacts are found
/// anew for the whole batch (Simulator::forward).
std::optional<Infeasibility> find_infeasibility(Simulator& simulator, int env);

/// All that the present state of an environment violates by more than `least` [m, rad], worst first; of the contacts of
/// two geoms the deepest. Finds contacts anew for the whole batch (Simulator::forward).
std::vector<Infeasibility> find_violations(Simulator& simulator, int env, double least);

/// "body/geom", or "body" where the geom has no name.
std::string geom_text(const Model& model, int geom);

}  // namespace stiction
