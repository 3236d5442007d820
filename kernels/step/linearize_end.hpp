// Derivatives of a smoothed step that seeks its end: the rows of its problem depend on its answer.
//
//   Φ(y; q, u) = (v', a'_1, a'_2, ...)   answer of the smoothed problem with the rows of y (smoothed_end.hpp)
//                                        a' = Σ p_k x_k / Σ p_k
//   y = Φ(y; q, u)                                                                       (1)  the smoothed step
//   y ← Φ(y), or y ← y + (I − ∂Φ/∂y)⁻¹ (Φ(y) − y) where that is slow                     (2)  its rounds
//   (I − ∂Φ/∂y) dy = Φ(y; q±, u±) − Φ(y; q, u)                                           (3)  a side of a column
//
// ∂Φ/∂y has a central difference for every entry of y, found like those of linearize.hpp: rows of y ± δ e_k, and one
// back substitution. (3) is exact to first order.
//
//   symbol  variable  shape      unit
//   p_k     -         (points)   impulses of the answer along n [N s]
//   x_k     position  (points)   [m]
//   y       -         (n)        end_unknowns.hpp
#pragma once

#include "kernels/linalg/small_lu.hpp"
#include "kernels/step/smoothed_end.hpp"

namespace stiction {

/// True for a team that can linearize steps that seek their end: one of a single lane, which works on the host.
template <class Team>
constexpr bool kLinearizesEnd = Team::kLanes == 1;

/// Most rounds of (2), and how many of them only repeat Φ.
constexpr int kSmoothedRounds = 40;
constexpr int kRepeatedRounds = 8;
/// Φ is repeated while each round leaves less than this share of Φ(y) − y [-].
constexpr double kRoundLeaves = 0.3;
/// Rounds end when Φ(y) − y is below this, over a typical velocity of the step; or, where rounding keeps it from
/// becoming smaller, below kRoundedMotion in v and below kRoundedCentre in the centres, which impulses place that
/// differ much for motions that hardly do [-].
constexpr double kSettled = 1e-12;
template <class Real>
constexpr double kRoundedMotion = sizeof(Real) == 8 ? 1e-7 : 1e-3;
template <class Real>
constexpr double kRoundedCentre = sizeof(Real) == 8 ? 1e-4 : 1e-1;

/// Where an entry of ∂Φ/∂v, A or B differs by more than this from one side to the middle, over the largest of its
/// column or 1, there is no derivative: the manifolds of the two sides do not go together [-].
template <class Real>
constexpr double kKink = sizeof(Real) == 8 ? 0.02 : 0.2;

namespace step_detail {

/// a' of a patch.
template <class Real>
ST_FN Vec3<double> answered_centre(const SmoothedMemory<double, double>& m, const Contacts<Real>& contacts,
                                   const EndUnknowns& end, int patch) {
  Vec3<double> sum = {0.0, 0.0, 0.0};
  double total = 0.0;
  for (int i = end.first[patch]; i < end.first[patch + 1]; ++i) {
    const double p = normal_impulse(m, i);
    sum += p * widened(load3(contacts.position + 3 * i));
    total += p;
  }
  return (1.0 / total) * sum;
}

/// da' of a patch, from the change of its impulses and of its points.
template <class Real>
ST_FN Vec3<double> moved_centre(const SmoothedMemory<double, double>& m, const LinearizeScratch<Real>& scratch,
                                int patch) {
  const EndUnknowns& end = scratch.end;
  const Vec3<double> centre = answered_centre(m, scratch.from, end, patch);
  Vec3<double> sum = {0.0, 0.0, 0.0};
  double total = 0.0;
  for (int i = end.first[patch]; i < end.first[patch + 1]; ++i) {
    const Vec3<double> x = widened(load3(scratch.from.position + 3 * i)),
                       moved = widened(load3(scratch.followed.position + 3 * i));
    const double p = normal_impulse(m, i);
    const ContactVector<double> lost = load_weight(m.system, i) * m.scaled.load(m.path.du, i);
    const double change = m.scaled.load(m.path.force, i).n - lost.n;
    sum += p * (moved - x) + change * (x - centre);
    total += p;
  }
  return (1.0 / total) * sum;
}

/// Number of entries of y.
ST_FN int count_unknowns(int nv, const EndUnknowns& end) { return nv + 3 * *end.patches; }

/// Writes the change of Φ to end.response (n): of the answer if its problem becomes p, whose contacts are `followed`.
template <class Team, class Real>
ST_FN void respond_in_all(Team team, const ModelView<Real>& model, const ContactProblem<double>& p,
                          SmoothedMemory<double, double>& memory, LinearizeScratch<Real>& scratch) {
  EndUnknowns& end = scratch.end;
  InteriorPointState<double>& x = memory.path;
  respond_smoothed(team, p, memory, scratch.change);
  multiply_J(team, memory.scaled, x.direction, x.du, x.du_row);
  const PrescribedDofs& prescribed = scratch.displaced.motion.prescribed;
  team.each(model.nv,
            [&](int k) { end.response[k] = prescribed.chosen && prescribed.chosen[k] ? 0.0 : scratch.change[k]; });
  team.each(*end.patches,
            [&](int patch) { store3(end.response + model.nv + 3 * patch, moved_centre(memory, scratch, patch)); });
}

/// y of the first round: the smoothed motion with the rows of the start; the centres that its patches had.
template <class Team, class Real>
ST_FN void start_unknowns(Team team, const ModelView<Real>& model, const StepConfig<Real>& config,
                          const StepScratch<Real>& s, EndUnknowns& end) {
  team.each(model.nv, [&](int k) { end.motion[k] = s.solution.v[k]; });
  prescribe(team, model.nv, s.motion.prescribed, end.motion);
  if (config.contact != ContactModel::kPatch) return;
  team.each(*s.slots.count, [&](int slot) {
    end.known[slot] = s.slots.manifold[slot].count > 0 ? 1 : 0;
    if (end.known[slot]) store3(end.centre + 3 * slot, widened(load3(s.patches.centre + 3 * slot)));
  });
}

/// Size of Φ(y) − y over a typical velocity of the step [-].
struct EndResidual {
  double motion, centre;

