// A slow reference for contact problems without general rows: every facet an explicit inequality, dense, in long
// double.
//
//   min ½ vᵀHv − gᵀv  s.t.  A v + c >= 0       A: one row g_kᵀ J_i a facet
//
// Primal-dual path following without predictor: t = 0.1 μ, step 0.9 to the boundary, until the products are 1e-15 of
// the objective's scale. No blocks, no scaling, no polish: it shares no text and no method of stopping with the solver.
#pragma once

#include <Eigen/Dense>

#include "tests/solver/raw_problem.hpp"

namespace stiction::test {

using Wide = long double;
using WideMatrix = Eigen::Matrix<Wide, Eigen::Dynamic, Eigen::Dynamic>;
using WideVector = Eigen::Matrix<Wide, Eigen::Dynamic, 1>;

struct DenseProblem {
  WideMatrix H, A;
  WideVector g, c;
};

inline DenseProblem expand(const RawProblem<double>& p) {
  const Eigen::Index nv = p.nv(), facets = p.facets, rows = static_cast<Eigen::Index>(p.contacts.size()) * facets;
  DenseProblem d{WideMatrix::Zero(nv, nv), WideMatrix::Zero(rows, nv), WideVector::Zero(nv), WideVector::Zero(rows)};
  std::vector<Eigen::Index> adr;
  Eigen::Index next = 0;
  for (std::size_t b = 0; b < p.H.size(); ++b) {
    adr.push_back(next);
    const Eigen::Index n = p.block_size[b];
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index j = 0; j < n; ++j)
        d.H(next + i, next + j) = static_cast<Wide>(p.H[b][static_cast<std::size_t>(i * n + j)]);
    next += n;
  }
  for (Eigen::Index j = 0; j < nv; ++j) d.g(j) = static_cast<Wide>(p.g[static_cast<std::size_t>(j)]);
  for (std::size_t i = 0; i < p.contacts.size(); ++i)
    for (Eigen::Index k = 0; k < facets; ++k) {
      const auto& contact = p.contacts[i];
      const Wide angle = 2 * acosl(-1.0L) * static_cast<Wide>(k) / static_cast<Wide>(facets);
      const Wide D[3] = {1, contact.mu_t * cosl(angle), contact.mu_o * sinl(angle)};
      const Eigen::Index row = static_cast<Eigen::Index>(i) * facets + k;
      d.c(row) = contact.gap_rate;
      for (std::size_t a = 0; a < 3; ++a) {
        d.c(row) += D[a] * contact.offset[a];
        for (std::size_t s = 0; s < 2; ++s) {
          if (contact.block[s] < 0) continue;
          const auto b = static_cast<std::size_t>(contact.block[s]);
          const auto n = static_cast<std::size_t>(p.block_size[b]);
          for (std::size_t j = 0; j < n; ++j)
            d.A(row, adr[b] + static_cast<Eigen::Index>(j)) += D[a] * contact.J[s][a * n + j];
        }
      }
    }
  return d;
}

/// The optimal objective ½ vᵀHv − gᵀv; NaN if the path is lost.
inline double oracle_objective(const RawProblem<double>& raw) {
  const DenseProblem p = expand(raw);
  const Eigen::Index n = p.g.size(), m = p.c.size();
  const Wide unit = std::max<Wide>(p.g.cwiseAbs().maxCoeff(), 1e-12L);
  WideVector v = WideVector::Zero(n), s = p.c.cwiseMax(0.1L), z = WideVector::Constant(m, unit);
  for (int iteration = 0; iteration < 200; ++iteration) {
    const WideVector dual = p.H * v - p.g - p.A.transpose() * z, primal = p.A * v + p.c - s;
    const Wide mu = s.dot(z) / static_cast<Wide>(m);
    if (mu < 1e-17L * unit && dual.cwiseAbs().maxCoeff() < 1e-14L * unit && primal.cwiseAbs().maxCoeff() < 1e-15L)
      break;
    const WideVector d = z.cwiseQuotient(s), target = (0.1L * mu * s.cwiseInverse());
    WideMatrix S = p.H + p.A.transpose() * d.asDiagonal() * p.A;
    S.diagonal().array() += 1e-14L * unit;
    const WideVector rhs = -dual + p.A.transpose() * (target - z - d.cwiseProduct(primal));
    const WideVector dv = S.ldlt().solve(rhs);
    const WideVector ds = p.A * dv + primal, dz = target - z - d.cwiseProduct(ds);
    Wide alpha = 1;
    for (Eigen::Index i = 0; i < m; ++i) {
      if (ds(i) < 0) alpha = std::min(alpha, -0.9L * s(i) / ds(i));
      if (dz(i) < 0) alpha = std::min(alpha, -0.9L * z(i) / dz(i));
    }
    v += alpha * dv, s += alpha * ds, z += alpha * dz;
  }
  const Wide gap = s.dot(z);
  if (!(gap < 1e-12L * unit)) return std::nan("");
  return static_cast<double>(0.5L * v.dot(p.H * v) - p.g.dot(v));
}

}  // namespace stiction::test
