#include "host/cli/failures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "host/api/simulator.hpp"

namespace stiction {
namespace {

constexpr FailureBit kBits[] = {
#define ST_STATUS(enumerator, name, effect, advice) {status::enumerator, advice},
#include "kernels/model/status.inc"
#undef ST_STATUS
};
constexpr auto kFailureBits = [] {
  std::array<FailureBit, std::popcount(status::kFailed)> failures{};
  std::ranges::copy_if(kBits, failures.begin(), [](const FailureBit& b) { return (b.bit & status::kFailed) != 0; });
  return failures;
}();
static_assert(std::ranges::none_of(kFailureBits, [](const FailureBit& failure) { return *failure.advice == 0; }),
              "every failure has its advice");

constexpr std::size_t kNamedEnvironments = 8;

}  // namespace

std::span<const FailureBit> failure_bits() { return kFailureBits; }

std::vector<int> FailureLog::add(std::span<const std::uint32_t> status) {
  std::vector<int> infeasible;
  ++steps_;
  for (std::size_t env = 0; env < bits_.size(); ++env) {
    const bool is_infeasible = (status[env] & status::kInfeasible) != 0;
    const bool is_first = is_infeasible && !(bits_[env] & status::kInfeasible) && (!recovering_[env] || steps_ == 1);
    if (is_first && reasons_.size() + infeasible.size() < kNamedEnvironments)
      infeasible.push_back(static_cast<int>(env));
    const std::uint32_t excused = recovers(env, is_infeasible) ? status::kInfeasible : 0;
    note(env, status[env] & ~excused);
  }
  return infeasible;
}

bool FailureLog::recovers(std::size_t env, bool infeasible) {
  if (!recovering_[env]) return false;
  recovering_[env] = infeasible;
  if (!infeasible && steps_ > 1) {
    ++recovered_;
    last_recovering_step_ = std::max(last_recovering_step_, steps_ - 1);
    reasons_.erase(static_cast<int>(env));
  }
  return infeasible;
}

void FailureLog::note(std::size_t env, std::uint32_t bits) {
  const std::uint32_t noted = bits & (status::kFailed | status::kBeyondOrder), fresh = noted & ~bits_[env];
  if ((fresh & status::kFailed) && !(bits_[env] & status::kFailed)) ++count_;
  if (fresh & status::kBeyondOrder) ++beyond_;
  bits_[env] |= noted;
}

void FailureLog::finish() {
  for (std::size_t env = 0; env < bits_.size(); ++env) {
    if (recovering_[env] && steps_ > 0) note(env, status::kInfeasible);
    recovering_[env] = false;
  }
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
