// What a step needs to know besides model and state.
#pragma once

#include "kernels/model/types.hpp"
#include "kernels/solver/solver.hpp"

namespace stiction {

/// Knots of ctrl in memory of the backend: linear in between, held outside.
template <class Real>
struct CommandView {
  int num_knots = 0;             // 0: ctrl is what the user wrote
  const double* time = nullptr;  // [s], strictly increasing (num_knots)
  const Real* ctrl = nullptr;    // (num_knots, nu)
};

template <class Real>
struct StepConfig {
  Real step_size;  // h [s]
  Dynamics dynamics;
  Real mass_ratio;  // s of quasidynamic; 0: true mass
  ContactLaw law;
  ConeType cone;
  int facets;
  Real contact_distance;  // [m]; negative: automatic
  SolverConfig solver;
  CommandView<Real> command;
};

/// Attempts at one step, each with at least twice the reach of the one before.
constexpr int kMaxAttempts = 5;

}  // namespace stiction
