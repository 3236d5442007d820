// From poses to the contact problem: pairs within reach, contacts, rows, and where its solution starts.
#pragma once

#include "kernels/contact/overlooked.hpp"
#include "kernels/contact/spread_reach.hpp"
#include "kernels/step/meetings.hpp"

namespace stiction {

/// The contact problem of this step; its arrays live in the scratch.
template <class Real>
ST_FN ContactProblem<double> describe_problem(const ModelView<Real>& model, const Capacity& capacity,
                                              const StepConfig<Real>& config, const StepScratch<Real>& s) {
  ContactProblem<double> problem;
  problem.step_size = static_cast<double>(config.step_size);
  problem.nv = model.nv;
  problem.num_blocks = model.ntree;
  problem.block_adr = model.tree_dof_adr;
  problem.block_size = model.tree_dof_num;
  problem.H = s.motion.H_block;
  problem.g = s.motion.g;
  problem.dof_radius = s.motion.dof_radius;
  problem.M = s.motion.M_block;
  problem.num_contacts = *s.contacts.count;
  problem.contacts = s.contact_rows.row;
  problem.num_rows = capacity.max_rows;
  problem.rows = s.general_rows.row;
  problem.law = config.law;
  problem.cone = config.cone;
  problem.facets = config.facets;
  problem.dimension = config.dimension;
  problem.max_couplings = capacity.max_couplings;
  problem.start = config.start ? s.start : nullptr;
  return problem;
}

/// Selects the pairs within reach. Returns the status bit of a full capacity, else 0.
template <class Team, class Real>
ST_FN std::uint32_t select_pairs_in_reach(Team team, const ModelView<Real>& model, const Capacity& capacity,
                                          StepScratch<Real>& s) {
  spread_reach(team, model, s.poses, s.bounds, s.reach);
  const auto reach = [&](int p) { return pair_reach(model, s.reach, p); };
  return select_pairs(team, capacity, reach, s.bounds, s.slots);
}

namespace step_detail {

/// Position of `key` in the increasing list `keys`, or -1.
ST_FN int find_key(const int* keys, int count, int key) {
  int low = 0, high = count;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (keys[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count && keys[low] == key ? low : -1;
}

}  // namespace step_detail

/// The last step's answer at this step's contacts, matched by slot key; new contacts start from zero. There is no warm
/// start if the scene names a start, as the answer may depend on where the solver starts; then, as in a first step, all
/// impulses from which patches take their centres are zero.
template <class Team, class Real>
ST_FN WarmStart<double> match_warm_start(Team team, const EnvView<Real>& env, const StepConfig<Real>& config,
                                         StepScratch<Real>& s) {
  const bool none = *env.warm_count < 0 || config.start;
  team.each(*s.contacts.count, [&](int i) {
    const int last = none ? -1 : step_detail::find_key(env.warm_key, *env.warm_count, s.contacts.key[i]);
    const int rows = config.dimension;
    for (int r = 0; r < rows; ++r) s.warm_lambda[rows * i + r] = last >= 0 ? env.warm_lambda[4 * last + r] : 0.0;
  });
  if (none) return {};
  WarmStart<double> warm;
  warm.v = env.warm_v;
  warm.lambda = s.warm_lambda;
  warm.row_lambda = env.warm_row_lambda;
  warm.penalty = *env.warm_penalty;
  return warm;
}

/// Keeps the answer of a round for the next one.
template <class Team, class Real>
ST_FN void keep_round(Team team, const ModelView<Real>& model, const Capacity& capacity, StepScratch<Real>& s) {
  const int count = *s.contacts.count, rows = s.contact_rows.dimension;
  team.each(count, [&](int i) { s.last_round.key[i] = s.contacts.key[i]; });
  team.each(rows * count, [&](int i) { s.last_round.lambda[i] = s.solution.lambda[i]; });
  team.each(model.nv, [&](int k) { s.last_round.v[k] = s.solution.v[k]; });
  team.each(capacity.max_rows, [&](int r) { s.last_round.row_lambda[r] = s.solution.row_lambda[r]; });
  team.once([&] { *s.last_round.count = count; });
}

/// The previous round's answer at this round's contacts. There is no warm start if the scene names a start.
template <class Team, class Real>
ST_FN WarmStart<double> match_last_round(Team team, const StepConfig<Real>& config, double penalty,
                                         StepScratch<Real>& s) {
  const LastRound& last = s.last_round;
  const int rows = config.dimension;
  team.each(*s.contacts.count, [&](int i) {
    const int from = step_detail::find_key(last.key, *last.count, s.contacts.key[i]);
    for (int r = 0; r < rows; ++r) s.warm_lambda[rows * i + r] = from >= 0 ? last.lambda[rows * from + r] : 0.0;
  });
  if (config.start) return {};
  WarmStart<double> warm;
  warm.v = last.v;
  warm.lambda = s.warm_lambda;
  warm.row_lambda = last.row_lambda;
  warm.penalty = penalty;
  return warm;
}

/// Gives prescribed dofs their prescribed velocities exactly; nothing else in the solution depends on them.
template <class Team, class Real>
ST_FN void impose_prescribed_motion(Team team, const ModelView<Real>& model, StepScratch<Real>& s) {
  const PrescribedDofs& prescribed = s.motion.prescribed;
  if (!prescribed.chosen) return;
  team.each(model.nv, [&](int k) {
    if (prescribed.chosen[k]) s.solution.v[k] = prescribed.velocity[k];
  });
}

/// True if the solved motion stays within the reach for which contacts were found; otherwise enlarges the reach.
template <class Team, class Real>
ST_FN bool covers_motion(Team team, const ModelView<Real>& model, Real h, const SolverReport<double>& report,
                         StepScratch<Real>& s) {
  if (report.status & status::kNotFinite) return true;
  if (report.status & status::kUnbounded)  // the solver's own proof is gone if explain.hpp finds none
    return !report.certificate || !unlimit_reach(team, model, s.poses, s.bounds, report.certificate, s.reach);
  if (count_overlooked(team, model, s.poses, s.slots, s.taken, h, s.bounds, s.reach) == 0) return true;
  enlarge_reach(team, model, s.poses, s.bounds, h, s.reach);
  return false;
}

/// The dead band of the step; zero without momentum. A step that finds its end leaves no overlap: it has no slop.
template <class Real>
ST_FN DeadBand<Real> dead_band(const StepConfig<Real>& config) {
  if (!config.parts_overlaps) return {};
  DeadBand<Real> dead = dead_band(config.step_size, config.tolerance);
  if (config.geometry == ContactGeometry::kEnd) dead.slop = Real(0);
  return dead;
}

/// Prepares what all rounds of a step share: boxes, the first reach, the general rows, the solver's start.
template <class Team, class Real>
ST_FN void start_contact_search(Team team, const ModelView<Real>& model, const EnvView<Real>& env,
                                const StepConfig<Real>& config, StepScratch<Real>& s) {
  const Real h = config.step_size;
  place_boxes(team, model, s.poses, s.bounds);
  start_reach(team, model, s.poses, s.bounds, s.motion.free_velocity, env.qvel, h, s.reach);
  if (config.start) team.each(model.nv, [&](int k) { s.start[k] = static_cast<double>(config.start[k]); });
  const ActuatorInputs<Real> actuators{env.qpos, env.qvel, env.drive, config.dynamics, s.motion.fit};
  const WeldInputs<Real, Real> welds{s.poses, has_momentum(config.dynamics) ? env.qvel : nullptr, config.equality};
  const RowTimes<Real> times{s.h, h, gap_rule(config).share, dead_band(config)};
  build_general_rows(team, model, actuators, welds, s.motion.prescribed, times, s.general_rows);
}

}  // namespace stiction
