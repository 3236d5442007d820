// Which environments failed, with which status bits, and what their user can do.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace stiction {

/// A status bit that counts as a failure, and what its user can do.
struct FailureBit {
  std::uint32_t bit;
  const char* advice;
};

std::span<const FailureBit> failure_bits();

/// Collects the failure bits of every environment over a run, and the warnings.
///
/// Where the start is bad, the first steps of an environment may be without a solution until they have undone it: that
/// is a warning. If they do not come to an end, it is a failure.
class FailureLog {
 public:
  explicit FailureLog(int batch, bool start_is_bad = false) : bits_(batch, 0), recovering_(batch, start_is_bad) {}

  /// Takes the status of one step. Returns the environments that it made infeasible and that will be named.
  std::vector<int> add(std::span<const std::uint32_t> status);
  /// Records what no motion separates in an environment.
  void explain(int env, const std::string& reason) { reasons_[env] = reason; }

  /// After the last step: what has not recovered from its start has failed.
  void finish();

  int count() const { return count_; }
  /// Number of environments whose first steps had no solution and undid a bad start.
  int recovered() const { return recovered_; }
  /// The number of the last of these steps, from 1.
  std::int64_t last_recovering_step() const { return last_recovering_step_; }
  /// Number of environments with the status bit kBeyondOrder: only a warning, as such a step has an answer.
  int beyond_order() const { return beyond_; }
  /// One line: how many of how many, the first ids with the names of their bits, and the advice for those bits.
  std::string describe() const;

 private:
  /// Whether the environment's step is one of those that undo a bad start; counts it if they are over.
  bool recovers(std::size_t env, bool infeasible);
  void note(std::size_t env, std::uint32_t bits);

  std::vector<std::uint32_t> bits_;
  std::vector<char> recovering_;  // whether all steps of an environment were infeasible, from a bad start
  std::int64_t steps_ = 0, last_recovering_step_ = 0;
  std::map<int, std::string> reasons_;  // by environment
  int count_ = 0, beyond_ = 0, recovered_ = 0;
};

}  // namespace stiction
