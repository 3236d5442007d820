// Which contacts of two runs are the same, and what they do to each pair of geoms.
//
// The runs may look differently far and emit contacts in different slots, so a contact is matched with the nearest one
// of the same geoms that is still free. Single forces need not be unique where a pair touches at several points;
// what is compared is their sum.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "host/api/simulator.hpp"

namespace stiction {

/// Contacts of one environment, by their place in the arrays of each side (environment * max_contacts + slot).
struct ContactMatching {
  std::vector<int> a, b;            // a[i] is the same contact as b[i]
  std::vector<int> only_a, only_b;  // without a partner
};

ContactMatching match_contacts(const ContactArrays& a, const ContactArrays& b, int env);

/// Sums over the contacts of every pair of geoms that has one on either side.
struct PairSums {
  std::vector<double> a, b;
};

/// Of value(contacts, place).
PairSums sum_over_pairs(const ContactArrays& a, const ContactArrays& b, int env,
                        const std::function<double(const ContactArrays&, std::size_t)>& value);

}  // namespace stiction
