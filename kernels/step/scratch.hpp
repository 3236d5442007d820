// Everything a step needs beside the state, laid out in one arena.
#pragma once

#include "kernels/collision/find_contacts.hpp"
#include "kernels/contact/reach.hpp"
#include "kernels/dynamics/assemble.hpp"
#include "kernels/patch/patches.hpp"
#include "kernels/patch/rim_load.hpp"
#include "kernels/solver/solve_problem.hpp"
#include "kernels/step/config.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

/// Which bodies carry free bodies in a step; only allocated if free bodies follow their carriers (follow_carriers.hpp).
template <class Real>
struct Carriers {
  Array<int> tree;           // free bodies of a contact, -1: none                     (max_contacts, 2)
  Array<int> carrier;        // body that carries the other, -1: none                  (max_contacts)
  Array<Real> load;          // impulse along n, 0 without load [N s]                  (max_contacts)
  Array<Real> arm, tangent;  // held centre in the carrier's frame; after h v_A [m]   (max_contacts, 3)
};

template <class Real>
ST_FN Carriers<Real> take_carriers(const Capacity& capacity, Dynamics dynamics, Arena& arena) {
  const int contacts = fits_springs(dynamics) ? capacity.max_contacts : 0;
  Carriers<Real> carriers;
  carriers.tree = arena.take<int>(2 * contacts);
  carriers.carrier = arena.take<int>(contacts);
  carriers.load = arena.take<Real>(contacts);
  carriers.arm = arena.take<Real>(3 * contacts);
  carriers.tangent = arena.take<Real>(3 * contacts);
  return carriers;
}

/// Where the answer takes the environment: its state after the step, if the answer is accepted.
template <class Real>
struct NextState {
  Array<Real> qpos;  // (nq)
  Array<Real> qvel;  // (nv)
  Poses<Real> poses;
  bool geoms_placed;  // its poses are those of geoms, too: not needed where no pair is near
};

template <class Real>
ST_FN NextState<Real> take_next_state(const ModelView<Real>& model, Arena& arena) {
  NextState<Real> next;
  next.qpos = arena.take<Real>(model.nq);
  next.qvel = arena.take<Real>(model.nv);
  next.poses = take_poses(model, arena);
  return next;
}

/// Which near pairs meet, and when (meetings.hpp).
template <class Real>
struct Meetings {
  Array<int> role;         // PairRole                                                        (max_pairs)
  Array<int> verdict;      // PairVerdict of the last round                                   (max_pairs)
  Array<int> met;          // how often the pair has met                                      (max_pairs)
  Array<int> points;       // manifold points of a pair that is left out                      (max_pairs)
  Array<Real> start_gap;   // gap at the start; the pair's reach if it is farther [m]         (max_pairs)
  Array<Real> end_gap;     // gap where the answer takes it; any lower bound if apart [m]     (max_pairs)
  Array<Real> share;       // share of the step until the pair meets [-]                      (max_pairs)
  Array<Real> first;       // share of the first meeting of a tree; 2: none [-]               (ntree)
  Array<double> carrying;  // impulses up to this do not count as carrying [N s]              (1)
};

template <class Real>
ST_FN Meetings<Real> take_meetings(const ModelView<Real>& model, const Capacity& capacity, Arena& arena) {
  Meetings<Real> meetings;
  meetings.role = arena.take<int>(capacity.max_pairs);
  meetings.verdict = arena.take<int>(capacity.max_pairs);
  meetings.met = arena.take<int>(capacity.max_pairs);
  meetings.points = arena.take<int>(capacity.max_pairs);
  meetings.start_gap = arena.take<Real>(capacity.max_pairs);
  meetings.end_gap = arena.take<Real>(capacity.max_pairs);
  meetings.share = arena.take<Real>(capacity.max_pairs);
  meetings.first = arena.take<Real>(model.ntree);
  meetings.carrying = arena.take<double>(1);
  return meetings;
}

