// The largest difference of a quantity between two runs, absolute and relative, and where it occurred.
//
//   absolute = max_i |a_i - b_i|        relative = absolute / max_i max(|a_i|, |b_i|)
//
// Both maxima go over all entries, environments and steps that were added: an entry that is zero but for rounding
// is measured by the size of the quantity, not by its own.
#pragma once

#include <cstdint>
#include <span>

namespace stiction {

class LargestDifference {
 public:
  /// Takes the entries of one environment in one step; `a` and `b` are of one length. NaN beside NaN is equal, NaN
  /// beside a number differs by infinity.
  void add(std::int64_t step, int env, std::span<const double> a, std::span<const double> b);

  double absolute() const { return absolute_; }  // in the quantity's unit
  double relative() const;                       // 0 if there is no difference
  std::int64_t step() const { return step_; }    // where the largest occurred first; 0: no difference
  int env() const { return env_; }               // -1: no difference

 private:
  double absolute_ = 0.0, size_ = 0.0;
  std::int64_t step_ = 0;
  int env_ = -1;
};

}  // namespace stiction
