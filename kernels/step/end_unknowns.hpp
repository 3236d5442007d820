// What the smoothed problem of a step that seeks its end is solved for besides v: where its rows are
// (linearize_end.hpp). Everything is empty for a step that does not seek its end.
//
//   symbol  variable  shape                unit
//   v       motion    (nv)                 [m/s], [rad/s]
//   a       centre    (max_pairs, 3)       [m]
//   y       -         n = nv + 3 patches   v, then a of the patches in the order of their pairs
#pragma once

#include "kernels/model/env_view.hpp"
#include "kernels/step/config.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

/// True if the rows of the smoothed problem depend on its answer.
template <class Real>
ST_FN bool follows_answer(const StepConfig<Real>& config) {
  return seeks_end(config) || shifts_gap(config.law);
}

struct EndUnknowns {
  Array<double> motion;    // v of y, from which the rows follow (nv)
  Array<double> centre;    // a of y, of each selected pair (max_pairs, 3)
  Array<double> slack;     // how far the barrier keeps points of a pair apart [m] (max_pairs)
  Array<int> flat;         // 1: the cap of the pair's first geom, of its second lies flat (max_pairs, 2)
  Array<int> known;        // 1: the pair has a centre (max_pairs)
  Array<int> patches;      // number of patches: of pairs with contacts (1)
  Array<int> slot;         // selected pair of a patch (max_patches)
  Array<int> first;        // first contact of a patch; then the number of contacts (max_patches + 1)
  Array<double> slip;      // under Coulomb's law: t, o, r of J v + b, and μ_r (max_contacts, 4)
  Array<double> lift;      // and the gap rate that it adds [m/s] (max_contacts)
  Array<double> moved;     // v of a displaced y (nv)
  Array<double> residual;  // Φ(y) − y (n)
  Array<double> response;  // change of Φ, then of y (n)
  Array<double> forward;   // change of v on the other side of a column (nv)
  Array<int> kinks;        // columns of ∂Φ/∂v whose sides do not go together (1)
  Array<double> matrix;    // I − ∂Φ/∂y, then its factors (n, n)
  Array<int> exchanged;    // rows of the factors, then 1 if there are factors (n + 1)
};

/// Most pairs that can have contacts: max_pairs or max_contacts.
ST_FN int most_patches(const Capacity& capacity) {
  return capacity.max_pairs < capacity.max_contacts ? capacity.max_pairs : capacity.max_contacts;
}

template <class Real>
ST_FN EndUnknowns take_end_unknowns(int nv, const Capacity& capacity, const StepConfig<Real>& config, Arena& arena) {
  EndUnknowns end = {};
  if (!follows_answer(config)) return end;
  const bool patches = config.contact == ContactModel::kPatch;
  const int most = patches ? most_patches(capacity) : 0, n = nv + 3 * most;
  end.motion = arena.take<double>(nv);
  end.centre = arena.take<double>(patches ? 3 * capacity.max_pairs : 0);
  end.slack = arena.take<double>(capacity.max_pairs);
  end.flat = arena.take<int>(2 * capacity.max_pairs);
  end.known = arena.take<int>(patches ? capacity.max_pairs : 0);
  end.patches = arena.take<int>(1);
  end.slot = arena.take<int>(most);
  end.first = arena.take<int>(most + 1);
  const bool shifts = shifts_gap(config.law);
  end.slip = shifts ? arena.take<double>(4 * capacity.max_contacts) : nullptr;
  end.lift = shifts ? arena.take<double>(capacity.max_contacts) : nullptr;
  end.moved = arena.take<double>(nv);
  end.residual = arena.take<double>(n);
  end.response = arena.take<double>(n);
  end.forward = arena.take<double>(nv);
  end.kinks = arena.take<int>(1);
  end.matrix = arena.take<double>(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  end.exchanged = arena.take<int>(n + 1);
  return end;
}

}  // namespace stiction
