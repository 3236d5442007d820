// De Saxcé's shift of the gaps under Coulomb's law.
//
//   offset_n = φ/h + b_n + s                 the convex problem with this shift
//   G(v)_i = support function of the friction section at −u_t,i             problem/shift.hpp
//
//   symbol    variable        shape          unit
//   φ/h+b_n   gap             (contacts)     that of ScaledProblem's velocities
//   s, G      s, next_G       (contacts)     that of ScaledProblem's velocities
//
// All three are arrays of ShiftMemory.
#pragma once

#include "kernels/problem/shift.hpp"
#include "kernels/solver/polish/shift_coupling.hpp"
#include "kernels/solver/polish/terms.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

/// Keeps the gaps of the problem in m.gap; to be called before any s is set.
template <class Team, class Real>
ST_FN void keep_gaps(const Team& team, const ScaledProblem<Real>& s, ShiftMemory<Real>& m) {
  team.each(s.num_contacts, [&](int i) { m.gap[i] = s.offset[s.dim * i]; });
}

/// Sets s of every contact to `value` and updates the offsets of the problem with it.
template <class Team, class Real, class F>
ST_FN void set_shift(const Team& team, ScaledProblem<Real>& s, ShiftMemory<Real>& m, F value) {
  team.each(s.num_contacts, [&](int i) {
    m.s[i] = value(i);
    s.offset[s.dim * i] = m.gap[i] + m.s[i];
  });
}

/// Writes G of the motion v to m.next_G; J v is left in x.u, x.u_row.
template <class Team, class Real>
ST_FN void measure_shift(const Team& team, const ScaledProblem<Real>& s, Pointer<const Real> v, PolishState<Real>& x,
                         ShiftMemory<Real>& m) {
  multiply_J(team, s, v, x.u, x.u_row);
  team.each(s.num_contacts, [&](int i) {
    m.next_G[i] = support_friction(s.table, s.friction(i), s.load(x.u, i) + s.load(s.scripted, i));
  });
}

/// Sets s = 0, which makes the problem Anitescu's problem.
template <class Team, class Real>
ST_FN void clear_shift(const Team& team, ScaledProblem<Real>& s, ShiftMemory<Real>& m) {
  set_shift(team, s, m, [](int) { return Real(0); });
}

/// Sets s to G of the motion v.
template <class Team, class Real>
ST_PHASE void guess_shift(const Team& team, Pointer<const Real> v, ScaledProblem<Real>& s, PolishState<Real>& x,
                          ShiftMemory<Real>& m) {
  measure_shift(team, s, v, x, m);
  set_shift(team, s, m, [&](int i) { return m.next_G[i]; });
}

}  // namespace stiction
