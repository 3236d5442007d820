#include "host/cli/contact_matching.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>

namespace stiction {
namespace {

using GeomPair = std::pair<int, int>;

template <class Arrays>
GeomPair geoms_of(const Arrays& contacts, int i) {
  const auto first = 2 * static_cast<std::size_t>(i);
  return {contacts.geom[first], contacts.geom[first + 1]};
}

/// Places in the arrays of what one environment has, of at most `room`.
std::vector<int> places_of(const std::vector<int>& count, int room, int env) {
  std::vector<int> places(static_cast<std::size_t>(count[static_cast<std::size_t>(env)]));
  std::iota(places.begin(), places.end(), env * room);
  return places;
}
std::vector<int> places_of(const ContactArrays& contacts, int env) {
  return places_of(contacts.count, contacts.max_contacts, env);
}
std::vector<int> places_of(const PatchArrays& patches, int env) {
  return places_of(patches.count, patches.max_patches, env);
}

double squared_distance(const ContactArrays& a, int i, const ContactArrays& b, int j) {
  double sum = 0.0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double apart =
        a.position[3 * static_cast<std::size_t>(i) + axis] - b.position[3 * static_cast<std::size_t>(j) + axis];
    sum += apart * apart;
  }
  return sum;
}

/// The nearest contact in `free` with the geoms of contact i of a; free.end() if there is none.
std::vector<int>::iterator find_partner(const ContactArrays& a, int i, const ContactArrays& b, std::vector<int>& free) {
  auto best = free.end();
  double least = 0.0;
  for (auto j = free.begin(); j != free.end(); ++j) {
    if (geoms_of(a, i) != geoms_of(b, *j)) continue;
    const double distance = squared_distance(a, i, b, *j);
    if (best != free.end() && !(distance < least)) continue;
    best = j;
    least = distance;
  }
  return best;
}

/// Pairs each place of a with the place of b that find(i, free) returns, an iterator into the places of b that are
/// free.
template <class Arrays, class Find>
ContactMatching match_places(const Arrays& a, const Arrays& b, int env, Find find) {
  ContactMatching matching;
  std::vector<int> free = places_of(b, env);
  for (const int i : places_of(a, env)) {
    const auto partner = find(i, free);
    if (partner == free.end()) {
      matching.only_a.push_back(i);
      continue;
    }
    matching.a.push_back(i);
    matching.b.push_back(*partner);
    free.erase(partner);
  }
  matching.only_b = std::move(free);
  return matching;
}

}  // namespace

ContactMatching match_contacts(const ContactArrays& a, const ContactArrays& b, int env) {
  return match_places(a, b, env, [&](int i, std::vector<int>& free) { return find_partner(a, i, b, free); });
}

ContactMatching match_patches(const PatchArrays& a, const PatchArrays& b, int env) {
  return match_places(a, b, env, [&](int i, std::vector<int>& free) {
    return std::find_if(free.begin(), free.end(), [&](int j) { return geoms_of(a, i) == geoms_of(b, j); });
  });
}

PairSums sum_over_pairs(const ContactArrays& a, const ContactArrays& b, int env,
                        const std::function<double(const ContactArrays&, std::size_t)>& value) {
  std::map<GeomPair, std::array<double, 2>> totals;
  const std::array sides = {&a, &b};
  for (std::size_t side = 0; side < sides.size(); ++side)
    for (const int i : places_of(*sides[side], env))
      totals[geoms_of(*sides[side], i)][side] += value(*sides[side], static_cast<std::size_t>(i));
  PairSums sums;
  for (const auto& [geoms, total] : totals) {
    sums.a.push_back(total[0]);
    sums.b.push_back(total[1]);
  }
  return sums;
}

}  // namespace stiction
