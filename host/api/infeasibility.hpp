// Which row a step without a solution breaks most.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "host/api/simulator.hpp"

namespace stiction {

/// The pair of geoms, joint, tendon or coupling that is violated most where an infeasible step ended.
struct Infeasibility {
  std::string what;   // "floor and ball/shell overlap", "joint elbow is beyond its limit"
  double depth;       // by so much [m] or [rad]
  std::string unit;   // "m" or "rad"
  std::int64_t step;  // that ended there, counted from 1

  /// "floor and ball/shell overlap by 3.2 mm after step 7"
  std::string describe() const;
};

/// Of environment `env`, if its last step was infeasible. Where it kept its state, contacts are found there anew
/// (Simulator::forward), for the whole batch.
std::optional<Infeasibility> find_infeasibility(Simulator& simulator, int env);

/// "body/geom", or "body" where the geom has no name.
std::string geom_text(const Model& model, int geom);

}  // namespace stiction
