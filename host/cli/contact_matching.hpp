// Which contacts of two runs correspond, and their total effect on each pair of geoms.
//
// The runs may look for contacts up to different gaps and store them in different slots, so a contact is matched with
// the nearest unmatched one of the same geoms. Single forces need not be unique where a pair touches at several points;
// what is compared is their sum. A pair has one patch, and its patches on both sides correspond.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "host/api/simulator.hpp"

namespace stiction {

/// Contacts of one environment, by their place in the arrays of each side (environment * max_contacts + slot).
struct ContactMatching {
  std::vector<int> a, b;            // a[i] is the same contact as b[i]
  std::vector<int> only_a, only_b;  // contacts without a partner
};

ContactMatching match_contacts(const ContactArrays& a, const ContactArrays& b, int env);

/// The same of patches, by their place (environment * max_patches + slot).
ContactMatching match_patches(const PatchArrays& a, const PatchArrays& b, int env);

/// Sums over the contacts of every pair of geoms that has a contact on either side.
struct PairSums {
  std::vector<double> a, b;
};

/// Sums value(contacts, place).
PairSums sum_over_pairs(const ContactArrays& a, const ContactArrays& b, int env,
                        const std::function<double(const ContactArrays&, std::size_t)>& value);

}  // namespace stiction
