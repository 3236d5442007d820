// A sweep of projected Gauss-Seidel (pgs.hpp), colour by colour (colours.hpp). The groups of a colour move no tree in
// common, so all of them take their step at once:
//
//   contact   λ_i ← P_K(λ_i − û_i/σ_i),  û_i = J_i v + b_i + (φ_i/h + s_i) e_n                             (2)
//   row       λ_r ← clamp(λ_r − (J_r v + b_r + R_r λ_r)/σ_r, l_r, u_r)                                     (3)
//   after each of these: v ← v + S⁻¹ Jᵀ Δλ
//   after each sweep: v ← v + S⁻¹ εP (v − v_c), v_c ← v as it was before                                   (4)
//
// One lane takes a whole group, and so do many lanes in a colour of many groups. Where a colour has few, the lanes
// share each group: first the entries of J v, then the steps, then the dofs of S⁻¹ Jᵀ Δλ. Every number is computed by
// the same sums either way: the order is that of the colours for every team, and so are the bits.
#pragma once

#include "kernels/solver/ground/answer.hpp"
#include "kernels/solver/ground/reduced_products.hpp"
#include "kernels/solver/splitting/colours.hpp"

namespace stiction {

template <class Real>
struct PgsMemory {
  ScaledProblem<Real> scaled;
  Colours colours;
  Array<Real> factor, inverse_diagonal, response, step, epsilon;  // table of pgs.hpp; 1/U_jj (nv); set by `start`
  Array<Real> pull;                                               // S⁻¹εP, blocks as H; where ε > 0
  Array<Real> v, center, lambda, row_lambda;  // (nv), (nv) v_c, (contacts, dim), (rows) the present iterate
  Array<Real> side_velocity;                  // (groups, 2, dim) J v of either side; for several lanes only
  Array<Real> change;                         // (groups, dim) Δλ; for several lanes only
  AnswerArrays<Real> best;
  ResidualScratch<Real> residual;

  ST_FN AnswerArrays<Real> answer() const { return {v, lambda, row_lambda}; }

  /// S⁻¹Jᵀ of one side of a group: rows as those of J
  ST_FN Real* response_of(int side) { return response + response_begin(side); }
  ST_FN const Real* response_of(int side) const { return response + response_begin(side); }

