#include "host/cli/failures.hpp"

#include <fmt/format.h>

#include <array>

#include "host/api/simulator.hpp"

namespace stiction {
namespace {

constexpr std::array kFailureBits = {
    FailureBit{status::kIterationLimit,
               "raise [solver] max_iterations, max_total_iterations where it is set, or tolerance"},
    FailureBit{status::kContactsDropped, "raise --max-contacts"},
    FailureBit{status::kPairsDropped, "raise [solver] max_pairs"},
    FailureBit{status::kInfeasible, "no motion separates what overlaps: change initial poses or prescribed motion"},
    FailureBit{status::kUnbounded,
               "nothing holds a body or joint: --dynamics quasidynamic, a support, a larger force range"},
    FailureBit{status::kNotFinite, "look for NaN or huge values in the scene"},
    FailureBit{status::kReachExceeded, "use a smaller --step-size"},
    FailureBit{status::kStalled, "raise [solver] tolerance"},
    FailureBit{status::kFactorFull, "more bodies hang together than there is room for: raise --max-contacts"},
    FailureBit{status::kBadParameter, "look for negative or zero masses, sizes and gains"},
    FailureBit{status::kMeetingsOpen, "which bodies meet was not settled: use a smaller --step-size"},
    FailureBit{status::kNoSolutionFound, "use a smaller --step-size, or --law anitescu"},
};

constexpr std::uint32_t all_bits() {
  std::uint32_t bits = 0;
  for (const auto& failure : kFailureBits) bits |= failure.bit;
  return bits;
}
static_assert(all_bits() == status::kFailed, "every failure has its advice");

constexpr std::size_t kNamedEnvironments = 8;

}  // namespace

std::span<const FailureBit> failure_bits() { return kFailureBits; }

std::vector<int> FailureLog::add(std::span<const std::uint32_t> status) {
  std::vector<int> infeasible;
  for (std::size_t env = 0; env < bits_.size(); ++env) {
    const std::uint32_t noted = status[env] & (status::kFailed | status::kBeyondOrder), fresh = noted & ~bits_[env];
    if ((fresh & status::kFailed) && !(bits_[env] & status::kFailed)) ++count_;
    if (fresh & status::kBeyondOrder) ++beyond_;
    const bool names = (fresh & status::kInfeasible) && reasons_.size() + infeasible.size() < kNamedEnvironments;
    if (names) infeasible.push_back(static_cast<int>(env));
    bits_[env] |= noted;
  }
  return infeasible;
}

std::string FailureLog::describe() const {
  std::string ids, advice;
  std::uint32_t seen = 0;
  std::size_t named = 0;
  for (std::size_t env = 0; env < bits_.size(); ++env) {
    seen |= bits_[env];
    if (!(bits_[env] & status::kFailed) || named++ >= kNamedEnvironments) continue;
    const auto reason = reasons_.find(static_cast<int>(env));
    ids += fmt::format("{}{} ({}{})", ids.empty() ? "" : ", ", env, status_names(bits_[env]),
                       reason == reasons_.end() ? "" : ": " + reason->second);
  }
  if (named > kNamedEnvironments) ids += ", ...";
  for (const auto& failure : kFailureBits)
    if (seen & failure.bit) advice += fmt::format("; {}: {}", status_names(failure.bit), failure.advice);
  return fmt::format("{} of {} environments failed: {}{}", count_, bits_.size(), ids, advice);
}

}  // namespace stiction
