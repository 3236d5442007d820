// Contact problems that own their arrays, for tests: hand-made and generated ones.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/problem/contact_problem.hpp"

namespace stiction::test {

template <class Real>
struct RawContact {
  std::array<int, 2> block{-1, -1};
  std::array<std::vector<Real>, 2> J;  // (dimension, n) row-major
  Real gap_rate = 0;
  std::array<Real, 4> offset{};
  Real mu_t = 0, mu_o = 0, mu_r = 0, radius = 1;
};

template <class Real>
struct RawRow {
  std::array<int, 2> block{-1, -1};
  std::array<std::vector<Real>, 2> J;  // (1, n)
  Real offset = 0, lower = 0, upper = std::numeric_limits<Real>::infinity(), compliance = 0, radius = 1;
  int column = -1;  // the only entry of J that is not 0; -1: there may be several
};

/// Fill the vectors, then take `view()`; the view lives as long as this object is not changed.
template <class Real>
struct RawProblem {
  Real step_size = Real(0.01);
  ContactLaw law = ContactLaw::kAnitescu;
  ConeType cone = ConeType::kPyramid;
  int facets = 4;
  int dimension = 3;
  int max_couplings = kAllCouplings;
  std::vector<int> block_size;
  std::vector<std::vector<Real>> H;  // per block, row-major
  std::vector<std::vector<Real>> M;  // least-motion weight, per block
  std::vector<Real> g, dof_radius;
  std::vector<Real> start;  // empty: none
  std::vector<RawContact<Real>> contacts;
  std::vector<RawRow<Real>> rows;

  /// Appends a block with a diagonal H; returns its index.
  int add_block(const std::vector<Real>& diagonal, const std::vector<Real>& impulse, const std::vector<Real>& radius,
                const std::vector<Real>& weight) {
    const std::size_t n = diagonal.size();
    block_size.push_back(static_cast<int>(n));
    H.emplace_back(n * n, Real(0));
    M.emplace_back(n * n, Real(0));
    for (std::size_t i = 0; i < n; ++i) H.back()[i * n + i] = diagonal[i], M.back()[i * n + i] = weight[i];
    g.insert(g.end(), impulse.begin(), impulse.end());
    dof_radius.insert(dof_radius.end(), radius.begin(), radius.end());
    return static_cast<int>(block_size.size()) - 1;
  }

  int nv() const { return static_cast<int>(g.size()); }

  ContactProblem<Real> view() {
    adr_.clear(), H_.clear(), M_.clear(), contacts_.clear(), rows_.clear();
    int adr = 0;
    for (std::size_t b = 0; b < block_size.size(); ++b) {
      adr_.push_back(adr), H_.push_back(H[b].data()), M_.push_back(M[b].data());
      adr += block_size[b];
    }
    for (const auto& c : contacts) {
      ContactRow<Real> row{};
      for (std::size_t s = 0; s < 2; ++s) row.side[s] = {c.block[s], c.J[s].data()};
      row.gap_rate = c.gap_rate;
      for (std::size_t a = 0; a < 4; ++a) row.offset[a] = c.offset[a];
      row.mu_t = c.mu_t, row.mu_o = c.mu_o, row.mu_r = c.mu_r, row.radius = c.radius;
      contacts_.push_back(row);
    }
    for (const auto& r : rows) {
      GeneralRow<Real> row{};
      for (std::size_t s = 0; s < 2; ++s) row.side[s] = {r.block[s], r.J[s].data()};
      row.offset = r.offset, row.lower = r.lower, row.upper = r.upper, row.compliance = r.compliance;
      row.radius = r.radius, row.column = r.column;
      rows_.push_back(row);
    }
    ContactProblem<Real> p{};
    p.step_size = step_size, p.nv = nv(), p.num_blocks = static_cast<int>(block_size.size());
    p.block_adr = adr_.data(), p.block_size = block_size.data(), p.H = H_.data(), p.g = g.data();
    p.dof_radius = dof_radius.data(), p.M = M_.data();
    p.num_contacts = static_cast<int>(contacts_.size()), p.contacts = contacts_.data();
    p.num_rows = static_cast<int>(rows_.size()), p.rows = rows_.data();
    p.law = law, p.cone = cone, p.facets = facets, p.dimension = dimension;
    p.max_couplings = max_couplings;
    p.start = start.empty() ? nullptr : start.data();
    return p;
  }

 private:
  std::vector<int> adr_;
  std::vector<const Real*> H_, M_;
  std::vector<ContactRow<Real>> contacts_;
  std::vector<GeneralRow<Real>> rows_;
};

template <class To, class From>
RawProblem<To> convert(const RawProblem<From>& a) {
  const auto vec = [](const auto& x) { return std::vector<To>(x.begin(), x.end()); };
  RawProblem<To> b;
  b.step_size = static_cast<To>(a.step_size), b.law = a.law, b.cone = a.cone, b.facets = a.facets;
  b.dimension = a.dimension;
  b.block_size = a.block_size;
  for (const auto& h : a.H) b.H.push_back(vec(h));
  for (const auto& m : a.M) b.M.push_back(vec(m));
  b.g = vec(a.g), b.dof_radius = vec(a.dof_radius), b.start = vec(a.start);
  for (const auto& c : a.contacts) {
    RawContact<To> d;
    d.block = c.block, d.J = {vec(c.J[0]), vec(c.J[1])}, d.gap_rate = static_cast<To>(c.gap_rate);
    for (std::size_t i = 0; i < 4; ++i) d.offset[i] = static_cast<To>(c.offset[i]);
    d.mu_t = static_cast<To>(c.mu_t), d.mu_o = static_cast<To>(c.mu_o);
    d.mu_r = static_cast<To>(c.mu_r), d.radius = static_cast<To>(c.radius);
    b.contacts.push_back(d);
  }
  for (const auto& r : a.rows) {
    RawRow<To> d;
    d.block = r.block, d.J = {vec(r.J[0]), vec(r.J[1])};
    d.offset = static_cast<To>(r.offset), d.lower = static_cast<To>(r.lower), d.upper = static_cast<To>(r.upper);
    d.compliance = static_cast<To>(r.compliance), d.radius = static_cast<To>(r.radius);
    d.column = r.column;
    b.rows.push_back(d);
  }
  return b;
}

}  // namespace stiction::test
