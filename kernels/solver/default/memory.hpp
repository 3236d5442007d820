// The memory of the default solver while it works through its plan for one problem.
#pragma once

#include "kernels/solver/active_set/active_set.hpp"
#include "kernels/solver/default/rounds.hpp"
#include "kernels/solver/ground/answer.hpp"
#include "kernels/solver/ground/auxiliary_problem.hpp"
#include "kernels/solver/ground/reduced_plan.hpp"
#include "kernels/solver/impulses/impulses.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

template <class Real, class Factor>
struct PlanMemory {
  ScaledProblem<Real> scaled;
  SolverWorkspace<Real, Factor> work;
  ActiveSetState<Real> active;  // used only if the problem has few velocities
  ImpulseState<Real> impulses;  // likewise
  AuxiliaryMemory<Real> auxiliary;
  ShiftMemory<Real> shift;
  CoulombSearch<Real, Factor> search;  // used only under Coulomb's law
  ScaledOptions<Real> options;
  ResidualScratch<Real> residual;
  Array<Real> certificate;   // (max(nv, dim contacts + rows)) d or y of proof/explain.hpp, once there is one
  ScaledReport<Real> found;  // report of work.polish.best; under Coulomb's law search.found takes its place
  AnswerArrays<Real> warm;   // answer from the warm start, while another start is tried; convex laws only
  Real warm_residual;        // residual of `warm`; negative: there is none
  bool planned;              // work.system has its elimination order
  bool fits;                 // there is room for the factor; false: nothing else here may be used
};

template <class Real, class Factor>
ST_FN void take_plan_memory(const SolverCapacity& capacity, Arena& arena, PlanMemory<Real, Factor>& m) {
  m.scaled = take_scaled_problem<Real>(capacity, arena);
  take_solver_workspace(capacity, m.scaled.stride, arena, m.work);
  m.active = take_active_set<Real>(capacity, arena);
  m.impulses = take_impulse_state<Real>(capacity, arena);
  m.auxiliary = take_auxiliary<Real>(capacity, arena);
  m.shift = take_shift_memory<Real>(capacity, arena);
  if (!shifts_gap(capacity.shape.law)) m.warm = take_answer<Real>(capacity, arena);
  const int impulses = capacity.shape.dimension * capacity.max_contacts + capacity.max_rows;
  m.certificate = arena.take<Real>(static_cast<std::size_t>(capacity.nv > impulses ? capacity.nv : impulses));
  m.residual =
      take_residual_scratch<Real>(capacity.nv, capacity.num_blocks, capacity.max_contacts, capacity.max_rows, arena);
}

/// Bytes of scratch that `solve_by_plan` needs.
template <class Real, class Factor>
inline ScratchBytes plan_scratch(const SolverCapacity& capacity) {
  using Memory = PlanMemory<Real, Factor>;
  return placed_bytes<Memory>([&](Arena& arena, Memory& m) { take_plan_memory(capacity, arena, m); });
}

namespace plan_detail {

template <class Real, class Factor>
ST_FN ScaledOptions<Real> scaled_options(const ContactProblem<Real>& p, const SolverConfig& config,
                                         const PlanMemory<Real, Factor>& m) {
  const Real speed_floor = Real(1e-3) / (p.step_size * m.scaled.units.velocity);
  return {Real(0.5 * config.tolerance), speed_floor, Real(0), config.max_iterations};
}

}  // namespace plan_detail

/// Plans the factor, unless that is done. Call it before the first attempt that factors.
template <class Team, class Real, class Factor>
ST_PHASE void plan_factor(const Team& team, PlanMemory<Real, Factor>& m) {
  if (m.planned) return;
  const bool fits = plan_reduced_system(team, m.scaled, m.work.system);
  team.once([&] {
    m.planned = true, m.fits = fits;
    if (Team::kLanes > 1 && fits) m.residual.touching = touching_groups(m.scaled, m.work.system);
  });
}

/// Places the memory; the same for the same problem and arena.
template <class Factor, class Team, class Real>
ST_PHASE PlanMemory<Real, Factor>& place_plan(const Team& team, const ContactProblem<Real>& p, const Arena& arena) {
  using Memory = PlanMemory<Real, Factor>;
  SolverCapacity capacity = capacity_of(p);
  capacity.single_lane = Team::kLanes == 1;
  return place<Memory>(team, arena, [&](Arena& rest, Memory& m) { take_plan_memory(capacity, rest, m); });
}

/// Sets units and options of a problem; the result is the same for the same problem and memory. If there is no room for
/// the factor, `fits` is false and the rest must not be used. Where there always is, the factor is planned only once an
/// attempt needs it.
template <class Team, class Real, class Factor>
ST_PHASE void prepare_plan(const Team& team, const ContactProblem<Real>& p, const SolverConfig& config,
                           PlanMemory<Real, Factor>& m) {
  scale_problem(team, p, m.scaled);
  team.once([&] {
    m.options = plan_detail::scaled_options(p, config, m);
    m.planned = false, m.fits = true;
    *m.work.left = most_iterations(config);
    m.found = {};
    m.warm_residual = Real(-1);
  });
  if (!has_room_for_all(m.work.system.pattern)) plan_factor(team, m);
}

}  // namespace stiction
