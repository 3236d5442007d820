// Friction of a pair: its own if it is an explicit pair, else that of its geoms (the larger, or the one with priority).
#pragma once

#include "kernels/model/model_view.hpp"

namespace stiction {

template <class Real>
struct PairFriction {
  Real t, o;  // along the two tangents [-]
};

template <class Real>
ST_FN PairFriction<Real> pair_friction(const ModelView<Real>& model, int pair) {
  if (model.pair_condim[pair] == 1) return {Real(0), Real(0)};
  if (model.pair_explicit[pair]) return {model.pair_friction[5 * pair], model.pair_friction[5 * pair + 1]};
  const Real first = model.geom_friction[3 * model.pair_geom[2 * pair]];
  const Real second = model.geom_friction[3 * model.pair_geom[2 * pair + 1]];
  const int rule = model.pair_friction_rule[pair];
  const Real mu = rule == 0 ? first : (rule == 1 ? second : (first > second ? first : second));
  return {mu, mu};
}

/// The larger of the two coefficients.
template <class Real>
ST_FN Real largest_friction(const ModelView<Real>& model, int pair) {
  const PairFriction<Real> mu = pair_friction(model, pair);
  return mu.t > mu.o ? mu.t : mu.o;
}

}  // namespace stiction
