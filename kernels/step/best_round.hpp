// The best answer of the rounds that find the end of a step. If the rounds do not settle, one more goes back to it:
// what the step writes then is judged where it ends, and is not what the rounds happened to try last, which may be far
// from any motion that obeys the laws.
//
// Steps stay with the last answer where more than the answer decides about its end: which hovering pairs pass one
// another (passing_pairs.hpp), and which bodies are carried (follow_carriers.hpp).
#pragma once

#include "kernels/step/scratch.hpp"

namespace stiction {

/// True if rounds that do not settle go back to their best answer.
template <class Real>
ST_FN bool goes_back(const StepConfig<Real>& config) {
  return !hovers(config.law) && !fits_springs(config.dynamics);
}

/// True if the residual of this round says how far off its answer is where it ends. A search has the rows of another
/// place; with patches it is near, as what differs are mostly the points of friction.
template <class Real>
ST_FN bool tells_of_end(const StepConfig<Real>& config, const StepScratch<Real>& s) {
  return !s.end.searches[0] || config.contact == ContactModel::kPatch;
}

/// The best answer, in the rest of the arrays of EndSearch: the kernel that takes memory has no registers for more.
struct BestRound {
  Pointer<double> lambda, v, row_lambda;  // as those of LastRound
  Pointer<int> key, count;
  Pointer<double> place, normal;  // as those of EndSearch
  Pointer<int> fixed, flat;
  Pointer<RimRound> rim;
};

template <class Real>
ST_FN BestRound best_round(const ModelView<Real>& model, const Capacity& capacity, StepScratch<Real>& s) {
  const int contacts = capacity.max_contacts, pairs = capacity.max_pairs;
  BestRound best;
  best.place = s.end.place + 6 * contacts, best.lambda = best.place + 6 * contacts;
  best.normal = s.end.normal + 3 * pairs;
  best.fixed = s.end.fixed + contacts, best.key = best.fixed + contacts, best.count = best.key + contacts;
  best.v = s.end.motion + model.nv, best.row_lambda = best.v + model.nv;
  best.rim = s.end.rim + 4 * pairs;
  best.flat = s.end.flat + 2 * pairs;
  return best;
}

/// Keeps the last answer, at the contacts of this round in which it was judged, if its residual is the least so far.
template <class Team, class Real>
ST_FN void keep_best_round(Team team, const ModelView<Real>& model, const Capacity& capacity, double residual,
                           StepScratch<Real>& s) {
  if (!(residual < s.end.judged[2])) return;
  const BestRound best = best_round(model, capacity, s);
  const int count = *s.contacts.count, rows = s.contact_rows.dimension;
  team.each(count, [&](int i) { best.key[i] = s.contacts.key[i], best.fixed[i] = s.end.fixed[i]; });
  team.each(rows * count, [&](int i) { best.lambda[i] = s.solution.lambda[i]; });
  team.each(6 * count, [&](int i) { best.place[i] = s.end.place[i]; });
  team.each(3 * *s.slots.count, [&](int i) { best.normal[i] = s.end.normal[i]; });
  team.each(4 * *s.slots.count, [&](int i) { best.rim[i] = s.end.rim[i]; });
  team.each(2 * *s.slots.count, [&](int i) { best.flat[i] = s.end.flat[i]; });
  team.each(model.nv, [&](int k) { best.v[k] = s.solution.v[k]; });
  team.each(capacity.max_rows, [&](int r) { best.row_lambda[r] = s.solution.row_lambda[r]; });
  team.once([&] {
    *best.count = count;
    s.end.judged[2] = residual;
  });
}

/// Puts the best answer in the place of the last one. Returns false if there is none.
template <class Team, class Real>
ST_FN bool go_back_to_best_round(Team team, const ModelView<Real>& model, const Capacity& capacity,
                                 StepScratch<Real>& s) {
  if (!(s.end.judged[2] < double(INFINITY))) return false;
  const BestRound best = best_round(model, capacity, s);
  const int count = *best.count, rows = s.contact_rows.dimension;
  LastRound& last = s.last_round;
  team.each(count, [&](int i) { last.key[i] = best.key[i], s.end.fixed[i] = best.fixed[i]; });
  team.each(rows * count, [&](int i) { last.lambda[i] = best.lambda[i]; });
  team.each(6 * count, [&](int i) { s.end.place[i] = best.place[i]; });
  team.each(3 * *s.slots.count, [&](int i) { s.end.normal[i] = best.normal[i]; });
  team.each(4 * *s.slots.count, [&](int i) { s.end.rim[i] = best.rim[i]; });
  team.each(2 * *s.slots.count, [&](int i) { s.end.flat[i] = best.flat[i]; });
  team.each(model.nv, [&](int k) { last.v[k] = s.solution.v[k] = best.v[k]; });
  team.each(capacity.max_rows, [&](int r) { last.row_lambda[r] = s.solution.row_lambda[r] = best.row_lambda[r]; });
  team.once([&] { *last.count = count; });
  return true;
}

}  // namespace stiction
