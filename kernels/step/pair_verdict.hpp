// How the pairs of a step take part in its problem, and what its rounds find out about them (meetings.hpp).
#pragma once

#include "kernels/step/scratch.hpp"

namespace stiction {

/// How a pair takes part in the problem.
enum class PairRole : int {
  kFound,    // rows from the poses where the step begins
  kLeftOut,  // no rows: a suspect that has met nothing so far
  kParting,  // no rows: its bodies do not come together, as far as is known (parting_pairs.hpp)
  kMet,      // rows from the poses where it meets
  kKept      // as kFound, but never left out: without it nothing would hold a body, or no answer was found
};

/// What a round has found out about a pair.
enum class PairVerdict : int {
  kNothing,
  kSuspect,  // carries, and does not end as solved
  kMeets,    // meets, at its share of the step
  kTurnsIn   // touched at the start and turned in: its rows are those at the step's end
};

/// How far bodies may overlap without touching [m].
template <class Real>
ST_FN constexpr Real meeting_slack() {
  return sizeof(Real) == 4 ? Real(1e-5) : Real(1e-6);
}

namespace step_detail {

template <class Real>
ST_FN PairRole role_of(const Meetings<Real>& meetings, int slot) {
  return static_cast<PairRole>(meetings.role[slot]);
}

/// True if the round has found that the pair meets.
template <class Real>
ST_FN bool has_met(const Meetings<Real>& meetings, int slot) {
  const PairVerdict verdict = static_cast<PairVerdict>(meetings.verdict[slot]);
  return verdict == PairVerdict::kMeets || verdict == PairVerdict::kTurnsIn;
}

/// Calls each(i) for the contacts of a slot.
template <class Real, class Each>
ST_FN void for_each_contact(const StepScratch<Real>& s, int slot, Each each) {
  const int pair = s.slots.pair[slot];
  for (int i = s.slots.first[slot]; i < *s.contacts.count && pair_of_key(s.contacts.key[i]) == pair; ++i) each(i);
}

}  // namespace step_detail

}  // namespace stiction
