#include <utility>

#include "host/api/simulator.hpp"
#include "kernels/model/types.hpp"

namespace stiction {

std::string status_names(std::uint32_t bits) {
  constexpr std::pair<std::uint32_t, const char*> kNames[] = {{status::kConverged, "converged"},
                                                              {status::kIterationLimit, "iteration limit"},
                                                              {status::kContactsDropped, "contacts dropped"},
                                                              {status::kPairsDropped, "pairs dropped"},
                                                              {status::kInfeasible, "infeasible"},
                                                              {status::kUnbounded, "unbounded"},
                                                              {status::kNotFinite, "not finite"},
                                                              {status::kReachExceeded, "reach exceeded"},
                                                              {status::kStalled, "stalled"},
                                                              {status::kFactorFull, "factor full"},
                                                              {status::kBadParameter, "bad parameter"},
                                                              {status::kNoSolutionFound, "no solution found"},
                                                              {status::kMeetingsOpen, "meetings open"},
                                                              {status::kBeyondOrder, "beyond order"}};
  std::string names;
  for (const auto& [bit, name] : kNames)
    if (bits & bit) names += (names.empty() ? "" : ", ") + std::string(name);
  return names.empty() ? "none" : names;
}

}  // namespace stiction
