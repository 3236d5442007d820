// Reductions with fixed rounding: partial k takes the items i = k, k + 32, k + 64, ... in this order, then one
// tree of halving strides joins the 32 partials. Every team and width computes exactly this.
#pragma once

#include "kernels/team/config.hpp"

namespace stiction {

template <class T>
struct Indexed {
  T value;
  int index;
};

struct AddPair {
  template <class T>
  ST_FN T operator()(const T& a, const T& b) const {
    return a + b;
  }
};

struct MaxPair {
  template <class T>
  ST_FN T operator()(const T& a, const T& b) const {
    return (a >= b || a != a) ? a : b;
  }
};

struct MinPair {
  template <class T>
  ST_FN Indexed<T> operator()(const Indexed<T>& a, const Indexed<T>& b) const {
    if (b.index < 0) return a;
    if (a.index < 0) return b;
    if (b.value < a.value || (b.value == a.value && b.index < a.index)) return b;
    return a;
  }
};

template <class T, class F, class Join>
ST_FN T reduce_partials(int n, T zero, F f, Join join) {
  T partial[kPartials];
  const int used = n < kPartials ? n : kPartials;
  for (int k = 0; k < kPartials; ++k) partial[k] = zero;
  for (int k = 0; k < used; ++k) partial[k] = f(k);
  int i = kPartials;
  for (; i + kPartials <= n; i += kPartials)
    for (int k = 0; k < kPartials; ++k) partial[k] = join(partial[k], f(i + k));
  for (int k = 0; i + k < n; ++k) partial[k] = join(partial[k], f(i + k));
  for (int stride = kPartials / 2; stride > 0; stride /= 2)
    for (int k = 0; k < stride; ++k) partial[k] = join(partial[k], partial[k + stride]);
  return partial[0];
}

}  // namespace stiction
