// What a step needs to know besides model and state.
#pragma once

#include "kernels/dynamics/impulses.hpp"
#include "kernels/model/traits.hpp"
#include "kernels/solver/solver.hpp"

namespace stiction {

/// Knots of ctrl in memory of the backend: linear in between, held outside.
template <class Real>
struct CommandView {
  int num_knots = 0;             // 0: ctrl is what the user wrote, else zero
  const double* time = nullptr;  // [s], strictly increasing (num_knots)
  const Real* ctrl = nullptr;    // (num_knots, nu)
};

/// Scripted poses in memory of the backend, one track a scripted body: poses linear between knots, held outside.
struct MocapView {
  int num_tracks = 0;
  const int* mocap = nullptr;         // mocap index of a track (num_tracks)
  const int* first = nullptr;         // its first knot (num_tracks)
  const int* count = nullptr;         // its knots, >= 1 (num_tracks)
  const int* has_velocity = nullptr;  // 0: the velocity is the difference of the poses (num_tracks)
  const double* time = nullptr;       // [s], strictly increasing within a track (knots)
  const double* pose = nullptr;       // position [m], unit quaternion (knots, 7)
  const double* velocity = nullptr;   // linear [m/s], angular [rad/s], world axes (knots, 6)
};

template <class Real>
struct StepConfig {
  Real step_size;  // h [s]
  Dynamics dynamics;
  Real mass_ratio;  // s of quasidynamic; 0: true mass
  ContactLaw law;
  ConeType cone;
  int facets;
  int dimension;          // rows of a contact: 3, or 4 where a pair has torsional friction
  Real contact_distance;  // [m]; negative: automatic
  SolverConfig solver;
  bool parts_overlaps = false;  // what begins beyond its limits is brought back in position (part_overlaps.hpp)
  std::uint32_t keeps_state = status::kStateKept;  // bits of a step that leave the state as it is
  const double* start = nullptr;  // where several motions solve the step, the answer is the one nearest to this (nv);
                                  // null: nearest to rest
  CommandView<Real> command;
  MocapView mocap;
  ImpulseView<Real> impulses;
};

}  // namespace stiction
