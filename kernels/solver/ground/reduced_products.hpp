// J v, Jᵀf and H v of a scaled problem. The sources of a block's diagonal slot are the groups that touch the block, so
// that every dof of the block gathers its entry of Jᵀf from them.
#pragma once

#include "kernels/solver/ground/reduced_system.hpp"
#include "kernels/team/array.hpp"
#include "kernels/team/wide_load.hpp"

namespace stiction {

/// u += J x of one side of a contact; kSize 6 is a free body, whose loop is unrolled; 0 stands for any size. kAtOnce
/// columns are loaded together; their number divides the size.
template <int kSize, int kAtOnce, class Real>
ST_FN void add_side_velocity(const Real* J, int size, const Real* x, Vec3<Real>& u) {
  const int n = kSize > 0 ? kSize : size;
  Real a = Real(0), b = Real(0), c = Real(0);
  for (int j = 0; j < n; j += kAtOnce) {
    Real of_n[kAtOnce], of_t[kAtOnce], of_o[kAtOnce];
    load_row<kAtOnce == 2>(J + j, of_n);
    load_row<kAtOnce == 2>(J + n + j, of_t);
    load_row<kAtOnce == 2>(J + 2 * n + j, of_o);
    for (int k = 0; k < kAtOnce; ++k) {
      a += of_n[k] * x[j + k];
      b += of_t[k] * x[j + k];
      c += of_o[k] * x[j + k];
    }
  }
  u += Vec3<Real>{a, b, c};
}

/// u += J x of one side of a contact in the columns that are not zero
template <class Real>
ST_FN void add_velocity_of_runs(const ColumnRuns& runs, const Real* J, int n, const Real* x, Vec3<Real>& u) {
  Real a = Real(0), b = Real(0), c = Real(0);
  visit_runs(runs, [&](int begin, int end) {
    for (int j = begin; j < end; ++j) {
      a += J[j] * x[j];
      b += J[n + j] * x[j];
      c += J[2 * n + j] * x[j];
    }
  });
  u += Vec3<Real>{a, b, c};
}

/// u = J v of one contact: n, t, o
template <bool kSingleLane = false, class Real>
ST_FN Vec3<Real> multiply_contact(const ScaledProblem<Real>& s, int i, const Real* v) {
  Vec3<Real> u{Real(0), Real(0), Real(0)};
  for (int side = 0; side < 2; ++side) {
    const int block = s.group_block[2 * i + side];
    if (block < 0) continue;
    const int n = s.block_size[block];
    const Real* J = s.jacobian(i, side);
    const Real* x = v + s.block_adr[block];
    if (n == 6)
      add_side_velocity<6, 2>(J, n, x, u);
    else if (keeps_to_runs<kSingleLane>(n))
      add_velocity_of_runs(s.runs[2 * i + side], J, n, x, u);
    else
      n % 2 == 0 ? add_side_velocity<0, 2>(J, n, x, u) : add_side_velocity<0, 1>(J, n, x, u);
  }
  return u;
}

/// J v of one contact about its normal
template <class Real>
ST_APART Real multiply_torsion(const ScaledProblem<Real>& s, int i, const Real* v) {
  Real u = Real(0);
  for (int side = 0; side < 2; ++side) {
    const int block = s.group_block[2 * i + side];
    if (block < 0) continue;
    const int n = s.block_size[block];
    const Real *J = s.jacobian(i, side) + 3 * n, *x = v + s.block_adr[block];
    for (int j = 0; j < n; ++j) u += J[j] * x[j];
  }
  return u;
}

/// J v of all rows of one contact
template <bool kSingleLane = false, class Real>
ST_FN ContactVector<Real> multiply_all_rows(const ScaledProblem<Real>& s, int i, Pointer<const Real> v) {
  const Vec3<Real> u = multiply_contact<kSingleLane, Real>(s, i, v);
  return {u.x, u.y, u.z, s.dim == 4 ? multiply_torsion(s, i, v) : Real(0)};
}

/// J v of one general row
template <bool kSingleLane = false, class Real>
ST_FN Real multiply_row(const ScaledProblem<Real>& s, int r, Pointer<const Real> v) {
  const int i = s.num_contacts + r;
  Real u = Real(0);
  for (int side = 0; side < 2; ++side) {
    const int block = s.group_block[2 * i + side];
    if (block < 0) continue;
    const Real* J = s.jacobian(i, side);
    const auto add = [&](int begin, int end) {
      for (int j = begin; j < end; ++j) u += J[j] * v[s.block_adr[block] + j];
    };
    if (keeps_to_runs<kSingleLane>(s.block_size[block]))
      visit_runs(s.runs[2 * i + side], add);
    else
      add(0, s.block_size[block]);
  }
  return u;
}

/// u (num_contacts, dim) = J v, u_rows (num_rows) = J_r v
template <class Team, class Real>
ST_PHASE void multiply_J(const Team& team, const ScaledProblem<Real>& s, Pointer<const Real> v, Pointer<Real> u,
                         Pointer<Real> u_rows) {
  constexpr bool kSingleLane = Team::kLanes == 1;
  team.each(s.num_contacts, [&](int i) { s.store(u, i, multiply_all_rows<kSingleLane>(s, i, v)); });
  team.each(s.num_rows, [&](int r) { u_rows[r] = multiply_row<kSingleLane>(s, r, v); });
}

/// out += scale A x in the rows `dofs`, A laid out as H and x(j) the entry of dof j
template <class Real, class X>
ST_FN void add_rows(const ScaledProblem<Real>& s, Pointer<const Real> A, Real scale, const DofRange& dofs, X x,
                    Pointer<Real> out) {
  const int n = s.block_size[dofs.block], adr = s.block_adr[dofs.block];
  const Real* a = A + s.H_adr[dofs.block] + (dofs.begin - adr) * n;
  for (int i = dofs.begin; i < dofs.end; ++i, a += n) {
    Real sum = Real(0);
    for (int j = 0; j < n; ++j) sum += a[j] * x(adr + j);
    out[i] += scale * sum;
  }
}

/// out += scale A v
template <class Real>
ST_FN void add_product(const ScaledProblem<Real>& s, Pointer<const Real> A, Real scale, const DofRange& dofs,
                       Pointer<const Real> v, Pointer<Real> out) {
  add_rows(
      s, A, scale, dofs, [&](int j) { return v[j]; }, out);
}

/// out += scale A (v − w)
template <class Real>
ST_FN void add_product_of_difference(const ScaledProblem<Real>& s, Pointer<const Real> A, Real scale,
                                     const DofRange& dofs, Pointer<const Real> v, Pointer<const Real> w,
                                     Pointer<Real> out) {
  add_rows(
      s, A, scale, dofs, [&](int j) { return v[j] - w[j]; }, out);
}

/// pull = Q (v_c − v), out = g − H v + pull in kRows rows of block b from dof i on
template <int kRows, class Real, class Factor>
ST_FN void write_base_rows(const ScaledProblem<Real>& s, const ReducedSystem<Real, Factor>& system, int b, int i,
                           const Real* v, const Real* center, Real* pull, Real* out) {
  const int n = s.block_size[b], adr = s.block_adr[b];
  const std::ptrdiff_t first = s.H_adr[b] + (i - adr) * n;
  const Real *Q = system.proximal + first, *H = s.H + first, *at = v + adr, *to = center + adr;
  Real pulled[kRows] = {}, held[kRows] = {};
  bool moves[kRows];
  for (int k = 0; k < kRows; ++k) moves[k] = !s.H_zero[i + k];
  for (int j = 0; j < n; ++j) {
    const Real x = at[j], back = to[j] - x;
    for (int k = 0; k < kRows; ++k) {
      pulled[k] += Q[k * n + j] * back;
      if (moves[k]) held[k] += H[k * n + j] * x;
    }
  }
  for (int k = 0; k < kRows; ++k) {
    pull[i + k] = pulled[k];
    out[i + k] = s.g[i + k] + pulled[k] - held[k];
  }
}

/// The same in the rows `dofs`
template <class Real, class Factor>
ST_FN void write_motion_base(const ScaledProblem<Real>& s, const ReducedSystem<Real, Factor>& system,
                             const DofRange& dofs, Pointer<const Real> v, Pointer<const Real> center,
                             Pointer<Real> pull, Pointer<Real> out) {
  int i = dofs.begin;
  for (; i + 3 <= dofs.end; i += 3) write_base_rows<3, Real>(s, system, dofs.block, i, v, center, pull, out);
  for (; i < dofs.end; ++i) write_base_rows<1, Real>(s, system, dofs.block, i, v, center, pull, out);
}

/// x += Jᵀ f in kN columns of one block from `first` on, with f (num_contacts, dim) and f_rows (num_rows); `slot` is
/// the block's diagonal slot, whose sources are the groups that touch the block.
template <int kN, class Real, class Factor>
ST_FN void add_JT_columns(const ScaledProblem<Real>& s, const ReducedSystem<Real, Factor>& system, int slot, int n,
                          int first, const Real* f, const Real* f_rows, Real* x) {
  const int *source = system.source + system.source_start[slot], *end = system.source + system.source_start[slot + 1];
  const Real* jacobians = s.J + first;
  const int contacts = s.num_contacts, dim = s.dim, stride = s.stride, second = s.second;
  Real sum[kN];
  for (int j = 0; j < kN; ++j) sum[j] = x[first + j];
  for (; source < end; ++source) {
    const int code = *source, group = code >> 2;
    const Real* J = jacobians + static_cast<std::ptrdiff_t>(group) * stride + (code & 1) * second;
    if (group < contacts) {
      const Real* lambda = f + dim * group;
      const Real a = lambda[0], b = lambda[1], c = lambda[2];
      if (a == Real(0) && b == Real(0) && c == Real(0) && dim == 3) continue;
      for (int j = 0; j < kN; ++j) sum[j] += J[j] * a + J[n + j] * b + J[2 * n + j] * c;
      if (dim == 4)
        for (int j = 0; j < kN; ++j) sum[j] += J[3 * n + j] * lambda[3];
    } else {
      const Real a = f_rows[group - contacts];
      if (a == Real(0)) continue;
      for (int j = 0; j < kN; ++j) sum[j] += J[j] * a;
    }
  }
  for (int j = 0; j < kN; ++j) x[first + j] = sum[j];
}

/// x += Jᵀ f of one block, group by group in the columns that are not zero; arguments as above.
template <class Real, class Factor>
ST_FN void add_JT_of_runs(const ScaledProblem<Real>& s, const ReducedSystem<Real, Factor>& system, int slot, int n,
                          const Real* f, const Real* f_rows, Real* x) {
  const int *source = system.source + system.source_start[slot], *end = system.source + system.source_start[slot + 1];
  for (; source < end; ++source) {
    const int code = *source, group = code >> 2, side = code & 1;
    const Real* J = s.jacobian(group, side);
    const ColumnRuns& runs = s.runs[2 * group + side];
    if (group < s.num_contacts) {
      const Real* lambda = f + s.dim * group;
      const Real a = lambda[0], b = lambda[1], c = lambda[2];
      if (a == Real(0) && b == Real(0) && c == Real(0) && s.dim == 3) continue;
      visit_runs(runs, [&](int first, int last) {
        for (int j = first; j < last; ++j) x[j] += J[j] * a + J[n + j] * b + J[2 * n + j] * c;
        if (s.dim == 4)
          for (int j = first; j < last; ++j) x[j] += J[3 * n + j] * lambda[3];
      });
    } else {
      const Real a = f_rows[group - s.num_contacts];
      if (a == Real(0)) continue;
      visit_runs(runs, [&](int first, int last) {
        for (int j = first; j < last; ++j) x[j] += J[j] * a;
      });
    }
  }
}

/// out += Jᵀ f in the rows `dofs`
template <class Team, class Real, class Factor>
ST_PHASE void add_JT(const Team& /*team*/, const ScaledProblem<Real>& s, const ReducedSystem<Real, Factor>& system,
                     const DofRange& dofs, Pointer<const Real> f, Pointer<const Real> f_rows, Pointer<Real> out) {
  const int b = dofs.block, n = s.block_size[b], adr = s.block_adr[b];
  const int slot = system.block_slot[b];
  Real* x = out + adr;
  if (dofs.end - dofs.begin == 6 && n == 6) return add_JT_columns<6>(s, system, slot, n, 0, f, f_rows, x);
  if (keeps_to_runs<Team::kLanes == 1>(n)) return add_JT_of_runs(s, system, slot, n, f, f_rows, x);
  int j = dofs.begin - adr;
  const int end = dofs.end - adr;
  for (; j + 3 <= end; j += 3) add_JT_columns<3>(s, system, slot, n, j, f, f_rows, x);
  for (; j < end; ++j) add_JT_columns<1>(s, system, slot, n, j, f, f_rows, x);
}

/// out = Jᵀ f in the rows `dofs`
template <class Team, class Real, class Factor>
ST_FN void write_JT(const Team& team, const ScaledProblem<Real>& s, const ReducedSystem<Real, Factor>& system,
                    const DofRange& dofs, Pointer<const Real> f, Pointer<const Real> f_rows, Pointer<Real> out) {
  for (int j = dofs.begin; j < dofs.end; ++j) out[j] = Real(0);
  add_JT(team, s, system, dofs, f, f_rows, out);
}

/// out (nv) = Jᵀ f
template <class Team, class Real, class Factor>
ST_PHASE void multiply_JT(const Team& team, const ScaledProblem<Real>& s, const ReducedSystem<Real, Factor>& system,
                          Pointer<const Real> f, Pointer<const Real> f_rows, Pointer<Real> out) {
  each_range(team, s, [&](const DofRange& dofs) { write_JT(team, s, system, dofs, f, f_rows, out); });
}

}  // namespace stiction
