// What a step needs to know besides model and state.
#pragma once

#include "kernels/contact/gap_rule.hpp"
#include "kernels/dynamics/impulses.hpp"
#include "kernels/model/traits.hpp"
#include "kernels/solver/solver.hpp"

namespace stiction {

/// Knots of ctrl in the backend's memory: ctrl is linear between knots and constant before the first and after the
/// last.
template <class Real>
struct CommandView {
  int num_knots = 0;             // 0: ctrl is what the user wrote, or zero by default
  const double* time = nullptr;  // [s], strictly increasing (num_knots)
  const Real* ctrl = nullptr;    // (num_knots, nu)
};

/// Scripted poses in the backend's memory, one track per scripted body: poses are linear between knots and constant
/// before the first and after the last.
struct MocapView {
  int num_tracks = 0;
  const int* mocap = nullptr;         // mocap index of each track (num_tracks)
  const int* first = nullptr;         // index of each track's first knot (num_tracks)
  const int* count = nullptr;         // number of each track's knots, >= 1 (num_tracks)
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
  int dimension;          // rows per contact: 3, or 4 if any pair has torsional friction
  Real contact_distance;  // [m]; negative: automatic
  Real threshold_speed;   // of kinetic friction [m/s]
  SolverConfig solver;    // its tolerance: that of a solve, smaller than that of the step if the step seeks its end
  double tolerance;       // residual up to which a step is solved [-]
  ContactModel contact = ContactModel::kPoints;
  ContactGeometry geometry = ContactGeometry::kStart;
  Rotation rotation = Rotation::kExact;
  TorsionRadius torsion_radius = TorsionRadius::kModel;
  Equality equality = Equality::kSolref;  // of welds and connects
  StepOrder order = StepOrder::kSolveFirst;
  double correction = 1.0;                         // γ: share of an overlap that a step corrects (gap_rule.hpp) [-]
  bool parts_overlaps = false;                     // overlaps and violated limits are removed in position
  bool merges_regions = false;                     // bodies have pieces that touch (kernels/collision/regions.hpp)
  std::uint32_t keeps_state = status::kStateKept;  // a step with one of these bits keeps the old state
  const double* start = nullptr;  // if several motions solve the step, the answer is the one nearest to this (nv);
                                  // null: nearest to rest
  CommandView<Real> command;
  MocapView mocap;
  ImpulseView<Real> impulses;
};

/// Share of the tolerance that the solves of a step which seeks its end may leave: what they leave moves the end that
/// the next round finds, and where forces are not unique it moves it far [-].
constexpr double kSolvesLeave = 0.03;
/// A smaller tolerance of a solve is not asked for: rounding may leave as much [-].
constexpr double kFinestSolve = 1e-11;

/// The tolerance of such solves.
ST_FN double inner_tolerance(double tolerance) {
  const double finest = tolerance < kFinestSolve ? tolerance : kFinestSolve;
  return kSolvesLeave * tolerance > finest ? kSolvesLeave * tolerance : finest;
}

/// True if the bodies of a step move before its velocities are solved (move_first.hpp).
template <class Real>
ST_FN bool moves_first(const StepConfig<Real>& config) {
  return config.order == StepOrder::kMoveFirst;
}

/// What a step asks of gaps. Bodies that move first aim at half the distance at which they are in contact.
template <class Real>
ST_FN GapRule<Real> gap_rule(const StepConfig<Real>& config) {
  if (!moves_first(config)) return {};
  return {Real(0.5) * config.contact_distance, config.correction};
}

/// True if a step has rounds that find its end.
template <class Real>
ST_FN bool seeks_end(const StepConfig<Real>& config) {
  return config.geometry == ContactGeometry::kEnd || config.contact == ContactModel::kPatch ||
         config.rotation == Rotation::kLinear;
}

}  // namespace stiction
