// How close a case is to what the machine can do at most (host/backend/step_work.hpp, host/backend/ceilings.hpp).
#pragma once

#include <map>
#include <optional>
#include <string>

#include "host/backend/ceilings.hpp"
#include "host/backend/step_work.hpp"
#include "host/cli/bench_case.hpp"

namespace stiction {

/// The limit of one case; shares are of the ceilings, at its median speed.
struct StepLimit {
  double bytes = 0.0, multiply_adds = 0.0;  // least work of an environment-step
  Ceilings ceilings = {};
  double copy_share = 0.0, multiply_add_share = 0.0;
};

/// Ceilings of every device and number of threads that is asked for, each measured once.
class MachineCeilings {
 public:
  /// The ceilings of the device that runs the case; none for the reference.
  std::optional<Ceilings> of(const BenchCase& bench, const std::string& device);

 private:
  std::map<std::string, Ceilings> measured_;
};

StepLimit step_limit(const BenchCase& bench, const BenchResult& result, const StepWork& work, const Ceilings& ceilings);

/// The limit and its shares, on one line.
std::string describe_limit(const StepLimit& limit);

}  // namespace stiction
