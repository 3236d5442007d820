// Where the rounds that find the end of a step go on, if plain repetition is slow or does not settle.
//
// A round takes x: the motion to the poses of its rows, and the points at which the friction of its patches acts. Its
// answer is f(x): the velocity, and the ECPs of its impulses. A step ends at x = f(x). x ← f(x) is slow, or runs away
// in spirals, where the answer turns what it stands on: a rim on a face or an edge, patches that share a load.
// Anderson's method with all bodies and patches together goes on from the last rounds, 0 being the last one,
//
//   x ← f_0 − Σ_j θ_j (f_{j−1} − f_j),   θ = argmin ‖r_0 − Σ_j θ_j (r_{j−1} − r_j)‖² + ε ‖·‖² ‖θ‖²,   r = f − x
//
// It asks for no derivatives and for nothing of the solver. Norms are in metres: h v with the length of each dof, and
// the places of friction. Friction that is held (kernels/patch/held_friction.hpp) may act anywhere: it has r = 0.
//
//   symbol  variable  shape            unit
//   x       taken     (kMost, length)  [m/s], [rad/s]; [m]
//   f       answered  (kMost, length)  the same
//   θ       share     (kMost - 1)      [-]
#pragma once

#include "kernels/linalg/small_cholesky.hpp"
#include "kernels/patch/held_friction.hpp"
#include "kernels/step/scratch.hpp"

