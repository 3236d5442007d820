// Fills a ScaledProblem from a contact problem, and brings its answer back (the units: scaled_problem.hpp).
#pragma once

#include "kernels/solver/ground/scaled_problem.hpp"

namespace stiction {

namespace scaled_detail {

template <class Team, class Real>
ST_FN void name_blocks(const Team& team, ScaledProblem<Real>& s) {
  team.each(s.num_blocks, [&](int b) {
    for (int j = s.block_adr[b]; j < s.block_adr[b] + s.block_size[b]; ++j) s.dof_block[j] = b;
  });
}

/// Added to the diagonal of P, to keep the proximal matrix regular where there is no mass.
template <class Real>
ST_FN Real proximal_floor() {
  return Real(1e-4);
}

template <class Team, class Real>
ST_FN ScaledUnits<Real> choose_units(const Team& team, const ContactProblem<Real>& p) {
  const Real g_max = team.max(p.nv, Real(0), [&](int j) { return std::fabs(p.g[j]) / p.dof_radius[j]; });
  const Real floor = Real(1e-3) / p.step_size;
  const Real gap_max = team.max(p.num_contacts, Real(0), [&](int i) { return std::fabs(p.contacts[i].gap_rate); });
  const Real offset_max = team.max(p.num_contacts, Real(0), [&](int i) {
    const ContactRow<Real>& c = p.contacts[i];
    const Real turn = twists(p, c) ? c.radius * std::fabs(c.offset[3]) : Real(0);
    const Real slide = larger(std::fabs(c.offset[1]), std::fabs(c.offset[2]));
    return larger(-c.gap_rate, larger(std::fabs(c.offset[0]), larger(slide, turn)));
  });
  const Real free_max = team.max(p.num_blocks, Real(0), [&](int b) {
    const int n = p.block_size[b], adr = p.block_adr[b];
    Real fastest = Real(0);
    ST_ROLLED
    for (int j = 0; j < n; ++j) {
      const Real h = p.H[b][j * n + j], g = std::fabs(p.g[adr + j]);
      if (h > Real(0)) fastest = larger(fastest, smaller(g / h, Real(1e12)) * p.dof_radius[adr + j]);
    }
    return fastest;
  });
  const Real cap = Real(100) * larger(floor, larger(gap_max, offset_max));
  return {larger(floor, larger(offset_max, smaller(free_max, cap))), larger(g_max, p.step_size * kLeastForce<Real>)};
}

/// Scales rows of H and P.
template <class Real>
ST_FN void scale_rows(const ContactProblem<Real>& p, Real weight_unit, const DofRange& dofs, ScaledProblem<Real>& s) {
  const int b = dofs.block, n = p.block_size[b], adr = p.block_adr[b];
  const Real unit = s.units.velocity / s.units.impulse;
  const Real *H = p.H[b], *M = p.M[b], *radius = p.dof_radius + adr;
  Real *out_H = s.H + s.H_adr[b], *out_P = s.P + s.H_adr[b];
  ST_ROLLED
  for (int i = dofs.begin - adr; i < dofs.end - adr; ++i) {
    const Real own = radius[i];
    bool zero = true;
    ST_ROLLED
    for (int j = 0; j < n; ++j) {
      const Real entry = H[i * n + j], length = own * radius[j];
      zero = zero && entry == Real(0);
      out_H[i * n + j] = entry * unit / length;
      out_P[i * n + j] = M[i * n + j] * weight_unit / length + (i == j ? proximal_floor<Real>() : Real(0));
    }
    s.H_zero[adr + i] = zero ? 1 : 0;
  }
}

constexpr int kMostOfRange = 6;  // dofs: a free body; a row of a larger block is a range of its own

/// Dofs of a range in the blocks that are not larger than a free body: 1, 2, 3 or 6, as few as give every lane a range.
template <class Real>
ST_FN int choose_range_size(const ScaledProblem<Real>& s, int lanes) {
  int small = 0;
  ST_ROLLED
  for (int b = 0; b < s.num_blocks; ++b) small += s.block_size[b] <= kMostOfRange ? s.block_size[b] : 0;
  const int left = larger(lanes - (s.nv - small), 1), least = (small + left - 1) / left;
  return least > 3 ? kMostOfRange : larger(least, 1);
}

/// Lists the ranges of dofs, for several lanes.
template <class Team, class Real>
ST_PHASE void list_ranges(const Team& team, ScaledProblem<Real>& s) {
  team.once([&] {
    const int of_small = choose_range_size(s, team.width());
    int ranges = 0;
    ST_ROLLED
    for (int b = 0; b < s.num_blocks; ++b) {
      const DofRange dofs = dofs_of_block(s, b);
      const int size = dofs.end - dofs.begin <= kMostOfRange ? of_small : 1;
      ST_ROLLED
      for (int j = dofs.begin; j < dofs.end; j += size) s.range[ranges++] = {b, j, smaller(j + size, dofs.end)};
    }
    s.num_ranges = ranges;
  });
}

/// Copies `rows` rows of one side, times factor / r_j, in the columns from `first` to `last`.
template <class Real>
ST_FN void scale_columns(const ContactProblem<Real>& p, const BlockJacobian<Real>& side, Real factor, int rows,
                         int first, int last, Pointer<Real> J) {
  const int n = p.block_size[side.block], adr = p.block_adr[side.block];
  ST_ROLLED
  for (int j = first; j < last; ++j) {
    const Real scale = factor / p.dof_radius[adr + j];
    ST_ROLLED
    for (int r = 0; r < rows; ++r) J[r * n + j] = side.J[r * n + j] * scale;
  }
}

/// The same in all columns. An absent side is left unwritten.
template <class Real>
ST_FN void scale_side(const ContactProblem<Real>& p, const BlockJacobian<Real>& side, Real factor, int rows,
                      Pointer<Real> J) {
  if (side.block >= 0) scale_columns(p, side, factor, rows, 0, p.block_size[side.block], J);
}

/// The same for a side of group i; a lane that keeps to runs finds these first.
template <class Team, class Real>
ST_FN void scale_side_of_group(const ContactProblem<Real>& p, int i, int side, const BlockJacobian<Real>& from,
                               Real factor, int rows, ScaledProblem<Real>& s) {
  Real* J = s.jacobian(i, side);
  s.group_block[2 * i + side] = from.block;
  const int n = from.block >= 0 ? p.block_size[from.block] : 0;
  if (!keeps_to_runs<Team::kLanes == 1>(n)) return scale_side(p, from, factor, rows, J);
  const ColumnRuns runs = find_runs(from.J, i < s.num_contacts ? s.dim : 1, n);
  s.runs[2 * i + side] = runs;
  for (int k = 0; k < rows * n; ++k) J[k] = Real(0);
  visit_runs(runs, [&](int first, int last) { scale_columns(p, from, factor, rows, first, last, J); });
}

/// Scales the torsion row of contact i on both sides; the row is zero where the contact has no torsional friction.
template <class Real>
ST_APART void scale_torsion(const ContactProblem<Real>& p, int i, ScaledProblem<Real>& s) {
  const ContactRow<Real>& c = p.contacts[i];
  ST_ROLLED
  for (int side = 0; side < 2; ++side) {
    const int block = c.side[side].block;
    if (block < 0) continue;
    const int before = 3 * p.block_size[block];
    const Real length = twists(p, c) ? c.radius : Real(0);
    scale_side(p, BlockJacobian<Real>{block, c.side[side].J + before}, length, 1, s.jacobian(i, side) + before);
  }
}

template <class Team, class Real>
ST_FN void scale_contact(const ContactProblem<Real>& p, int i, ScaledProblem<Real>& s) {
  const ContactRow<Real>& c = p.contacts[i];
  const Real inverse = Real(1) / s.units.velocity;
  ST_ROLLED
  for (int side = 0; side < 2; ++side) scale_side_of_group<Team>(p, i, side, c.side[side], Real(1), 3, s);
  const Real turn = twists(p, c) ? c.radius * c.offset[3] : Real(0);
  ContactVector<Real> u = inverse * ContactVector<Real>{c.offset[0], c.offset[1], c.offset[2], turn};
  s.store(s.scripted, i, u);
  u.n += c.gap_rate * inverse;
  s.store(s.offset, i, u);
  const Friction<Real> mu = choose_friction(p, c);
  Real* m = s.mu + (s.dim - 1) * i;
  m[0] = mu.mu_t, m[1] = mu.mu_o;
  if (s.dim == 4) scale_torsion(p, i, s), m[2] = mu.mu_r;
}

template <class Team, class Real>
ST_FN void scale_row(const ContactProblem<Real>& p, int r, ScaledProblem<Real>& s) {
  const GeneralRow<Real>& row = p.rows[r];
  const int group = s.num_contacts + r;
  ST_ROLLED
  for (int side = 0; side < 2; ++side) scale_side_of_group<Team>(p, group, side, row.side[side], row.radius, 1, s);
  s.row_offset[r] = row.offset * row.radius / s.units.velocity;
  s.row_lower[r] = row.lower / (row.radius * s.units.impulse);
  s.row_upper[r] = row.upper / (row.radius * s.units.impulse);
  s.row_compliance[r] = row.compliance * row.radius * row.radius * s.units.impulse / s.units.velocity;
}

/// 1 / max_j (M_jj / r_j²), which makes the largest weight in P 1.
template <class Team, class Real>
ST_FN Real choose_weight_unit(const Team& team, const ContactProblem<Real>& p) {
  const Real largest = team.max(p.num_blocks, Real(0), [&](int b) {
    Real heaviest = Real(0);
    ST_ROLLED
    for (int j = 0; j < p.block_size[b]; ++j) {
      const Real radius = p.dof_radius[p.block_adr[b] + j];
      heaviest = larger(heaviest, p.M[b][j * p.block_size[b] + j] / (radius * radius));
    }
    return heaviest;
  });
  return largest > Real(0) ? Real(1) / largest : Real(0);
}

}  // namespace scaled_detail

/// Fills `s` from `p` in the given units.
template <class Team, class Real>
ST_PHASE void scale_problem(const Team& team, const ContactProblem<Real>& p, ScaledUnits<Real> units,
                            ScaledProblem<Real>& s) {
  using namespace scaled_detail;
  team.once([&] {
    s.nv = p.nv, s.num_blocks = p.num_blocks, s.num_contacts = p.num_contacts, s.num_rows = p.num_rows;
    s.num_groups = p.num_contacts + p.num_rows, s.facets = shape_cone(p).facets;
    s.block_adr = p.block_adr, s.block_size = p.block_size, s.radius = p.dof_radius;
    s.units = units, s.impulse_floor = p.step_size * kLeastForce<Real> / units.impulse;
    s.most_speed = p.most_speed / units.velocity;
  });
  fill_facet_table(team, s.table);
  team.once([&] {
    ST_ROLLED
    for (int b = s.H_entries = 0; b < p.num_blocks; ++b) {
      s.H_adr[b] = s.H_entries;
      s.H_entries += p.block_size[b] * p.block_size[b];
    }
  });
  if constexpr (Team::kLanes > 1) name_blocks(team, s), list_ranges(team, s);
  const Real weight_unit = choose_weight_unit(team, p);
  each_dofs(team, s, [&](const DofRange& dofs) { scale_rows(p, weight_unit, dofs, s); });
  team.each(p.nv, [&](int j) { s.g[j] = p.g[j] / (p.dof_radius[j] * s.units.impulse); });
  team.each(p.nv, [&](int j) { s.start[j] = p.start ? p.start[j] * p.dof_radius[j] / s.units.velocity : Real(0); });
  team.each(p.num_contacts, [&](int i) { scale_contact<Team>(p, i, s); });
  team.each(p.num_rows, [&](int r) { scale_row<Team>(p, r, s); });
}

/// Fills `s` from `p` in units chosen from `p`.
template <class Team, class Real>
ST_FN void scale_problem(const Team& team, const ContactProblem<Real>& p, ScaledProblem<Real>& s) {
  scale_problem(team, p, scaled_detail::choose_units(team, p), s);
}

/// The length by which entry k of λ (num_contacts, dim) is scaled: the radius a [m] for torsion [N m s], else 1.
template <class Real>
ST_FN Real impulse_length(const ContactProblem<Real>& p, int k) {
  return p.dimension == 4 && k % 4 == 3 ? p.contacts[k / 4].radius : Real(1);
}

/// Writes v' and λ' to `out` in the problem's units.
template <class Team, class Real>
ST_FN void unscale_solution(const Team& team, const ContactProblem<Real>& p, const ScaledProblem<Real>& s,
                            const AnswerArrays<Real>& x, ContactSolution<Real>& out) {
  const Real u_s = s.units.velocity, lambda_s = s.units.impulse;
  team.each(p.nv, [&](int j) { out.v[j] = x.v[j] * u_s / p.dof_radius[j]; });
  team.each(s.dim * p.num_contacts, [&](int k) { out.lambda[k] = x.lambda[k] * lambda_s * impulse_length(p, k); });
  team.each(p.num_rows, [&](int r) { out.row_lambda[r] = x.row_lambda[r] * lambda_s * p.rows[r].radius; });
}

}  // namespace stiction
