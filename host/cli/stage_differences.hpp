// Differences of two runs, stage by stage, over the steps that they share: what a simulator lets one read of its
// contacts, its solution and its integration. Only what a step determines is compared: no single force.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "host/api/simulator.hpp"
#include "host/cli/largest_difference.hpp"

namespace stiction {

/// What one step of a batch left behind.
struct StepReadout {
  std::vector<double> qpos, qvel;  // (batch, nq), (batch, nv)
  ContactArrays contacts;
  StepStats stats;
  std::vector<std::uint32_t> status;  // (batch)
};

StepReadout read_step(const Simulator& simulator);

/// A quantity of the table; `kQuantities` names them in this order.
enum class Quantity { kCount, kGap, kPosition, kFrame, kVelocity, kGapNext, kForce, kTorsion, kResidual, kQpos };

struct QuantityName {
  const char *stage, *name;
};
inline constexpr std::array kQuantities = {
    QuantityName{"contacts", "count"},
    QuantityName{"contacts", "gap [m]"},
    QuantityName{"contacts", "position [m]"},
    QuantityName{"contacts", "frame"},
    QuantityName{"solution", "velocity [m/s, rad/s]"},
    QuantityName{"solution", "gap + h n·v [m]"},
    QuantityName{"solution", "normal force of a pair [N]"},
    QuantityName{"solution", "torsion of a pair [N m]"},
    QuantityName{"solution", "residual"},
    QuantityName{"integration", "qpos [m, rad]"},
};

class StageDifferences {
 public:
  /// Takes one step of every environment.
  void add(std::int64_t step, const StepReadout& a, const StepReadout& b);

  const LargestDifference& of(Quantity quantity) const { return largest_[static_cast<std::size_t>(quantity)]; }
  std::int64_t status_differs() const { return status_differs_; }  // environment-steps with different status bits
  /// Contacts that only one side has: the most in an environment-step, and the smallest gap of all of them [m].
  std::size_t most_unmatched() const { return most_unmatched_; }
  double unmatched_gap() const { return unmatched_gap_; }  // infinite: there was none

 private:
  void add_contacts(std::int64_t step, int env, const ContactArrays& a, const ContactArrays& b);
  void note_gaps(const ContactArrays& contacts, const std::vector<int>& places);
  LargestDifference& largest(Quantity quantity) { return largest_[static_cast<std::size_t>(quantity)]; }

  std::array<LargestDifference, kQuantities.size()> largest_;
  std::int64_t status_differs_ = 0;
  std::size_t most_unmatched_ = 0;
  double unmatched_gap_ = std::numeric_limits<double>::infinity();
};

}  // namespace stiction
