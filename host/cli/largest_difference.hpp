// The largest difference of a quantity between two runs, absolute and relative, and where it occurred.
//
//   absolute = max_i |a_i - b_i|        relative = absolute / max_i max(|a_i|, |b_i|)
//
// Both maxima are over all entries, environments and steps that were added, so that an entry that is zero up to
// rounding is compared with the size of the quantity and not with its own.
#pragma once

#include <cstdint>
#include <span>

namespace stiction {

class LargestDifference {
 public:
  /// Takes the entries of one environment in one step; `a` and `b` are of one length. NaN equals NaN; NaN differs from
  /// a number by infinity.
  void add(std::int64_t step, int env, std::span<const double> a, std::span<const double> b);

  double absolute() const { return absolute_; }  // in the quantity's unit
  double relative() const;                       // 0 if there is no difference
  std::int64_t step() const { return step_; }    // step at which the largest first occurred; 0: no difference
  int env() const { return env_; }               // -1: no difference

 private:
  double absolute_ = 0.0, size_ = 0.0;
  std::int64_t step_ = 0;
  int env_ = -1;
};

}  // namespace stiction
