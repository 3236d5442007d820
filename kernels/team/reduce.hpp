// Reductions with fixed rounding: partial result k takes the items i = k, k + 32, k + 64, ... in this order, and then
// one tree of halving strides joins the 32 partial results. Every team of every width computes exactly this. A neutral
// element changes no bit, so a host thread leaves out the parts that would only join neutral elements.
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

/// x, where −0 becomes +0: which zero is the largest would depend on the order.
template <class T>
ST_FN T without_sign_of_zero(T x) {
  return x + T(0);
}

struct MinPair {
  template <class T>
  ST_FN Indexed<T> operator()(const Indexed<T>& a, const Indexed<T>& b) const {
    if (b.index < 0) return a;
    if (a.index < 0) return b;
    if (b.value < a.value || (b.value == a.value && b.index < a.index)) return b;
    return a;
  }
};

/// The tree over the first kWidth partials, with kWidth a power of two; the others are neutral.
template <int kWidth, class T, class Join>
ST_FN T join_tree(T (&partial)[kWidth], Join join) {
  for (int stride = kWidth / 2; stride > 0; stride /= 2)
    for (int k = 0; k < stride; ++k) partial[k] = join(partial[k], partial[k + stride]);
  return partial[0];
}

/// The reduction of n <= kWidth < kPartials items: it leaves out the levels of the tree that would only join neutral
/// elements.
template <int kWidth, class T, class F, class Join>
ST_FN T reduce_few(int n, T zero, F f, Join join) {
  T partial[kWidth];
  for (int k = 0; k < kWidth; ++k) partial[k] = zero;
  for (int k = 0; k < n; ++k) partial[k] = join(zero, f(k));
  return join_tree(partial, join);
}

template <class T, class F, class Join>
ST_FN T reduce_partials(int n, T zero, F f, Join join) {
  if (n <= 0) return zero;
  if (n <= 8) return reduce_few<8>(n, zero, f, join);
  T partial[kPartials];
  const int used = n < kPartials ? n : kPartials;
  for (int k = 0; k < kPartials; ++k) partial[k] = zero;
  for (int k = 0; k < used; ++k) partial[k] = f(k);
  int i = kPartials;
  for (; i + kPartials <= n; i += kPartials)
    for (int k = 0; k < kPartials; ++k) partial[k] = join(partial[k], f(i + k));
  for (int k = 0; i + k < n; ++k) partial[k] = join(partial[k], f(i + k));
  return join_tree(partial, join);
}

}  // namespace stiction