/// The previous round's answer, from which the next round starts.
struct LastRound {
  Array<int> count;          // number of contacts                      (1)
  Array<int> key;            // keys of its contacts, increasing        (max_contacts)
  Array<double> lambda;      // n, t, o and torsion                     (max_contacts, dimension)
  Array<double> v;           //                                         (nv)
  Array<double> row_lambda;  //                                         (max_rows)
};

template <class Real>
ST_FN LastRound take_last_round(const ModelView<Real>& model, const Capacity& capacity, int dimension, Arena& arena) {
  LastRound last;
  last.count = arena.take<int>(1);
  last.key = arena.take<int>(capacity.max_contacts);
  last.lambda = arena.take<double>(dimension * capacity.max_contacts);
  last.v = arena.take<double>(model.nv);
  last.row_lambda = arena.take<double>(capacity.max_rows);
  return last;
}

/// Working memory of judge_last_answer (end_rounds.hpp).
struct JudgeScratch {
  FacetTable<double> table;
  ResidualScratch<double> residual;
  Array<double> factor;    // of the blocks of H (Σ n²)
  Array<double> solution;  // (nv)
};

template <class Real>
ST_FN JudgeScratch take_judge_scratch(const ModelView<Real>& model, const Capacity& capacity,
                                      const StepConfig<Real>& config, Arena& arena) {
  JudgeScratch judge;
  judge.table = take_facet_table<double>(shape_cone(config.law, config.cone, config.facets, config.dimension), arena);
  judge.residual =
      take_residual_scratch<double>(model.nv, model.ntree, capacity.max_contacts, capacity.max_rows, arena);
  judge.factor = arena.take<double>(tree_block_values(model));
  judge.solution = arena.take<double>(model.nv);
  return judge;
}

/// The last rounds that sought the end of a step (motion_search.hpp); empty without them.
struct MotionSearch {
  static constexpr int kMost = 6;  // rounds that are remembered
  int length;                      // most entries of x
  Array<double> taken, answered;   // x and f of the rounds, one after the other's place        (kMost, length)
  Array<double> next;              // x of the next round                                       (length)
  Array<double> normal, share;     // normal equations and solution of the least squares        (kMost²), (kMost)
  Array<int> rounds;               // number of rounds so far                                   (1)
};

template <class Real>
ST_FN MotionSearch take_motion_search(const ModelView<Real>& model, const Capacity& capacity,
                                      const StepConfig<Real>& config, Arena& arena) {
  constexpr int kMost = MotionSearch::kMost;
  const int pairs = config.contact == ContactModel::kPatch ? capacity.max_pairs : 0;
  MotionSearch search;
  search.length = seeks_end(config) ? model.nv + 3 * pairs + 2 * capacity.max_pairs : 0;
  search.taken = arena.take<double>(kMost * search.length);
  search.answered = arena.take<double>(kMost * search.length);
  search.next = arena.take<double>(search.length);
  search.normal = arena.take<double>(search.length > 0 ? kMost * kMost : 0);
  search.share = arena.take<double>(search.length > 0 ? kMost : 0);
  search.rounds = arena.take<int>(search.length > 0 ? 1 : 0);
  return search;
}

/// Where an answer takes the bodies, in double: a gap is measured against 1 mm (residual.hpp), and poses of a metre in
/// single precision are off by 1e-7 m. Empty if the state is in double, or if no rounds find the end (end_poses.hpp).
struct EndPoses {
  Array<double> qpos;                // (nq)
  Poses<double> poses;               //
  Array<Manifold<double>> manifold;  // at these poses (max_pairs)
  Contacts<double> contacts;         // with count and key of the contacts in the state's precision
};

