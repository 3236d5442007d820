// Friction of a pair: its own if it is an explicit pair, otherwise that of its geoms (the larger, or that of the geom
// with priority).
#pragma once

#include "kernels/model/model_view.hpp"

namespace stiction {

template <class Real>
struct PairFriction {
  Real t, o;  // along the two tangents [-]
  Real r;     // about the normal, for condim 4 [m]
};

template <class Real>
ST_FN PairFriction<Real> pair_friction(const ModelView<Real>& model, int pair) {
  if (model.pair_condim[pair] == 1) return {Real(0), Real(0), Real(0)};
  const bool twists = model.pair_condim[pair] == 4;
  if (model.pair_explicit[pair]) {
    const Real* mu = model.pair_friction + 5 * pair;
    return {mu[0], mu[1], twists ? mu[2] : Real(0)};
  }
  const Real* first = model.geom_friction + 3 * model.pair_geom[2 * pair];
  const Real* second = model.geom_friction + 3 * model.pair_geom[2 * pair + 1];
  const int rule = model.pair_friction_rule[pair];
  const auto choose = [&](int k) {
    return rule == 0 ? first[k] : (rule == 1 ? second[k] : (first[k] > second[k] ? first[k] : second[k]));
  };
  return {choose(0), choose(0), twists ? choose(1) : Real(0)};
}

/// The larger of the two coefficients, plus the torsion converted to a coefficient at the surface of the smaller geom:
/// an upper bound of the friction's support function divided by the speed of the surfaces.
template <class Real>
ST_FN Real largest_friction(const ModelView<Real>& model, int pair) {
  const PairFriction<Real> mu = pair_friction(model, pair);
  const Real slide = mu.t > mu.o ? mu.t : mu.o;
  if (!(mu.r > Real(0))) return slide;
  const Real first = model.geom_radius[model.pair_geom[2 * pair]];
  const Real second = model.geom_radius[model.pair_geom[2 * pair + 1]];
  return slide + mu.r / (first < second ? first : second);
}

}  // namespace stiction
