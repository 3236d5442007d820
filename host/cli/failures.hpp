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

/// Collects the failure bits of every environment over a run, and the warning.
class FailureLog {
 public:
  explicit FailureLog(int batch) : bits_(batch, 0) {}

  /// Takes the status of one step. Returns the environments that it made infeasible and that will be named.
  std::vector<int> add(std::span<const std::uint32_t> status);
  /// Records what no motion separates in an environment.
  void explain(int env, const std::string& reason) { reasons_[env] = reason; }

  int count() const { return count_; }
  /// Number of environments with the status bit kBeyondOrder: only a warning, as such a step has an answer.
  int beyond_order() const { return beyond_; }
  /// One line: how many of how many, the first ids with the names of their bits, and the advice for those bits.
  std::string describe() const;

 private:
  std::vector<std::uint32_t> bits_;
  std::map<int, std::string> reasons_;  // by environment
  int count_ = 0, beyond_ = 0;
};

}  // namespace stiction