template <class Real>
ST_FN EndPoses take_end_poses(const ModelView<Real>& model, const Capacity& capacity, const StepConfig<Real>& config,
                              const Contacts<Real>& contacts, Arena& arena) {
  EndPoses end = {};
  if (sizeof(Real) == sizeof(double) || !seeks_end(config)) return end;
  end.qpos = arena.take<double>(model.nq);
  end.poses = take_poses_in<double>(model, arena);
  end.manifold = arena.take<Manifold<double>>(capacity.max_pairs);
  end.contacts = take_contacts<double>(capacity, arena);
  end.contacts.count = contacts.count, end.contacts.key = contacts.key;
  // by the choices, as an arena that only counts bytes has no pointers
  const bool patches = config.contact == ContactModel::kPatch;
  if (patches) end.contacts.friction_arm = arena.take<double>(6 * capacity.max_contacts);
  if (patches && config.torsion_radius == TorsionRadius::kUniform)
    end.contacts.torsion_radius = arena.take<double>(capacity.max_contacts);
  return end;
}

/// What the rounds keep that find the end of a step (end_rounds.hpp); empty without them.
template <class Real>
struct EndSearch {
  EndPoses fine;
  // place, normal, fixed, motion, rim and flat are longer than said: after what is said here they have the best answer,
  // as best_round.hpp cuts them
  Array<double> place;  // witnesses of the last round in the frames of their pair's geoms [m]  (max_contacts, 2, 3)
  Array<double>
      normal;        // of the last round, from the pair's first geom to its second; zero without points (max_pairs, 3)
  Array<int> fixed;  // 1: the point stays where it is on its geoms (max_contacts)
  Array<double> motion;  // the motion to the poses of this round's rows                                 (nv)
  // [0] 1: `motion` is no answer, but where the search goes on; [1] 1: the next one is; [2] 1: it is the best answer
  Array<int> searches;  // (3)
  // residuals of answers where they end: of the last, the one before it, and the best of all; infinity: there is none
  Array<double> judged;  // (3)
  Array<double> force;   // g without the velocity terms of linear_spin.hpp; null: it has none (nv)
  Array<RimRound> rim;   // the last two answers on the rims of a pair, the last first (max_pairs, 2, 2)
  Array<int> flat;       // 1: the last normal is that of a flat part of the other geom (max_pairs, 2)
  MotionSearch search;
  JudgeScratch judge;
};

template <class Real>
ST_FN EndSearch<Real> take_end_search(const ModelView<Real>& model, const Capacity& capacity,
                                      const StepConfig<Real>& config, const Contacts<Real>& contacts, Arena& arena) {
  EndSearch<Real> end;
  end.fine = take_end_poses(model, capacity, config, contacts, arena);
  end.place = seeks_end(config) ? arena.take<double>(16 * capacity.max_contacts) : nullptr;
  end.normal = seeks_end(config) ? arena.take<double>(6 * capacity.max_pairs) : nullptr;
  end.fixed = seeks_end(config) ? arena.take<int>(3 * capacity.max_contacts + 1) : nullptr;
  end.motion = seeks_end(config) ? arena.take<double>(2 * model.nv + capacity.max_rows) : nullptr;
  end.searches = seeks_end(config) ? arena.take<int>(3) : nullptr;
  end.judged = seeks_end(config) ? arena.take<double>(3) : nullptr;
  end.rim = seeks_end(config) ? arena.take<RimRound>(8 * capacity.max_pairs) : nullptr;
  end.flat = seeks_end(config) ? arena.take<int>(4 * capacity.max_pairs) : nullptr;
  end.force = config.rotation == Rotation::kLinear ? arena.take<double>(model.nv) : nullptr;
  if (seeks_end(config)) end.judge = take_judge_scratch(model, capacity, config, arena);
  end.search = take_motion_search(model, capacity, config, arena);
  return end;
}

/// The problem that pushes overlaps apart, besides the velocity's problem (part_overlaps.hpp); empty without momentum.
struct Parting {
  Array<GeneralRow<double>> row;    // (max_rows)
  Array<double> mass;               // M of all dofs, a block per tree              (Σ n²)
  Array<const double*> mass_block;  // (ntree)
  Array<double> rest;               // g = 0                                         (nv)
  Array<double> v;                  // w, then v + w [m/s], [rad/s]                  (nv)
};

