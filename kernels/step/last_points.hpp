// Points of the last round, by pair.
#pragma once

#include "kernels/step/scratch.hpp"

namespace stiction {

namespace step_detail {

/// The first contact of the last round with a key of the pair or a later one.
ST_FN int first_of_pair(const LastRound& last, int pair) {
  int low = 0, high = *last.count;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (pair_of_key(last.key[middle]) < pair)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// Where the point of contact `j` of the last round is if it moves with geom g, its pair's first (side 0) or second.
template <class State, class Real>
ST_FN Vec3<Real> carried_point(const Poses<Real>& poses, const EndSearch<State>& end, int j, int side, int g) {
  const Vec3<Real> place = in_precision<Real>(load3(end.place + 6 * j + 3 * side));
  return load3(poses.geom_pos + 3 * g) + geom_rotation(poses, g) * place;
}

}  // namespace step_detail

}  // namespace stiction
