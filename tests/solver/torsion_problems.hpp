// Contact problems with torsion: generated ones, and a disc on a floor whose answer is known by hand.
#pragma once

#include "tests/solver/generated_problems.hpp"

namespace stiction::test {

/// Row r of one side of a contact, from its row n: a free body (6 dofs) turns about the normal; joints do at random.
inline std::vector<double> spin_row(Rng& rng, const std::vector<double>& J) {
  const std::size_t n = J.size() / 3;
  std::vector<double> row(n, 0.0);
  for (std::size_t j = 0; j < n; ++j)
    if (n == 6)
      row[j] = j < 3 ? 0.0 : J[j - 3];
    else
      row[j] = uniform(rng, -3, 3);
  return row;
}

/// A problem of 3 rows a contact with torsional friction of 0.3 ... 100 mm, and none on some contacts.
inline RawProblem<double> add_torsion(Rng& rng, RawProblem<double> p, ConeType cone = ConeType::kQuadratic) {
  p.cone = cone, p.dimension = 4;
  for (auto& c : p.contacts) {
    for (auto& J : c.J) {
      const std::vector<double> row = spin_row(rng, J);
      J.insert(J.end(), row.begin(), row.end());
    }
    c.radius = 0.03;
    c.mu_r = uniform(rng, 0, 1) < 0.2 ? 0.0 : 3e-4 * std::pow(300.0, uniform(rng, 0, 1));
  }
  return p;
}

/// A random stack with torsion, μ 0.1 ... 3 along each tangent, and none along one of them or both on some contacts.
inline RawProblem<double> random_torsion(Rng& rng, const StackOptions& options) {
  auto p = add_torsion(rng, random_stack(rng, options));
  for (auto& c : p.contacts) {
    const double kind = uniform(rng, 0, 1);
    c.mu_t = kind < 0.05 ? 0.0 : 0.1 * std::pow(30, uniform(rng, 0, 1));
    c.mu_o = kind < 0.5 ? c.mu_t : (kind < 0.6 ? 0.0 : 0.1 * std::pow(30, uniform(rng, 0, 1)));
  }
  return p;
}

/// The disc: mass 1 kg, dofs x, y, z and ω about z with inertia kInertia, weight 10 N, on a floor; drive = impulses.
constexpr double kInertia = 2e-3, kDiscRadius = 0.06;  // [kg m²], [m]

inline RawProblem<double> disc(ContactLaw law, ConeType cone, const std::array<double, 4>& velocity, double mu,
                               double mu_r) {
  RawProblem<double> p;
  p.law = law, p.cone = cone, p.dimension = 4;
  p.add_block({1, 1, 1, kInertia}, {velocity[0], velocity[1], velocity[2] - 10 * p.step_size, kInertia * velocity[3]},
              {1, 1, 1, kDiscRadius}, {1, 1, 1, kInertia});
  RawContact<double> c;
  c.block = {-1, 0}, c.mu_t = c.mu_o = mu, c.mu_r = mu_r, c.radius = kDiscRadius;
  c.J[1] = {0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1};
  p.contacts.push_back(c);
  return p;
}

}  // namespace stiction::test