template <class Real>
ST_FN Parting take_parting(const ModelView<Real>& model, const Capacity& capacity, bool parts, Arena& arena) {
  Parting parting;
  parting.row = arena.take<GeneralRow<double>>(parts ? capacity.max_rows : 0);
  parting.mass = arena.take<double>(parts ? tree_block_values(model) : 0);
  parting.mass_block = arena.take<const double*>(parts ? model.ntree : 0);
  parting.rest = arena.take<double>(parts ? model.nv : 0);
  parting.v = arena.take<double>(parts ? model.nv : 0);
  return parting;
}

template <class Real>
struct StepScratch {
  Real h;             // over which forces act: the step, or a part of it (move_first.hpp) [s]
  int impulse_step;   // whose impulses act; -1: none
  Poses<Real> poses;  // where the step begins
  NextState<Real> next;
  Meetings<Real> meetings;
  Inertia<Real> inertia;
  MotionTerms<Real> motion;
  PairBounds<Real> bounds;
  Reach<Real> reach;
  PairSlots<Real> slots;
  Contacts<Real> contacts;
  ContactRows contact_rows;
  GeneralRows general_rows;
  Carriers<Real> carriers;
  Array<double> warm_lambda;  // the last λ, moved to this step's contacts (max_contacts, dimension)
  Array<double> start;        // config.start (nv)
  Array<double> ray;          // of SolveTask (nv)
  LastRound last_round;
  Patches<Real> patches;
  EndSearch<Real> end;
  Parting parting;
  ContactSolution<double> solution;
  const double* taken;  // the motion that is taken: solution.v, or parting.v if overlaps were pushed apart (nv)
  Arena solver;         // what is left, for the solver
};

template <class Team, class Real>
ST_FN void take_step_scratch(Team team, const ModelView<Real>& model, const Capacity& capacity,
                             const StepConfig<Real>& config, Arena& arena, StepScratch<Real>& s) {
  s.poses = take_poses(model, arena);
  s.next = take_next_state(model, arena);
  s.meetings = take_meetings(model, capacity, arena);
  s.inertia = take_inertia(model, arena);
  s.motion = take_motion_terms(model, s.inertia, config.dynamics, arena);
  s.bounds = take_pair_bounds(model, arena);
  // bodies that move first are looked for as far as they move; which of their points are contacts is asked later
  const Real fixed = moves_first(config) ? Real(-1) : config.contact_distance;
  s.reach = take_reach(model, has_momentum(config.dynamics), fixed, arena);
  s.slots = take_pair_slots<Team, Real>(team, capacity, config.merges_regions, arena);
  s.contacts = take_contacts<Real>(capacity, arena);
  s.contact_rows = take_contact_rows(model, capacity, config.dimension, arena);
  s.general_rows = take_general_rows(model, capacity, arena);
  s.carriers = take_carriers<Real>(capacity, config.dynamics, arena);
  s.warm_lambda = arena.take<double>(config.dimension * capacity.max_contacts);
  s.start = arena.take<double>(model.nv);
  s.ray = arena.take<double>(model.nv);
  s.last_round = take_last_round(model, capacity, config.dimension, arena);
  const bool patches = config.contact == ContactModel::kPatch;
  s.patches = take_patches<Real>(capacity, patches, config.torsion_radius == TorsionRadius::kUniform, arena);
  s.contacts.friction_arm = s.patches.friction_arm;
  s.contacts.torsion_radius = s.patches.torsion_radius;
  s.end = take_end_search(model, capacity, config, s.contacts, arena);
  s.parting = take_parting(model, capacity, config.parts_overlaps, arena);
  s.solution.v = arena.take<double>(model.nv);
  s.solution.lambda = arena.take<double>(config.dimension * capacity.max_contacts);
  s.solution.row_lambda = arena.take<double>(capacity.max_rows);
  s.taken = s.solution.v;
  s.solver = arena;
}

}  // namespace stiction
