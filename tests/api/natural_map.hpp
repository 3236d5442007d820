// The scaled natural map of a Delassus problem with quadratic cones, in a text of the tests' own.
//
//   ‖r − P_K(r − u − [μ‖u_T‖, 0, 0])‖ / max(‖q‖, ‖r‖, ‖u‖),  u = W r + q;  the shift only under Coulomb's law
#pragma once

#include <Eigen/Dense>
#include <cmath>

#include "kernels/model/types.hpp"

namespace stiction::test {

/// The nearest point of {‖z_T‖ <= μ z_n}.
inline Eigen::Vector3d project_to_disk_cone(const Eigen::Vector3d& z, double mu) {
  const double slip = z.tail<2>().norm();
  if (slip <= mu * z[0]) return z;
  if (mu * slip <= -z[0]) return Eigen::Vector3d::Zero();
  const double n = (z[0] + mu * slip) / (1 + mu * mu), share = slip > 0 ? mu * n / slip : 0;
  return {n, share * z[1], share * z[2]};
}

inline double natural_map(const Eigen::MatrixXd& W, const Eigen::VectorXd& q, const Eigen::VectorXd& mu,
                          const Eigen::VectorXd& r, ContactLaw law) {
  const Eigen::VectorXd u = W * r + q;
  double square = 0;
  for (Eigen::Index i = 0; i < mu.size(); ++i) {
    Eigen::Vector3d moved = u.segment<3>(3 * i);
    if (law == ContactLaw::kCoulomb) moved[0] += mu[i] * moved.tail<2>().norm();
    const Eigen::Vector3d impulse = r.segment<3>(3 * i);
    square += (impulse - project_to_disk_cone(impulse - moved, mu[i])).squaredNorm();
  }
  return std::sqrt(square) / std::max({q.norm(), r.norm(), u.norm()});
}

}  // namespace stiction::test
