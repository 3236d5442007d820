// Activations between controls and actuators.
//
//   a' = u (integrator) or (u − a)/τ (filter) with constant u over the step, solved exactly; then kept in its range.
#pragma once

#include <Eigen/Dense>

#include "host/model/model.hpp"

namespace stiction::reference {

/// The activations (na) at the end of a step with controls `ctrl` (nu).
Eigen::VectorXd next_activations(const Model& model, const Eigen::VectorXd& act, const Eigen::VectorXd& ctrl,
                                 double step_size);

/// What the actuators act with in a step (nu): controls, and activations where there are any.
Eigen::VectorXd drive(const Model& model, const Eigen::VectorXd& act, const Eigen::VectorXd& ctrl, double step_size);

}  // namespace stiction::reference
