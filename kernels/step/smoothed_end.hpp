// The smoothed problem of a step that seeks its end, from where its answer is thought to end.
//
//   y = (v, a_1, a_2, ...)               the motion to the end, and the points at which patches have their friction
//       arms and φ(q⁺) − h n·(J v + b)   at q⁺ = q ⊞ h v, with geometry = "end"
//       velocity terms                   of the spin of v, with rotation = "linear"
//       friction at a                    with contact = "patch"
//       gaps φ/h + s(J v + b)            under Coulomb's law (kernels/problem/shift.hpp)
//
// Manifolds are those of the poses alone: a barrier pushes at every point, so that none has to be kept from round to
// round. A cap that lies flat has the rim points of its own axes. linearize_end.hpp finds y.
//
//   symbol  variable  shape  unit
//   y       -         (n)    end_unknowns.hpp
#pragma once

#include "kernels/problem/row_velocity.hpp"
#include "kernels/problem/shift.hpp"
#include "kernels/step/linearize.hpp"

namespace stiction {

/// A cap that is tilted by less than this share of the barrier's slack lies flat [-].
constexpr double kFlatSlacks = 100.0;

namespace step_detail {

/// Impulse of a contact along n, in the solver's units.
ST_FN double normal_impulse(const SmoothedMemory<double, double>& m, int i) {
  return m.scaled.load(m.path.lambda, i).n;
}

/// Gives prescribed dofs their prescribed velocities.
template <class Team>
ST_FN void prescribe(Team team, int nv, const PrescribedDofs& prescribed, double* v) {
  if (!prescribed.chosen) return;
  team.each(nv, [&](int k) {
    if (prescribed.chosen[k]) v[k] = prescribed.velocity[k];
  });
}

/// Poses at qpos ⊞ h v, as rows need them; those of the step's start must be in s.poses.
template <class Team, class Real>
ST_FN void arrive(Team team, const ModelView<Real>& model, const StepConfig<Real>& config, Pointer<const Real> qpos,
                  const double* v, EnvView<Real>& env, StepScratch<Real>& s) {
  const double h = static_cast<double>(config.step_size);
  NextState<Real>& next = s.next;
  team.each(model.nv, [&](int k) { next.qvel[k] = static_cast<Real>(v[k]); });
  const Real* qvel = next.qvel;
  move_to(team, model, qpos, qvel, config.dynamics, config.rotation, config.step_size, next.qpos);
  place_scripted_bodies(team, config.mocap, *env.time + h, env);
  update_poses(team, model, next.qpos, env.mocap_pose, next.poses);
  place_scripted_bodies(team, config.mocap, *env.time, env);
  keep_coordinates(team, model, s.poses, config.dynamics, next.poses);
}

/// True for a cap whose points differ by less than `most` [m] along n.
template <class Real>
ST_FN bool lies_flat(const PlacedShape<Real>& shape, const Vec3<Real>& n, Real most) {
  if (static_cast<GeomType>(shape.type) != GeomType::kCylinder) return false;
  const Vec3<Real> local = transpose_mul(shape.rotation, n);
  return Real(2) * shape.size.x * std::sqrt(local.x * local.x + local.y * local.y) < most;
}

/// Lets the next manifold have points of the poses alone; those of a flat cap count as equally deep within `tie` [m].
template <class Real>
ST_FN void forget_points(int most, bool flat, Real tie, KeptPoints<Real>& kept) {
  kept.count = 0;
  kept.most = most;
  kept.on_rim = flat;
  kept.rim_angle = kept.rim_half = Real(0);
  kept.rim_tie = larger(gap_tie<Real>(), tie);
}

/// The narrow phase of all selected pairs at the poses of `arrive`. If it `decides`, it finds which caps lie flat along
/// the last normals; otherwise, at a displacement, the same ones do.
template <class Team, class Real>
ST_FN void collide_arrived(Team team, const ModelView<Real>& model, const StepConfig<Real>& config, bool decides,
                           EndUnknowns& end, StepScratch<Real>& s) {
  team.each(*s.slots.count, [&](int slot) {
    const int p = s.slots.pair[slot], *geom = model.pair_geom + 2 * p;
    CollisionScratch<Real>& scratch = s.slots.scratch[slot % Team::kLanes];
    KeptShape<Real>&A = scratch.kept_A, &B = scratch.kept_B;
    static_cast<PlacedShape<Real>&>(A) = shape_in_world(model, s.next.poses, geom[0]);
    static_cast<PlacedShape<Real>&>(B) = shape_in_world(model, s.next.poses, geom[1]);
    scratch.guess = {Real(0), Real(0), Real(0)};
    const Real least = static_cast<Real>(kFlatSlacks * end.slack[slot]);
    if (decides) {
      const Vec3<Real> n = last_normal(s.slots, slot);
      end.flat[2 * slot] = lies_flat(A, n, least) ? 1 : 0;
      end.flat[2 * slot + 1] = lies_flat(B, n, least) ? 1 : 0;
    }
    const int most = config.contact == ContactModel::kPatch
                         ? kMaxManifold
                         : most_points(static_cast<GeomType>(A.type), static_cast<GeomType>(B.type));
    const Real turned = Real(8) * kDisplacement<Real>;  // [rad]
    forget_points(most, end.flat[2 * slot] != 0, least + turned * A.size.x, A.kept);
    forget_points(most, end.flat[2 * slot + 1] != 0, least + turned * B.size.x, B.kept);
    collide(A, B, s.slots.reach[slot] + model.pair_margin[p], scratch, s.slots.manifold[slot]);
    for (int i = 0; i < 6 * s.slots.manifold[slot].count; ++i) shift_of_point(s.slots, slot, 0)[i] = Real(0);
  });
}

/// Finds how far a barrier of `smoothing` [J] keeps the points of a pair apart if each has the load of the answer.
template <class Team, class Real>
ST_FN void measure_slack(Team team, const SmoothedMemory<double, double>& m, double smoothing, Real h,
                         const StepScratch<Real>& s, EndUnknowns& end) {
  team.each(*s.slots.count, [&](int slot) {
    double load = 0.0;
    for_each_contact(s.slots, s.contacts, slot, [&](int i) { load += normal_impulse(m, i) * m.scaled.units.impulse; });
    end.slack[slot] = load > 0.0 ? static_cast<double>(h) * smoothing / load : double(INFINITY);
  });
}

/// Lists the pairs with contacts. A pair without a centre gets the mean of its deepest points.
template <class Team, class Real>
ST_FN void list_patches(Team team, const StepScratch<Real>& s, EndUnknowns& end) {
  team.once([&] {
    int count = 0, contact = 0;
    for (int slot = 0; slot < *s.slots.count && contact < *s.contacts.count; ++slot) {
      if (pair_of_key(s.contacts.key[contact]) != s.slots.pair[slot]) continue;
      end.slot[count] = slot;
      end.first[count++] = contact;
      for_each_contact(s.slots, s.contacts, slot, [&](int) { ++contact; });
    }
    *end.patches = count;
    end.first[count] = contact;
  });
  team.each(*end.patches, [&](int patch) {
    const int slot = end.slot[patch];
    if (end.known[slot]) return;
    Real deepest = Real(INFINITY), count = Real(0);
    Vec3<Real> sum = {Real(0), Real(0), Real(0)};
    for (int i = end.first[patch]; i < end.first[patch + 1]; ++i) deepest = smaller(deepest, s.contacts.gap[i]);
    for (int i = end.first[patch]; i < end.first[patch + 1]; ++i)
      if (s.contacts.gap[i] <= deepest + Real(kSameDepth)) sum += load3(s.contacts.position + 3 * i), count += Real(1);
    store3(end.centre + 3 * slot, widened((Real(1) / count) * sum));
    end.known[slot] = 1;
  });
}

/// Gives the contacts of every patch their friction at its centre.
template <class Team, class Real>
ST_FN void place_patches(Team team, const ModelView<Real>& model, const Poses<Real>& poses,
                         const PairSlots<Real>& slots, const EndUnknowns& end, Contacts<Real>& contacts) {
  team.each(*end.patches, [&](int patch) {
    const int slot = end.slot[patch];
    const Manifold<Real>& manifold = slots.manifold[slot];
    const Vec3<Real> centre = rounded<Real>(load3(end.centre + 3 * slot));
    const bool uniform = contacts.torsion_radius && manifold.count > 0;  // a pair that is lost keeps its radius
    const Real radius = uniform ? mean_radius_of_slot(model, poses, slots, slots.manifold[slot], slot) : Real(0);
    for (int i = end.first[patch]; i < end.first[patch + 1]; ++i) {
      const Vec3<Real> shift = centre - load3(contacts.position + 3 * i);
      for (int arm = 6 * i; arm < 6 * i + 6; arm += 3)
        store3(contacts.friction_arm + arm, load3(contacts.arm + arm) + shift);
      if (uniform) contacts.torsion_radius[i] = radius;
    }
  });
}

/// Makes `to` the contacts themselves.
template <class Team, class Real>
ST_FN void copy_contacts(Team team, const Contacts<Real>& from, Contacts<Real>& to) {
  const int count = *from.count;
  team.each(count, [&](int i) { to.key[i] = from.key[i], to.gap[i] = from.gap[i]; });
  team.each(3 * count, [&](int i) { to.position[i] = from.position[i]; });
  team.each(6 * count, [&](int i) { to.arm[i] = from.arm[i]; });
  team.each(9 * count, [&](int i) { to.frame[i] = from.frame[i]; });
  team.once([&] { *to.count = count; });
}

/// The slip of a contact under Coulomb's law: t, o, r of J v + b [m/s], and its friction.
struct Slip {
  Friction<double> mu;
  ContactVector<double> u;
};

/// s(from + share (to − from)) of kernels/problem/shift.hpp.
ST_FN double lift_between(const FacetTable<double>& table, const Slip& from, const Slip& to, double share) {
  Friction<double> mu = from.mu;
  mu.mu_r += share * (to.mu.mu_r - from.mu.mu_r);
  return support_friction(table, mu, from.u + share * (to.u - from.u));
}

/// Change of s from one slip to another, to first order: where a contact sticks, s is smooth over a short way only.
ST_FN double change_of_lift(const FacetTable<double>& table, const Slip& from, const Slip& to) {
  const double lift = support_friction(table, from.mu, from.u), whole = lift_between(table, from, to, 1.0),
               back = lift_between(table, from, to, -1.0), most = larger(lift, larger(whole, back));
  if (!(lift > 0.0)) return 0.0;
  const double share = 1e-5 * lift / most;
  return (lift_between(table, from, to, share) - lift_between(table, from, to, -share)) / (2.0 * share);
}

/// Adds s of the motion v to the gaps of the problem's contacts, whose rows are `rows`. If it `decides`, these are the
/// rows of y, whose slips are kept; otherwise a displacement from them, and s is that of y and its change.
template <class Team>
ST_FN void shift_gaps(Team team, const FacetTable<double>& table, const ContactProblem<double>& p, const double* v,
                      bool decides, EndUnknowns& end, Array<ContactRow<double>>& rows) {
  if (!end.lift) return;
  team.each(p.num_contacts, [&](int i) {
    Slip slip = {choose_friction(p, rows[i]), contact_velocity(p, rows[i], v)};
    slip.u.n = 0.0;
    double* kept = end.slip + 4 * i;
    if (decides) {
      kept[0] = slip.u.t, kept[1] = slip.u.o, kept[2] = slip.u.r, kept[3] = slip.mu.mu_r;
      end.lift[i] = support_friction(table, slip.mu, slip.u);
    }
    const Slip from = {{slip.mu.mu_t, slip.mu.mu_o, kept[3]}, {0.0, kept[0], kept[1], kept[2]}};
    rows[i].gap_rate += end.lift[i] + (decides ? 0.0 : change_of_lift(table, from, slip));
  });
}

/// The problem with the contacts `followed`, which get the gaps and arms of y, or of a displacement from it; `v`: the
/// motion to them.
template <class Team, class Real>
ST_FN ContactProblem<double> pose_end(Team team, const ModelView<Real>& model, const Capacity& capacity,
                                      const StepConfig<Real>& config, const double* v, bool decides,
                                      const FacetTable<double>& table, LinearizeScratch<Real>& scratch) {
  const Real h = config.step_size;
  StepScratch<Real>& s = scratch.displaced;
  Contacts<Real>& contacts = scratch.followed;
  if (config.geometry == ContactGeometry::kEnd) extrapolate_gaps(team, model, scratch.rows, v, h, contacts);
  if (config.contact == ContactModel::kPatch) place_patches(team, model, scratch.rows, s.slots, scratch.end, contacts);
  build_contact_rows<true>(team, model, scratch.rows, contacts, s.motion.prescribed, h, {}, s.contact_rows);
  if (s.end.force) add_linear_spin(team, model, s.inertia, v, h, s.end.force, s.motion.g);
  ContactProblem<double> problem = describe_problem(model, capacity, config, s);
  problem.num_contacts = *contacts.count;
  problem.law = without_shift(config.law);
  shift_gaps(team, table, problem, v, decides, scratch.end, s.contact_rows.row);
  return problem;
}

}  // namespace step_detail

}  // namespace stiction
