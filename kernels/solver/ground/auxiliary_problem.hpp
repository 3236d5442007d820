// A second scaled problem on the same Jacobians with other H, g, offsets and rows, with which certificates are found.
#pragma once

#include "kernels/solver/ground/scaled_problem.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

/// Memory for the parts in which an auxiliary problem may differ from the problem that it was copied from.
template <class Real>
struct AuxiliaryMemory {
  Array<Real> H, g;                                              // blocks as H of the problem; (nv)
  Array<int> H_zero;                                             // (nv)
  Array<Real> offset, scripted;                                  // (contacts, dim)
  Array<Real> no_friction;                                       // (contacts, dim − 1) zeros
  Array<Real> row_offset, row_lower, row_upper, row_compliance;  // (rows)
  Array<ScaledProblem<Real>> posed, frictionless;                // what copy_problem and without_friction return
};

template <class Real>
ST_FN AuxiliaryMemory<Real> take_auxiliary(const SolverCapacity& capacity, Arena& arena) {
  const auto take = [&](int count) { return arena.take<Real>(static_cast<std::size_t>(count)); };
  int square = 0;
  ST_ROLLED
  for (int b = 0; b < capacity.num_blocks; ++b) square += capacity.block_size[b] * capacity.block_size[b];
  AuxiliaryMemory<Real> m{};
  m.H = take(square), m.g = take(capacity.nv);
  m.H_zero = arena.take<int>(static_cast<std::size_t>(capacity.nv));
  const int dim = capacity.shape.dimension;
  m.offset = take(dim * capacity.max_contacts), m.scripted = take(dim * capacity.max_contacts);
  m.no_friction = take((dim - 1) * capacity.max_contacts);
  m.row_offset = take(capacity.max_rows), m.row_lower = take(capacity.max_rows), m.row_upper = take(capacity.max_rows);
  m.row_compliance = take(capacity.max_rows);
  m.posed = arena.take<ScaledProblem<Real>>(1), m.frictionless = arena.take<ScaledProblem<Real>>(1);
  return m;
}

/// `s` with its own copies of H, g, offsets and rows, which the caller may change.
template <class Team, class Real>
ST_FN ScaledProblem<Real>& copy_problem(const Team& team, const ScaledProblem<Real>& s, AuxiliaryMemory<Real>& m) {
  ScaledProblem<Real>& a = *m.posed;
  team.once([&] {
    a = s;
    a.H = m.H, a.g = m.g, a.H_zero = m.H_zero, a.offset = m.offset, a.scripted = m.scripted;
    a.row_offset = m.row_offset, a.row_lower = m.row_lower, a.row_upper = m.row_upper;
    a.row_compliance = m.row_compliance;
  });
  team.each(s.H_entries, [&](int ij) { a.H[ij] = s.H[ij]; });
  team.each(s.nv, [&](int j) { a.g[j] = s.g[j], a.H_zero[j] = s.H_zero[j]; });
  team.each(s.dim * s.num_contacts, [&](int i) { a.offset[i] = s.offset[i], a.scripted[i] = s.scripted[i]; });
  team.each(s.num_rows, [&](int r) {
    a.row_offset[r] = s.row_offset[r], a.row_lower[r] = s.row_lower[r], a.row_upper[r] = s.row_upper[r];
    a.row_compliance[r] = s.row_compliance[r];
  });
  return a;
}

/// `s` without the friction of its contacts.
template <class Team, class Real>
ST_FN const ScaledProblem<Real>& without_friction(const Team& team, const ScaledProblem<Real>& s,
                                                  AuxiliaryMemory<Real>& m) {
  ScaledProblem<Real>& a = *m.frictionless;
  team.once([&] {
    a = s;
    a.mu = m.no_friction;
  });
  team.each((s.dim - 1) * s.num_contacts, [&](int i) { a.mu[i] = Real(0); });
  return a;
}

}  // namespace stiction
