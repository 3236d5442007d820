// Whether the motion that the active set found is the only one.
#pragma once

#include "kernels/solver/active_set/rows.hpp"

namespace stiction::active_set_detail {

/// The impulse that a tree brings by itself, at most 1; 1 where nothing is known.
template <class Real>
ST_FN Real weight_of_tree(const ScaledProblem<Real>& s, int b) {
  const Real own = own_impulse(s, b);
  return own > Real(0) ? smaller(own, Real(1)) : Real(1);
}

/// The impulse that the lighter of the trees on which a row acts brings by itself.
template <class Real>
ST_FN Real weight_of_row(const ScaledProblem<Real>& s, int number) {
  const int r = number - row_of_facets(s), group = r < 0 ? number / s.facets : s.num_contacts + r;
  const int a = s.group_block[2 * group], b = s.group_block[2 * group + 1];
  const Real of_a = a >= 0 ? weight_of_tree(s, a) : Real(1), of_b = b >= 0 ? weight_of_tree(s, b) : Real(1);
  return smaller(of_a, of_b);
}

/// Takes out of work the rows whose β is within `share` of what their trees bring from a bound.
template <class Real>
ST_FN void release_weak_rows(Real share, ActiveSetState<Real>& x) {
  for (int k = x.gram.size - 1; k >= 0; --k) {
    const int slot = x.slot[k];
    const Real least = share * weight_of_row(*x.problem, x.number[slot]);
    if (x.beta[slot] - x.lower[slot] <= least)
      leave_row(k, RowPlace::kLower, x);
    else if (x.upper[slot] - x.beta[slot] <= least)
      leave_row(k, RowPlace::kUpper, x);
  }
}

/// A contact that presses with two generators that are not neighbours has its impulse inside the cone, so it holds
/// along the third direction, too: makes a facet between the two work.
template <class Real>
ST_FN void hold_inside_cones(ActiveSetState<Real>& x) {
  const ScaledProblem<Real>& s = *x.problem;
  const int pressing = x.gram.size;
  for (int k = 0; k < pressing; ++k)
    for (int l = k + 1; l < pressing; ++l) {
      const int first = x.number[x.slot[k]], second = x.number[x.slot[l]], i = first / s.facets;
      const int apart = first < second ? second - first : first - second;
      if (first >= row_of_facets(s) || second / s.facets != i || apart == 1 || apart + 1 == s.facets) continue;
      const int between = i * s.facets + (first + 1 - i * s.facets) % s.facets;
      if (x.place[between] != RowPlace::kWorks && !join_row(between, Real(0), x)) {
        --x.gram.size;
        x.place[between] = RowPlace::kLower;
      }
    }
}

/// True if a tree whose H is singular can move in a direction in which no pressing row holds it: v is then one of
/// several. In the whitened space this shows in the part of its coordinates e_j that is orthogonal to the rows,
/// 1 − ‖L⁻¹A e_j‖² with the weights 1/d. If there is a free direction, that is at least 1/nv for some e_j.
template <class Real>
ST_FN bool is_loose(Real tolerance, ActiveSetState<Real>& x) {
  const ScaledProblem<Real>& s = *x.problem;
  release_weak_rows(tolerance, x);
  hold_inside_cones(x);
  for (int b = 0; b < s.num_blocks; ++b) {
    if (!(x.epsilon[b] > Real(0))) continue;
    for (int j = s.block_adr[b]; j < s.block_adr[b] + s.block_size[b]; ++j) {
      Real left = Real(1);
      for (int k = 0; k < x.gram.size; ++k) x.product[k] = x.row[x.slot[k] * s.nv + j];
      for (int k = 0; k < x.gram.size; ++k) {
        const Real l = x.product[k];
        add_scaled(x.gram.size - k - 1, -l, x.gram.below(k) + k + 1, x.product + k + 1);
        left -= l * l / x.gram.pivot[k];
      }
      if (left > Real(0.5) / s.nv) return true;
    }
  }
  return false;
}

}  // namespace stiction::active_set_detail
