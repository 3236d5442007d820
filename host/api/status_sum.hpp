// The status of several calls of steps, as that of one call.
#pragma once

#include <cstdint>
#include <vector>

#include "host/api/simulator.hpp"

namespace stiction {

class StatusSum {
 public:
  /// Writes what all calls said so far to the status in the simulator's memory, where the last call left its own: bits
  /// are OR-ed, and kConverged stands only if every step converged.
  void add(Simulator& simulator);

 private:
  std::vector<std::uint32_t> so_far_;
};

}  // namespace stiction
