// The variables of an LCP that make up the impulse of a contact or of a general row, in the units of ScaledProblem.
//
// Contact, û = J v + b + φ/h e_n, generators (1, D_k):
//
//   anitescu      β_k   ⊥  (1, D_k)·û                  λ = Σ β_k (1, D_k)                                   (1)
//   coulomb       λ_n   ⊥  û_n                         λ = (λ_n, Σ β_k D_k)                                 (2)
//                 β_k   ⊥  D_k·û + γ                   the Stewart-Trinkle LCP: (1), (6) of the 2021 paper;
//                 γ     ⊥  λ_n − Σ β_k                 Model-DLC of the 2005 paper, where γ is called σ
//   no friction   λ_n   ⊥  û_n                                                                              (3)
//
// With torsional friction the generators (1, 0, 0, ±μ_r) follow those of the polygon, in (1) and in (2).
//
// General row, û = J v + b + R λ. The λ of a coupling is free and û = 0. A limit has λ = l + x, x ⊥ û, or λ = u − x,
// x ⊥ −û. A row with l = u has no variable. A row between two bounds has two variables:
//
//   λ = l + x,   x ⊥ û + y,   y ⊥ u − l − x                                                                 (4)
#pragma once

#include "kernels/solver/ground/scaled_problem.hpp"

namespace stiction {

namespace contact_lcp_detail {

enum class RowKind { kGiven, kCoupling, kLow, kHigh, kBox };

template <class Real>
ST_FN RowKind kind_of_row(const ScaledProblem<Real>& s, int r) {
  const bool low = !std::isinf(s.row_lower[r]), high = !std::isinf(s.row_upper[r]);
  if (low && high) return s.row_upper[r] > s.row_lower[r] ? RowKind::kBox : RowKind::kGiven;
  return low ? RowKind::kLow : (high ? RowKind::kHigh : RowKind::kCoupling);
}

/// λ_r when the row's variables are zero
template <class Real>
ST_FN double row_base(const ScaledProblem<Real>& s, int r) {
  const RowKind kind = kind_of_row(s, r);
  if (kind == RowKind::kCoupling) return 0.0;
  return static_cast<double>(kind == RowKind::kHigh ? s.row_upper[r] : s.row_lower[r]);
}

/// Sign with which the row's first variable changes λ_r.
template <class Real>
ST_FN double row_sign(const ScaledProblem<Real>& s, int r) {
  return kind_of_row(s, r) == RowKind::kHigh ? -1.0 : 1.0;
}

template <class Real>
ST_FN bool has_friction(const ScaledProblem<Real>& s, int i) {
  const Friction<Real> mu = s.friction(i);
  return s.facets > 1 && (mu.mu_t > Real(0) || mu.mu_o > Real(0) || mu.mu_r > Real(0));
}

/// Number of variables of a group.
template <class Real>
ST_FN int group_width(const ScaledProblem<Real>& s, ContactLaw law, int group) {
  if (group < s.num_contacts) {
    if (!has_friction(s, group)) return 1;
    const int generators = count_generators(s.table, s.friction(group));
    return shifts_gap(law) ? generators + 2 : generators;
  }
  const RowKind kind = kind_of_row(s, group - s.num_contacts);
  return kind == RowKind::kGiven ? 0 : (kind == RowKind::kBox ? 2 : 1);
}

/// Impulse that one unit of a contact's variable makes; zero for γ.
template <class Real>
ST_FN ContactVector<double> contact_impulse(const ScaledProblem<Real>& s, ContactLaw law, int i, int variable) {
  const bool coulomb = shifts_gap(law);
  const Friction<Real> mu = s.friction(i);
  if (!has_friction(s, i) || (coulomb && variable == 0)) return {1.0, 0.0, 0.0, 0.0};
  if (coulomb && variable == count_generators(s.table, mu) + 1) return {};
  const ContactVector<Real> g = twisting_generator(s.table, coulomb ? variable - 1 : variable, mu);
  return {coulomb ? 0.0 : 1.0, static_cast<double>(g.t), static_cast<double>(g.o), static_cast<double>(g.r)};
}

/// Impulse that one unit of a group's variable makes; that of a general row is in n.
template <class Real>
ST_FN ContactVector<double> group_impulse(const ScaledProblem<Real>& s, ContactLaw law, int group, int variable) {
  if (group < s.num_contacts) return contact_impulse(s, law, group, variable);
  return {variable == 0 ? row_sign(s, group - s.num_contacts) : 0.0, 0.0, 0.0, 0.0};
}

/// b + φ/h e_n of a contact; b + R λ of a general row with its variables at zero, in n.
template <class Real>
ST_FN ContactVector<double> group_offset(const ScaledProblem<Real>& s, int group) {
  if (group >= s.num_contacts) {
    const int r = group - s.num_contacts;
    const double compliant =
        s.row_compliance[r] > Real(0) ? static_cast<double>(s.row_compliance[r]) * row_base(s, r) : 0.0;
    return {static_cast<double>(s.row_offset[r]) + compliant, 0.0, 0.0, 0.0};
  }
  const ContactVector<Real> b = s.load(s.offset, group);
  return {static_cast<double>(b.n), static_cast<double>(b.t), static_cast<double>(b.o), static_cast<double>(b.r)};
}

}  // namespace contact_lcp_detail

}  // namespace stiction