namespace stiction {

/// ε: shares are worth so much of the largest sum of squares that the differences could leave [-].
constexpr double kShareWeight = 1e-8;

namespace step_detail {

/// The first entry of x that is of a rim: after the velocities, and three for every selected pair if there are patches.
template <class Real>
ST_FN int first_rim_entry(const ModelView<Real>& model, const StepScratch<Real>& s) {
  return model.nv + (s.patches.centre ? 3 * *s.slots.count : 0);
}

/// Entries of x: two for the rims of every selected pair are the last.
template <class Real>
ST_FN int length_of_search(const ModelView<Real>& model, const StepScratch<Real>& s) {
  return first_rim_entry(model, s) + 2 * *s.slots.count;
}

/// What turns entry k of x into metres.
template <class Real>
ST_FN double length_per_entry(const ModelView<Real>& model, const StepScratch<Real>& s, Real h, int k) {
  if (k < model.nv) return static_cast<double>(h) * static_cast<double>(s.motion.dof_radius[k]);
  const int rim = k - first_rim_entry(model, s);
  return rim < 0 ? 1.0 : s.end.rim[2 * rim].fall;
}

/// The place of the round `ago` rounds before the last one.
ST_FN int place_of_round(const MotionSearch& search, int ago) {
  return (*search.rounds - 1 - ago) % MotionSearch::kMost;
}

/// Entry k of r of a round.
ST_FN double left_by_round(const MotionSearch& search, int ago, int k) {
  const int at = search.length * place_of_round(search, ago) + k;
  return search.answered[at] - search.taken[at];
}

/// Entry k of r_{j−1} − r_j, j from 1 on; r_0 for j = 0.
ST_FN double difference_of_rounds(const MotionSearch& search, int j, int k) {
  const double later = left_by_round(search, j == 0 ? 0 : j - 1, k);
  return j == 0 ? later : later - left_by_round(search, j, k);
}

}  // namespace step_detail

/// Forgets all rounds.
template <class Real>
ST_FN void forget_rounds(StepScratch<Real>& s) {
  *s.end.search.rounds = 0;
}

/// Remembers what the last round took, and what it answered. `contacts`: its own.
template <class Team, class State, class Real>
ST_FN void remember_round(Team team, const ModelView<State>& model, const Contacts<Real>& contacts,
                          StepScratch<State>& s) {
  MotionSearch& search = s.end.search;
  double* taken = search.taken + search.length * (*search.rounds % MotionSearch::kMost);
  double* answered = search.answered + search.length * (*search.rounds % MotionSearch::kMost);
  const double* lambda = s.solution.lambda;
  team.each(model.nv, [&](int k) { taken[k] = s.end.motion[k], answered[k] = s.solution.v[k]; });
  team.each(s.patches.centre ? *s.slots.count : 0, [&](int slot) {
    Vec3<double> used = {0.0, 0.0, 0.0}, centre = used;
    if (has_contacts(s.slots, contacts, slot)) {
      centre = in_precision<double>(find_centre(s.slots, contacts, lambda, s.contact_rows.dimension, slot));
      const bool held = is_held(s.slots, contacts, s.contact_rows, lambda, slot);
      used = held ? centre : load3(s.patches.centre + 3 * slot);
    }
    const double x[3] = {used.x, used.y, used.z}, f[3] = {centre.x, centre.y, centre.z};
    for (int i = 0; i < 3; ++i) {
      taken[model.nv + 3 * slot + i] = x[i];
      answered[model.nv + 3 * slot + i] = f[i];
    }
  });
  const int rims = step_detail::first_rim_entry(model, s);
  team.each(2 * *s.slots.count, [&](int i) {
    const RimRound& rim = s.end.rim[2 * i];
    taken[rims + i] = rim.load;
    answered[rims + i] = rim.load + turned_angle(rim.load, rim.lowest);
  });
  team.once([&] { *s.end.search.rounds += 1; });
}

/// Finds x of the next round from the last ones, at least two.
template <class Team, class Real>
ST_FN void extrapolate_rounds(Team team, const ModelView<Real>& model, Real h, StepScratch<Real>& s) {
  constexpr int kMost = MotionSearch::kMost;
  MotionSearch& search = s.end.search;
  const int terms = smaller(*search.rounds, kMost) - 1, entries = step_detail::length_of_search(model, s);
  team.each((terms + 1) * terms, [&](int e) {  // row 0: the right-hand side
    const int j = e / terms, i = e % terms + 1;
    double sum = 0.0;
    for (int k = 0; k < entries; ++k) {
      const double length = step_detail::length_per_entry(model, s, h, k);
      sum += length * length * step_detail::difference_of_rounds(search, j, k) *
             step_detail::difference_of_rounds(search, i, k);
    }
    double* row = j == 0 ? search.share.data() : search.normal + terms * (j - 1);
    row[i - 1] = sum;
  });
  team.once([&] {
    double trace = 0.0;
    for (int j = 0; j < terms; ++j) trace += search.normal[(terms + 1) * j];
    for (int j = 0; j < terms; ++j) search.normal[(terms + 1) * j] += kShareWeight * trace;
    const bool solved = factor_upper(search.normal.data(), terms);
    if (solved) solve_upper(search.normal.data(), terms, search.share.data());
    for (int j = 0; j < terms && !solved; ++j) search.share[j] = 0.0;
  });
  team.each(entries, [&](int k) {
    const auto answer = [&](int ago) {
      return search.answered[search.length * step_detail::place_of_round(search, ago) + k];
    };
    double x = answer(0);
    for (int j = 1; j <= terms; ++j) x -= search.share[j - 1] * (answer(j - 1) - answer(j));
    search.next[k] = x;
  });
}

/// Moves the friction of the patches to where the search goes on, except where it is held.
template <class Team, class State, class Real>
ST_FN void advance_friction(Team team, const ModelView<State>& model, Contacts<Real>& contacts, StepScratch<State>& s) {
  team.each(*s.slots.count, [&](int slot) {
    if (!has_contacts(s.slots, contacts, slot)) return;
    if (is_held(s.slots, contacts, s.contact_rows, s.warm_lambda.data(), slot)) return;
    const double* x = s.end.search.next + model.nv + 3 * slot;
    const Vec3<Real> centre = {static_cast<Real>(x[0]), static_cast<Real>(x[1]), static_cast<Real>(x[2])};
    place_friction_at(s.slots, centre, slot, s.patches, contacts);
  });
}

}  // namespace stiction
