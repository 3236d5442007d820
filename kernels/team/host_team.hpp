// A team on the host: one thread plays all lanes of one environment, phase by phase.
//
// The order in which a phase visits its items is a template parameter. A phase whose items depend on each other gives
// different bits in a different order: this is how the tests find races without a GPU. A team that says it has several
// lanes takes the work items that several lanes share (rows of a block, not blocks): they give the same bits.
#pragma once

#include <type_traits>

#include "kernels/team/meeting.hpp"
#include "kernels/team/reduce.hpp"

namespace stiction {

enum class PhaseOrder { kForward, kBackward, kStrided };

template <PhaseOrder kOrder = PhaseOrder::kForward, int kTeamLanes = 1>
struct HostTeam {
  static constexpr int kLanes = kTeamLanes;  // item i of a phase runs in lane i % kLanes
  static constexpr int width() { return kLanes; }

  /// Runs f(i) for i in [0, n), with a fence before and after. Items of one phase must not depend on each other.
  template <class F>
  void each(int n, F f) const {
    if constexpr (kOrder == PhaseOrder::kForward) {
      for (int i = 0; i < n; ++i) f(i);
    } else if constexpr (kOrder == PhaseOrder::kBackward) {
      for (int i = n - 1; i >= 0; --i) f(i);
    } else {
      constexpr int kStride = 7;
      for (int start = 0; start < kStride; ++start)
        for (int i = start; i < n; i += kStride) f(i);
    }
  }

  /// The same after another phase, whose fence serves both.
  template <class F>
  void then(int n, F f) const {
    each(n, f);
  }

  /// Sum of f(i) for i in [0, n), by `kPartials` partial sums and one tree; `zero` is the neutral element. The order of
  /// integers does not matter.
  template <class T, class F>
  T sum(int n, T zero, F f) const {
    if constexpr (!std::is_integral_v<T>) return reduce_partials<T>(n, zero, f, AddPair{});
    T total = zero;
    each(n, [&](int i) { total += f(i); });
    return total;
  }

  /// Largest f(i), or `lowest` if n = 0. A NaN wins over every number, so that it is never lost. A zero is positive.
  template <class T, class F>
  T max(int n, T lowest, F f) const {
    T largest = lowest;
    for (int i = 0; i < n; ++i) largest = MaxPair{}(largest, f(i));
    return without_sign_of_zero(largest);
  }

  /// Smallest f(i) with its index, or {highest, -1} if n = 0. Ties go to the smaller index.
  template <class T, class F>
  Indexed<T> argmin(int n, T highest, F f) const {
    return reduce_partials<Indexed<T>>(
        n, Indexed<T>{highest, -1},
        [&](int i) {
          return Indexed<T>{f(i), i};
        },
        MinPair{});
  }

  /// The condition, which is the same in all lanes.
  static bool agree(bool condition) { return condition; }

  /// There is no other team to wait for.
  static void meet(Meeting) {}

  /// Runs f() in one lane; every lane sees what it wrote.
  template <class F>
  void once(F f) const {
    f();
  }

  /// Makes earlier writes of all lanes visible to all lanes.
  void fence() const {}
};

}  // namespace stiction