 private:
  ST_FN std::ptrdiff_t response_begin(int side) const {
    return static_cast<std::ptrdiff_t>(side / 2) * scaled.stride + side % 2 * scaled.second;
  }
};

namespace pgs_detail {

/// Colours with so many groups give every lane a whole one: half of the lanes of the widest team, from where on it
/// takes less time than three phases.
constexpr int kWholeGroups = 32;

/// Row `row` of J v of one moving side.
template <class Real>
ST_FN Real multiply_side(const ScaledProblem<Real>& s, int side, int row, Pointer<const Real> v) {
  const int block = s.group_block[side], n = s.block_size[block];
  const Real *J = s.jacobian(side / 2, side % 2) + row * n, *x = v + s.block_adr[block];
  Real sum = Real(0);
  for (int j = 0; j < n; ++j) sum += J[j] * x[j];
  return sum;
}

/// Row `row` of J v of a group.
template <class Real>
ST_FN Real multiply_sides(const ScaledProblem<Real>& s, int group, int row, Pointer<const Real> v) {
  Real u = Real(0);
  for (int side = 2 * group; side < 2 * group + 2; ++side)
    if (s.group_block[side] >= 0) u += multiply_side(s, side, row, v);
  return u;
}

/// The step (2) of contact i from J v; returns Δλ.
template <class Real>
ST_FN ContactVector<Real> step_contact(ContactLaw law, int i, const ContactVector<Real>& Jv, PgsMemory<Real>& m) {
  const ScaledProblem<Real>& s = m.scaled;
  const ContactVector<Real> old = s.load(m.lambda, i);
  const Friction<Real> mu = s.friction(i);
  ContactVector<Real> u = Jv + s.load(s.offset, i);
  u.n += shift_gap(law, s.table, mu, u);
  const ContactVector<Real> next = project_point_to_cone(s.table, mu, old - m.step[i] * u);
  s.store(m.lambda, i, next);
  return next - old;
}

/// The step (3) of general row r from J v; returns Δλ.
template <class Real>
ST_FN Real step_row(int r, Real Jv, PgsMemory<Real>& m) {
  const ScaledProblem<Real>& s = m.scaled;
  const Real old = m.row_lambda[r];
  const Real u = Jv + s.row_offset[r] + s.row_compliance[r] * old;
  const Real next = clamped(old - m.step[s.num_contacts + r] * u, s.row_lower[r], s.row_upper[r]);
  m.row_lambda[r] = next;
  return next - old;
}

/// v += S⁻¹Jᵀ Δλ of a group; `change` has an entry for each of its rows.
template <class Real>
ST_FN void respond(int group, const Real* change, PgsMemory<Real>& m) {
  const ScaledProblem<Real>& s = m.scaled;
  const int rows = group_rows(s, group);
  for (int side = 2 * group; side < 2 * group + 2; ++side) {
    const int b = s.group_block[side];
    if (b < 0) continue;
    const int n = s.block_size[b];
    const Real* Y = m.response_of(side);
    Real* v = m.v + s.block_adr[b];
    for (int r = 0; r < rows; ++r)
      for (int j = 0; j < n; ++j) v[j] += Y[r * n + j] * change[r];
  }
}

/// The same in one dof.
template <class Real>
ST_FN void respond_in(const SideMotion& at, const Real* change, PgsMemory<Real>& m) {
  const ScaledProblem<Real>& s = m.scaled;
  const int b = s.group_block[at.side], n = s.block_size[b];
  const Real* Y = m.response_of(at.side) + (at.dof - s.block_adr[b]);
  Real v = m.v[at.dof];
  for (int r = 0; r < group_rows(s, at.side / 2); ++r) v += Y[r * n] * change[r];
  m.v[at.dof] = v;
}

/// v += S⁻¹Jᵀ Δλ of all groups of a colour; change(group) has an entry for each of its rows.
template <class Team, class Real, class Change>
ST_FN void respond_together(const Team& team, const ColourSize& begin, const ColourSize& end, Change change,
                            PgsMemory<Real>& m) {
  if constexpr (Team::kLanes == 1)
    team.then(end.groups - begin.groups, [&](int k) {
      const int group = m.colours.group[begin.groups + k];
      respond(group, change(group), m);
    });
  else
    team.then(end.motions - begin.motions, [&](int k) {
      const SideMotion at = m.colours.motion[begin.motions + k];
      respond_in(at, change(at.side / 2), m);
    });
}

/// The whole step of a group by one lane.
template <class Real>
ST_FN void relax(ContactLaw law, int group, PgsMemory<Real>& m) {
  const ScaledProblem<Real>& s = m.scaled;
  if (group < s.num_contacts) {
    const Vec3<Real> u = multiply_contact(s, group, m.v.data());
    const Real spin = s.dim == 4 ? multiply_sides(s, group, 3, m.v) : Real(0);
    const ContactVector<Real> d = step_contact(law, group, {u.x, u.y, u.z, spin}, m);
    const Real change[4] = {d.n, d.t, d.o, d.r};
    respond(group, change, m);
  } else {
    const Real change = step_row(group - s.num_contacts, multiply_sides(s, group, 0, m.v), m);
    respond(group, &change, m);
  }
}

/// Row `row` of J v of a group whose sides have been multiplied.
template <class Real>
ST_FN Real add_sides(const PgsMemory<Real>& m, int group, int row) {
  const int dim = m.scaled.dim;
  const Real* first = m.side_velocity + static_cast<std::ptrdiff_t>(2 * group) * dim + row;
  return Real(0) + first[0] + first[dim];
}

/// The step of a group whose sides have been multiplied; sets its Δλ.
template <class Real>
ST_FN void step_group(ContactLaw law, int group, PgsMemory<Real>& m) {
  const ScaledProblem<Real>& s = m.scaled;
  const auto Jv = [&](int row) { return add_sides(m, group, row); };
  if (group < s.num_contacts)
    s.store(m.change, group, step_contact(law, group, {Jv(0), Jv(1), Jv(2), s.dim == 4 ? Jv(3) : Real(0)}, m));
  else
    m.change[static_cast<std::ptrdiff_t>(group) * s.dim] = step_row(group - s.num_contacts, Jv(0), m);
}

/// The steps of all groups of a colour.
template <class Team, class Real>
ST_FN void relax_colour(const Team& team, ContactLaw law, int colour, PgsMemory<Real>& m) {
  const ColourSize begin = m.colours.start[colour], end = m.colours.start[colour + 1];
  const int groups = end.groups - begin.groups;
  if (Team::kLanes == 1 || groups >= kWholeGroups) {
    team.then(groups, [&](int k) { relax(law, m.colours.group[begin.groups + k], m); });
    return;
  }
  const ScaledProblem<Real>& s = m.scaled;
  team.then(end.entries - begin.entries, [&](int k) {
    const SideEntry at = m.colours.entry[begin.entries + k];
    m.side_velocity[static_cast<std::ptrdiff_t>(at.side) * s.dim + at.row] = multiply_side(s, at.side, at.row, m.v);
  });
  team.then(groups, [&](int k) { step_group(law, m.colours.group[begin.groups + k], m); });
  respond_together(
      team, begin, end, [&](int group) { return m.change + static_cast<std::ptrdiff_t>(group) * s.dim; }, m);
}

/// The update (4) of all trees.
template <class Team, class Real>
ST_FN void move_centers(const Team& team, PgsMemory<Real>& m) {
  const ScaledProblem<Real>& s = m.scaled;
  each_dofs(team, s, [&](const DofRange& dofs) {
    if (!(m.epsilon[dofs.block] > Real(0))) return;
    for (int j = dofs.begin; j < dofs.end; ++j) m.residual.motion[j] = Real(0);
    add_product_of_difference(s, m.pull, Real(1), dofs, m.v, m.center, m.residual.motion);
  });
  each_dofs(team, s, [&](const DofRange& dofs) {
    if (!(m.epsilon[dofs.block] > Real(0))) return;
    for (int j = dofs.begin; j < dofs.end; ++j) m.center[j] = m.v[j], m.v[j] += m.residual.motion[j];
  });
}

}  // namespace pgs_detail

/// One sweep over all groups.
template <class Team, class Real>
ST_PHASE void sweep(const Team& team, ContactLaw law, PgsMemory<Real>& m) {
  team.fence();
  for (int colour = 0; colour < *m.colours.count; ++colour) pgs_detail::relax_colour(team, law, colour, m);
  pgs_detail::move_centers(team, m);
}

}  // namespace stiction