  ST_FN double total() const { return larger(motion, centre); }
};

/// Writes Φ(y) − y to end.residual (n).
template <class Team, class Real>
ST_FN EndResidual measure_end(Team team, const ModelView<Real>& model, Real h, const SmoothedMemory<double, double>& m,
                              LinearizeScratch<Real>& scratch) {
  EndUnknowns& end = scratch.end;
  const StepScratch<Real>& s = scratch.displaced;
  const PrescribedDofs& prescribed = s.motion.prescribed;
  team.each(model.nv, [&](int k) {
    end.residual[k] = prescribed.chosen && prescribed.chosen[k] ? 0.0 : s.solution.v[k] - end.motion[k];
  });
  team.each(*end.patches, [&](int patch) {
    const Vec3<double> off = answered_centre(m, scratch.from, end, patch) - load3(end.centre + 3 * end.slot[patch]);
    store3(end.residual + model.nv + 3 * patch, off);
  });
  const double speed = m.scaled.units.velocity, way = static_cast<double>(h) * speed;
  const double motion = team.max(
      model.nv, 0.0, [&](int k) { return std::fabs(end.residual[k]) * static_cast<double>(s.motion.dof_radius[k]); });
  const double centre = team.max(3 * *end.patches, 0.0, [&](int i) { return std::fabs(end.residual[model.nv + i]); });
  return {motion / speed, centre / way};
}

/// y += end.residual (n)
template <class Team, class Real>
ST_FN void move_unknowns(Team team, const ModelView<Real>& model, LinearizeScratch<Real>& scratch) {
  EndUnknowns& end = scratch.end;
  team.each(model.nv, [&](int k) { end.motion[k] += end.residual[k]; });
  team.each(*end.patches, [&](int patch) {
    for (int i = 0; i < 3; ++i) end.centre[3 * end.slot[patch] + i] += end.residual[model.nv + 3 * patch + i];
  });
  prescribe(team, model.nv, scratch.displaced.motion.prescribed, end.motion);
}

/// The problem of y, whose contacts become `from` and, with the gaps and arms of y, `followed`.
template <class Team, class Real>
ST_FN std::uint32_t begin_end_round(Team team, const SmoothedMemory<double, double>& memory, StepSite<Real>& site,
                                    LinearizeScratch<Real>& scratch) {
  const ModelView<Real>& model = site.model;
  StepScratch<Real>& s = site.progress->scratch;
  EndUnknowns& end = scratch.end;
  if (site.config.geometry == ContactGeometry::kEnd) {
    const Real* qpos = site.env->qpos;
    arrive(team, model, site.config, qpos, end.motion, *site.env, s);
    collide_arrived(team, model, site.config, true, end, s);
  }
  const std::uint32_t full = pack_contacts(team, model, site.capacity, s.slots, s.contacts);
  if (site.config.contact == ContactModel::kPatch)
    list_patches(team, s, end);
  else
    team.once([&] { *end.patches = 0; });
  copy_contacts(team, s.contacts, scratch.followed);
  const ContactProblem<double> problem =
      pose_end(team, model, site.capacity, site.config, end.motion, true, memory.scaled.table, scratch);
  team.once([&] { site.task->problem = problem; });
  return full;
}

/// Subtracts the central difference of Φ by entry j of y from column j of end.matrix, side by side: that of `sign`.
template <class Team>
ST_FN void add_difference(Team team, int n, int j, double scale, EndUnknowns& end) {
  team.each(n, [&](int i) { end.matrix[i * n + j] -= scale * end.response[i]; });
}

/// Keeps the change of v on the first side of a column, +; on the second, true if the two sides do not go together.
/// `most`: kKink; `scale`: from their difference to an entry of the column.
template <class Team>
ST_FN bool meets_kink(Team team, int nv, int sign, double most, double scale, const double* radius, EndUnknowns& end) {
  if (sign > 0) {
    team.each(nv, [&](int k) { end.forward[k] = end.response[k]; });
    return false;
  }
  const auto entry = [&](int k, double change) { return scale * radius[k] * std::fabs(change); };
  const double uneven = team.max(nv, 0.0, [&](int k) { return entry(k, end.forward[k] + end.response[k]); });
  const double largest =
      team.max(nv, 0.0, [&](int k) { return larger(entry(k, 2.0 * end.forward[k]), entry(k, 2.0 * end.response[k])); });
  return uneven > most * larger(1.0, largest);
}

/// The column of v_k.
template <class Team, class Real>
ST_FN void differentiate_by_motion(Team team, int k, StepSite<Real>& site, SmoothedMemory<double, double>& memory,
                                   LinearizeScratch<Real>& scratch) {
  const ModelView<Real>& model = site.model;
  const StepConfig<Real>& config = site.config;
  EndUnknowns& end = scratch.end;
  StepScratch<Real>& d = scratch.displaced;
  const PrescribedDofs& prescribed = d.motion.prescribed;
  if (prescribed.chosen && prescribed.chosen[k]) return;
  const double delta = static_cast<double>(kDisplacement<Real>) / static_cast<double>(config.step_size);
  for (int sign = 1; sign >= -1; sign -= 2) {
    team.each(model.nv, [&](int i) { end.moved[i] = end.motion[i] + (i == k ? sign * delta : 0.0); });
    if (config.geometry == ContactGeometry::kEnd) {
      const Real* qpos = site.env->qpos;
      arrive(team, model, config, qpos, end.moved, *site.env, d);
      collide_arrived(team, model, config, false, end, d);
      follow_contacts(team, model, site.capacity, scratch);
    } else {
      copy_contacts(team, scratch.from, scratch.followed);
    }
    const ContactProblem<double> problem =
        pose_end(team, model, site.capacity, config, end.moved, false, memory.scaled.table, scratch);
    respond_in_all(team, model, problem, memory, scratch);
    add_difference(team, count_unknowns(model.nv, end), k, sign / (2.0 * delta), end);
    const bool kink = meets_kink(team, model.nv, sign, kKink<Real>, 1.0 / (2.0 * delta), d.motion.dof_radius, end);
    team.once([&] { *end.kinks += kink ? 1 : 0; });
  }
}

/// The column of entry `i` of the centre of a patch. The manifolds must be those of `from`.
template <class Team, class Real>
ST_FN void differentiate_by_centre(Team team, int patch, int i, StepSite<Real>& site,
                                   SmoothedMemory<double, double>& memory, LinearizeScratch<Real>& scratch) {
  const ModelView<Real>& model = site.model;
  EndUnknowns& end = scratch.end;
  const double delta = static_cast<double>(kDisplacement<Real>);
  double* moved = end.centre + 3 * end.slot[patch] + i;
  const double centre = *moved;
  for (int sign = 1; sign >= -1; sign -= 2) {
    copy_contacts(team, scratch.from, scratch.followed);
    team.once([&] { *moved = centre + sign * delta; });
    const ContactProblem<double> problem =
        pose_end(team, model, site.capacity, site.config, end.motion, false, memory.scaled.table, scratch);
    respond_in_all(team, model, problem, memory, scratch);
    add_difference(team, count_unknowns(model.nv, end), model.nv + 3 * patch + i, sign / (2.0 * delta), end);
  }
  team.once([&] { *moved = centre; });
}

/// Factors I − ∂Φ/∂y at the answer of the last round; false if it is singular.
template <class Team, class Real>
ST_FN bool factor_end(Team team, StepSite<Real>& site, SmoothedMemory<double, double>& memory,
                      LinearizeScratch<Real>& scratch) {
  const ModelView<Real>& model = site.model;
  EndUnknowns& end = scratch.end;
  const int n = count_unknowns(model.nv, end);
  keep_body_poses(team, model, scratch);
  team.each(n * n, [&](int i) { end.matrix[i] = i % n == i / n ? 1.0 : 0.0; });
  team.once([&] { *end.kinks = 0; });
  for (int patch = 0; patch < *end.patches; ++patch)
    for (int i = 0; i < 3; ++i) differentiate_by_centre(team, patch, i, site, memory, scratch);
  const bool follows = site.config.geometry == ContactGeometry::kEnd || scratch.displaced.end.force || end.lift;
  for (int k = 0; k < model.nv && follows; ++k) differentiate_by_motion(team, k, site, memory, scratch);
  team.once([&] { end.exchanged[n] = factor_rows(end.matrix.data(), n, end.exchanged.data()) ? 1 : 0; });
  return end.exchanged[n] != 0;
}

/// end.residual or end.response becomes (I − ∂Φ/∂y)⁻¹ of itself.
template <class Team>
ST_FN void solve_end(Team team, int n, const EndUnknowns& end, double* x) {
  team.once([&] { solve_rows(end.matrix.data(), n, end.exchanged.data(), x); });
}

}  // namespace step_detail

/// Solves (1) from the smoothed motion in s.solution. Leaves v there, (3) factored, and `memory` ready for responses.
/// Returns kConverged or bits that say why there is no v.
template <class Team, class Real>
ST_FN std::uint32_t settle_end(Team team, double smoothing, StepSite<Real>& site,
                               SmoothedMemory<double, double>** memory, LinearizeScratch<Real>& scratch) {
  using namespace step_detail;
  const ModelView<Real>& model = site.model;
  StepScratch<Real>& s = site.progress->scratch;
  EndUnknowns& end = scratch.end;
  start_unknowns(team, model, site.config, s, end);
  measure_slack(team, **memory, smoothing, site.config.step_size, s, end);
  double before = double(INFINITY);
  bool newton = false;
  for (int round = 0; round < kSmoothedRounds; ++round) {
    const std::uint32_t full = begin_end_round(team, **memory, site, scratch);
    const std::uint32_t bits =
        solve_smoothed(team, site.task->problem, smoothing, scratch.solver, s.solution.v, memory);
    if (full || bits != status::kConverged) return (full | bits) & ~status::kConverged;
    measure_slack(team, **memory, smoothing, site.config.step_size, s, end);
    const EndResidual off = measure_end(team, model, site.config.step_size, **memory, scratch);
    const bool rounded = off.motion <= kRoundedMotion<Real> && off.centre <= kRoundedCentre<Real>;
    if (off.total() <= kSettled || (newton && rounded && off.total() >= 0.5 * before))
      return factor_end(team, site, **memory, scratch) && *end.kinks == 0 ? status::kConverged : status::kEndOpen;
    newton = round >= kRepeatedRounds || off.total() > kRoundLeaves * before;
    if (newton) {
      if (!factor_end(team, site, **memory, scratch)) return status::kEndOpen;
      solve_end(team, count_unknowns(model.nv, end), end, end.residual.data());
    }
    move_unknowns(team, model, scratch);
    before = off.total();
  }
  return status::kEndOpen;
}

/// One side of a column for a step that seeks its end: its poses and general rows are those of start_column_side. False
/// if there is a kink between this side and the other.
template <class Team, class Real>
ST_FN bool add_end_column_side(Team team, int column, int sign, double width, StepSite<Real>& site,
                               SmoothedMemory<double, double>& memory, LinearizeScratch<Real>& scratch,
                               LinearizationView& out) {
  using namespace step_detail;
  const ModelView<Real>& model = site.model;
  const StepConfig<Real>& config = site.config;
  EndUnknowns& end = scratch.end;
  StepScratch<Real>& d = scratch.displaced;
  team.each(model.nv, [&](int k) { end.moved[k] = end.motion[k]; });
  prescribe(team, model.nv, d.motion.prescribed, end.moved);
  if (config.geometry == ContactGeometry::kEnd) {
    const Real* qpos = scratch.qpos;
    arrive(team, model, config, qpos, end.moved, *site.env, d);
    collide_arrived(team, model, config, false, end, d);
  } else {
    collide_slots(team, model, d.poses, d.motion.free_velocity, d.slots);
  }
  follow_contacts(team, model, site.capacity, scratch);
  const ContactProblem<double> problem =
      pose_end(team, model, site.capacity, config, end.moved, false, memory.scaled.table, scratch);
  respond_in_all(team, model, problem, memory, scratch);
  solve_end(team, count_unknowns(model.nv, end), end, end.response.data());
  team.each(model.nv, [&](int k) { scratch.change[k] = end.response[k]; });
  add_change(team, model, config, column, sign, width, scratch, out);
  const double scale = static_cast<double>(config.step_size) / std::fabs(width);
  return !meets_kink(team, model.nv, sign, kKink<Real>, scale, d.motion.dof_radius, end);
}

}  // namespace stiction
