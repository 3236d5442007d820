// Linear complementarity problems for tests: ones that own their arrays, Stewart-Trinkle problems of random bodies, and
// an enumeration of all solutions of tiny ones.
//
//   λ_n : Jn v + φ/h >= 0     β_k : d_k·u_t + γ >= 0     γ : μ λ_n − Σ β_k >= 0
//   v = M⁻¹ (g + Jnᵀ λ_n + Σ D_kᵀ β_k)
#pragma once

#include <Eigen/Dense>
#include <optional>
#include <vector>

#include "kernels/problem/lcp.hpp"
#include "tests/solver/generated_problems.hpp"

namespace stiction::test {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

struct RawLcp {
  Matrix M;
  Vector q;
  std::vector<int> is_free;  // empty: none

  template <class Real = double>
  struct Stored {
    std::vector<Real> M, q;
    std::vector<int> is_free;
    LcpProblem<Real> view() const {
      return {static_cast<int>(q.size()), M.data(), q.data(), is_free.empty() ? nullptr : is_free.data()};
    }
  };
  template <class Real = double>
  Stored<Real> store() const {
    Stored<Real> s;
    for (Eigen::Index i = 0; i < q.size(); ++i) {
      for (Eigen::Index j = 0; j < q.size(); ++j) s.M.push_back(static_cast<Real>(M(i, j)));
      s.q.push_back(static_cast<Real>(q(i)));
    }
    s.is_free = is_free;
    return s;
  }
};

/// All z of basic solutions (subsets of z >= 0 with a regular matrix); free indices are always basic.
inline std::vector<Vector> enumerate_solutions(const RawLcp& p, double tolerance) {
  const Eigen::Index n = p.q.size();
  std::vector<Vector> found;
  for (std::uint32_t subset = 0; subset < (1u << n); ++subset) {
    std::vector<Eigen::Index> basic;
    bool complete = true;
    for (Eigen::Index i = 0; i < n; ++i) {
      const bool in = (subset >> i) & 1u, free = !p.is_free.empty() && p.is_free[static_cast<std::size_t>(i)];
      complete = complete && (in || !free);
      if (in) basic.push_back(i);
    }
    if (!complete) continue;
    Vector z = Vector::Zero(n);
    if (!basic.empty()) {
      const Matrix A = p.M(basic, basic);
      const Eigen::FullPivLU<Matrix> lu(A);
      if (!lu.isInvertible()) continue;
      z(basic) = lu.solve(-p.q(basic));
    }
    const Vector w = p.M * z + p.q;
    bool good = true;
    for (Eigen::Index i = 0; i < n; ++i)
      if (p.is_free.empty() || !p.is_free[static_cast<std::size_t>(i)])
        good = good && z(i) >= -tolerance && w(i) >= -tolerance;
    if (good) found.push_back(z);
  }
  return found;
}

struct StewartTrinkleOptions {
  int bodies = 3, contacts = 8, tangents = 4;
  bool redundant = false;                // contacts come in fours on a face, some twice
  double min_mass = 0.1, max_mass = 10;  // [kg], log-uniform
  double step_size = 0.01;               // [s]
};

/// The n, t, o rows of one contact in the velocities of all bodies.
inline Matrix random_contact_rows(Rng& rng, const StewartTrinkleOptions& o, int contact) {
  const bool corner = o.redundant && contact % 4 != 0;
  static thread_local Frame3 frame;
  static thread_local int below, above;
  static thread_local std::array<double, 3> face;
  if (!corner) {
    frame = random_frame(rng);
    above = static_cast<int>(uniform(rng, 0, o.bodies));
    below = static_cast<int>(uniform(rng, -1, o.bodies));
    if (below == above) below = -1;
    face = {uniform(rng, -0.05, 0.05), uniform(rng, -0.05, 0.05), uniform(rng, -0.05, 0.05)};
  }
  std::array<double, 3> arm = face;
  const double s[4][2] = {{1, 1}, {1, -1}, {-1, 1}, {-1, -1}};
  if (o.redundant)
    for (std::size_t a = 0; a < 3; ++a)
      arm[a] += 0.03 * (s[contact % 4][0] * frame.row[1][a] + s[contact % 4][1] * frame.row[2][a]);
  Matrix rows = Matrix::Zero(3, 6 * o.bodies);
  const auto add = [&](int body, double sign) {
    if (body < 0) return;
    const auto J = free_body_rows(frame, arm, sign);
    for (int r = 0; r < 3; ++r)
      for (int j = 0; j < 6; ++j) rows(r, 6 * body + j) = J[static_cast<std::size_t>(6 * r + j)];
  };
  add(above, 1), add(below, -1);
  return rows;
}

struct StewartTrinkle {
  RawLcp lcp;
  Matrix J;  // (3 contacts, nv) n, t, o
  Vector mass, g, gap_rate, mu;
};

inline StewartTrinkle random_stewart_trinkle(Rng& rng, const StewartTrinkleOptions& o) {
  const Eigen::Index nv = 6 * o.bodies, nc = o.contacts, k = o.tangents, n = nc * (k + 2);
  StewartTrinkle s{{Matrix::Zero(n, n), Vector::Zero(n), {}},
                   Matrix::Zero(3 * nc, nv),
                   Vector::Zero(nv),
                   Vector::Zero(nv),
                   Vector::Zero(nc),
                   Vector::Zero(nc)};
  for (Eigen::Index b = 0; b < o.bodies; ++b) {
    const double m = o.min_mass * std::pow(o.max_mass / o.min_mass, uniform(rng, 0, 1));
    for (Eigen::Index j = 0; j < 6; ++j) {
      s.mass(6 * b + j) = j < 3 ? m : m * 1e-3 * uniform(rng, 0.5, 2);
      s.g(6 * b + j) = s.mass(6 * b + j) * uniform(rng, -1, 1);
    }
    s.g(6 * b + 2) -= m * 9.81 * o.step_size;
  }
  Matrix F = Matrix::Zero(nv, n);  // impulse per unit of a variable
  for (Eigen::Index i = 0; i < nc; ++i) {
    s.J.middleRows(3 * i, 3) = random_contact_rows(rng, o, static_cast<int>(i));
    s.gap_rate(i) = uniform(rng, 0, 1) < 0.5 ? 0.0 : uniform(rng, 0, 0.5);
    s.mu(i) = uniform(rng, 0.1, 1.2);
    const Eigen::Index a = i * (k + 2);
    F.col(a) = s.J.row(3 * i).transpose();
    s.lcp.q(a) = s.gap_rate(i);
    for (Eigen::Index d = 0; d < k; ++d) {
      const double angle = 2 * M_PI * static_cast<double>(d) / static_cast<double>(k);
      F.col(a + 1 + d) = (std::cos(angle) * s.J.row(3 * i + 1) + std::sin(angle) * s.J.row(3 * i + 2)).transpose();
      s.lcp.M(a + 1 + d, a + k + 1) = 1;
      s.lcp.M(a + k + 1, a + 1 + d) = -1;
    }
    s.lcp.M(a + k + 1, a) = s.mu(i);
  }
  const Matrix G = s.mass.cwiseInverse().asDiagonal() * F;
  s.lcp.M += F.transpose() * G;
  s.lcp.q += G.transpose() * s.g;
  return s;
}

/// 2-20 contacts, 4-8 tangents, one in five with redundant corners.
inline StewartTrinkleOptions random_stewart_trinkle_options(Rng& rng) {
  StewartTrinkleOptions o;
  o.bodies = 1 + static_cast<int>(uniform(rng, 0, 5));
  o.contacts = 2 + static_cast<int>(uniform(rng, 0, 19));
  o.tangents = 4 + static_cast<int>(uniform(rng, 0, 5));
  o.redundant = uniform(rng, 0, 1) < 0.2;
  return o;
}

}  // namespace stiction::test
