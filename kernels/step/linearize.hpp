// Derivatives of a smoothed step: how the next configuration depends on the present one and on the control.
//
//   q⁺ = q ⊞ h v(q, u),   v: of the smoothed contact problem (kernels/solver/path/smoothed.hpp)
//   A = ∂q⁺/∂q,  B = ∂q⁺/∂u                        in tangent coordinates, as qvel, at q⁺ and at q
//
//   column k:  q± = q ⊞ ±δ e_k;  H±, g±, J±, b± there;  v± = v + Δv± by one step with the old matrix
//              A e_k = (q⁺₊ ⊖ q⁺₋)/2δ,  q⁺± = q± ⊞ h v±
//
// The problem is differentiated by central differences, its solution by the implicit function theorem, so that a column
// costs a narrow phase and a back substitution. qvel, activations and the control of the last step are held constant:
// with momentum, A and B are therefore only a part of the derivatives.
//
// The contacts are those of the step at q. Each is matched with the nearest point of its pair in the displaced
// manifold, if it is in turn the nearest contact to that point. Otherwise its witness points p_A and p_B are carried
// with their bodies:
//
//   φ' = n'·(p_B' − p_A') − margin      n': of the displaced manifold, which has one normal; n where there is none
//
// (Pang, Suh, Yang & Tedrake 2023.) Steps that seek their end have more columns, and (3) of linearize_end.hpp for each.
//
//   symbol  variable      shape      unit
//   δ       displacement  1          of qvel times [s], or of ctrl
//   A, B    A, B          (nv, nv), (nv, nu), row-major
#pragma once

#include "kernels/linalg/rotation.hpp"
#include "kernels/solver/path/smoothed.hpp"
#include "kernels/step/end_unknowns.hpp"
#include "kernels/step/step.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

/// Where the linearization of one environment is written.
struct LinearizationView {
  Array<double> v;  // of the smoothed step (nv) [m/s], [rad/s]
  Array<double> A;  // (nv, nv)
  Array<double> B;  // (nv, nu)
};

/// Scratch memory besides that of the step, which holds the contacts at q.
template <class Real>
struct LinearizeScratch {
  StepScratch<Real> displaced;      // the step at q±; only contacts and their rows have memory of their own
  Poses<Real> rows;                 // of `displaced`, where its contacts are: at q±, or where the step ends
  Contacts<Real> from, followed;    // the contacts at q, and where they are at q±
  Array<Real> body_pos, body_quat;  // poses of the bodies with the contacts at q (nbody, 3), (nbody, 4)
  Array<Real> qpos, ctrl, qvel;     // of the displaced environment (nq), (nu), (nv)
  Array<Real> drive;                // likewise (nu)
  Array<Real> next;                 // q⁺ (nq)
  Array<double> change;             // Δv (nv)
  EndUnknowns end;                  // of a step that seeks its end; else empty
  Arena solver;                     // what is left, for the solver
};

template <class Real>
ST_FN void take_linearize_scratch(const ModelView<Real>& model, const Capacity& capacity,
                                  const StepConfig<Real>& config, const StepScratch<Real>& step, Arena arena,
                                  LinearizeScratch<Real>& scratch) {
  scratch.displaced = step;
  scratch.displaced.contacts = take_contacts<Real>(capacity, arena);
  scratch.displaced.contact_rows = take_contact_rows(model, capacity, config.dimension, arena);
  scratch.rows = config.geometry == ContactGeometry::kEnd ? step.next.poses : step.poses;
  scratch.from = step.contacts;
  scratch.followed = take_contacts<Real>(capacity, arena);
  scratch.body_pos = arena.take<Real>(3 * model.nbody);
  scratch.body_quat = arena.take<Real>(4 * model.nbody);
  scratch.qpos = arena.take<Real>(model.nq);
  scratch.ctrl = arena.take<Real>(model.nu);
  scratch.drive = arena.take<Real>(model.nu);
  scratch.qvel = arena.take<Real>(model.nv);
  scratch.next = arena.take<Real>(model.nq);
  scratch.change = arena.take<double>(model.nv);
  scratch.end = take_end_unknowns(model.nv, capacity, config, arena);
  const bool patches = config.contact == ContactModel::kPatch;
  if (patches) scratch.followed.friction_arm = arena.take<Real>(6 * capacity.max_contacts);
  if (patches && config.torsion_radius == TorsionRadius::kUniform)
    scratch.followed.torsion_radius = arena.take<Real>(capacity.max_contacts);
  scratch.solver = arena;
}

namespace step_detail {

/// δ: about where rounding and curvature cause equal errors; contacts change their features within a millimetre.
template <class Real>
constexpr Real kDisplacement = sizeof(Real) == 8 ? Real(1e-5) : Real(5e-4);

/// A displaced contact is the same one if it moved by less than this many displacements [m].
template <class Real>
constexpr Real kSameContact = Real(30);

/// q = from ⊞ h v
template <class Team, class Real>
ST_FN void move_to(Team team, const ModelView<Real>& model, Pointer<const Real> from, Pointer<const Real> qvel,
                   Dynamics dynamics, Rotation rotation, Real h, Pointer<Real> to) {
  team.each(model.nq, [&](int i) { to[i] = from[i]; });
  integrate_positions(team, model, qvel, dynamics, rotation, h, to);
}

/// Adds scale (q ⊖ at) of joint j to column k of a matrix with `columns` columns.
template <class Real>
ST_FN void add_joint_difference(const ModelView<Real>& model, Pointer<const Real> qpos, Pointer<const Real> at, int j,
                                double scale, int columns, int k, double* matrix) {
  const Real *q = qpos + model.joint_qpos_adr[j], *base = at + model.joint_qpos_adr[j];
  double* entry = matrix + model.joint_dof_adr[j] * columns + k;
  const JointType type = static_cast<JointType>(model.joint_type[j]);
  const int slides = type == JointType::kFree ? 3 : (type == JointType::kBall ? 0 : 1);
  for (int i = 0; i < slides; ++i, entry += columns) *entry += scale * static_cast<double>(q[i] - base[i]);
  if (type != JointType::kFree && type != JointType::kBall) return;
  const Vec3<Real> turn = turn_to_rest(base + slides, q + slides);
  for (int i = 0; i < 3; ++i, entry += columns) *entry += scale * static_cast<double>(turn[i]);
}

/// Index of the first contact that belongs to `pair` or to a later pair; contacts are in the order of their pairs.
template <class Real>
ST_FN int first_of_pair(const Contacts<Real>& contacts, int pair) {
  int low = 0, high = *contacts.count;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (pair_of_key(contacts.key[middle]) < pair)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// The contact of `pair` nearest to p among those nearer than `far`; -1: none.
template <class Real>
ST_FN int nearest_of_pair(const Contacts<Real>& contacts, int pair, const Vec3<Real>& p, Real far) {
  Real nearest = far * far;
  int found = -1;
  for (int j = first_of_pair(contacts, pair); j < *contacts.count && pair_of_key(contacts.key[j]) == pair; ++j) {
    const Real distance = norm_squared(load3(contacts.position + 3 * j) - p);
    if (distance < nearest) nearest = distance, found = j;
  }
  return found;
}

/// The displaced contact that is nearest to contact i and to which i is nearest in turn; -1: there is none.
template <class Real>
ST_FN int find_displaced(const Contacts<Real>& from, int i, const Contacts<Real>& to) {
  const Real far = kSameContact<Real> * kDisplacement<Real>;
  const int pair = pair_of_key(from.key[i]);
  const int j = nearest_of_pair(to, pair, load3(from.position + 3 * i), far);
  return j >= 0 && nearest_of_pair(from, pair, load3(to.position + 3 * j), far) == i ? j : -1;
}

/// The same for rows that follow their answer, whose manifolds have points that nearly coincide: the displaced contact
/// with the key of contact i, if it is near.
template <class Real>
ST_FN int find_same_key(const Contacts<Real>& from, int i, const Contacts<Real>& to) {
  const Real far = kSameContact<Real> * kDisplacement<Real>;
  const int j = find_key(to.key, *to.count, from.key[i]);
  const bool near = j >= 0 && norm_squared(load3(to.position + 3 * j) - load3(from.position + 3 * i)) < far * far;
  return near ? j : find_displaced(from, i, to);
}

/// Makes the tangents of a displaced contact follow those at q where the rule that chooses tangents jumps.
template <class Real>
ST_FN void follow_tangents(const Real* from, Real* frame) {
  const Vec3<Real> n = load3(frame), t = load3(from + 3);
  if (dot(load3(frame + 3), t) > Real(0.9)) return;
  const Vec3<Real> projected = t - dot(n, t) * n;
  const Vec3<Real> along = (Real(1) / norm(projected)) * projected;
  store3(frame + 3, along);
  store3(frame + 6, cross(n, along));
}

/// Stores the poses of the bodies that have the contacts `from`.
template <class Team, class Real>
ST_FN void keep_body_poses(Team team, const ModelView<Real>& model, LinearizeScratch<Real>& scratch) {
  team.each(3 * model.nbody, [&](int i) { scratch.body_pos[i] = scratch.rows.body_pos[i]; });
  team.each(4 * model.nbody, [&](int i) { scratch.body_quat[i] = scratch.rows.body_quat[i]; });
}

/// The point p of body b, given at q, moved with the body.
template <class Real>
ST_FN Vec3<Real> carry_point(const LinearizeScratch<Real>& scratch, int b, const Vec3<Real>& p) {
  const Quat<Real> q = load_quat(scratch.body_quat + 4 * b);
  const Vec3<Real> in_body = rotate(conjugate(q), p - load3(scratch.body_pos + 3 * b));
  const Poses<Real>& poses = scratch.rows;
  return load3(poses.body_pos + 3 * b) + rotate(load_quat(poses.body_quat + 4 * b), in_body);
}

/// Gap and position of contact i from its witness points, carried with their bodies; the frame is given.
template <class Real>
ST_FN void carry_contact(const ModelView<Real>& model, int i, LinearizeScratch<Real>& scratch) {
  const Contacts<Real>& from = scratch.from;
  const int pair = pair_of_key(from.key[i]);
  const Vec3<Real> p = load3(from.position + 3 * i), n = load3(from.frame + 9 * i);
  const Vec3<Real> half = (Real(0.5) * (from.gap[i] + model.pair_margin[pair])) * n;
  const Vec3<Real> p_A = carry_point(scratch, model.geom_body[model.pair_geom[2 * pair]], p - half);
  const Vec3<Real> p_B = carry_point(scratch, model.geom_body[model.pair_geom[2 * pair + 1]], p + half);
  place_contact(i, Real(0.5) * (p_A + p_B), scratch.followed);
  scratch.followed.gap[i] = dot(load3(scratch.followed.frame + 9 * i), p_B - p_A) - model.pair_margin[pair];
}

/// Contact i in the displaced configuration.
template <class Real>
ST_FN void follow_contact(const ModelView<Real>& model, int i, LinearizeScratch<Real>& scratch) {
  const Contacts<Real>&from = scratch.from, &to = scratch.displaced.contacts;
  const int same = scratch.end.motion ? find_same_key(from, i, to) : find_displaced(from, i, to);
  const int pair = pair_of_key(from.key[i]), first = first_of_pair(to, pair);
  const bool stays = first < *to.count && pair_of_key(to.key[first]) == pair;
  const Real* frame = same >= 0 ? to.frame + 9 * same : (stays ? to.frame + 9 * first : from.frame + 9 * i);
  scratch.followed.key[i] = from.key[i];
  for (int k = 0; k < 9; ++k) scratch.followed.frame[9 * i + k] = frame[k];
  follow_tangents(from.frame + 9 * i, scratch.followed.frame + 9 * i);
  if (same < 0) return carry_contact(model, i, scratch);
  scratch.followed.gap[i] = to.gap[same];
  place_contact(i, load3(to.position + 3 * same), scratch.followed);
}

/// Finds the contacts of q in the manifolds of the displaced environment; its narrow phase must be done.
template <class Team, class Real>
ST_FN void follow_contacts(Team team, const ModelView<Real>& model, const Capacity& capacity,
                           LinearizeScratch<Real>& scratch) {
  StepScratch<Real>& d = scratch.displaced;
  const int count = *scratch.from.count;
  pack_contacts(team, model, capacity, d.slots, d.contacts);
  team.each(count, [&](int i) { follow_contact(model, i, scratch); });
  team.once([&] { *scratch.followed.count = count; });
}

/// The contact problem of the displaced environment with the contacts of q; its narrow phase must be done.
template <class Team, class Real>
ST_FN ContactProblem<double> describe_displaced(Team team, const ModelView<Real>& model, const Capacity& capacity,
                                                const StepConfig<Real>& config, LinearizeScratch<Real>& scratch) {
  StepScratch<Real>& d = scratch.displaced;
  follow_contacts(team, model, capacity, scratch);
  build_contact_rows<false>(team, model, d.poses, scratch.followed, d.motion.prescribed, config.step_size,
                            gap_rule(config), d.contact_rows);
  ContactProblem<double> problem = describe_problem(model, capacity, config, d);
  problem.num_contacts = *scratch.from.count;
  return problem;
}

/// Writes v + change in the state's precision; prescribed dofs get their prescribed velocities.
template <class Team, class Real>
ST_FN void write_velocity(Team team, const ModelView<Real>& model, const PrescribedDofs& prescribed, const double* v,
                          const double* change, Pointer<Real> qvel) {
  team.each(model.nv, [&](int k) {
    const double moved = change ? v[k] + change[k] : v[k];
    qvel[k] = static_cast<Real>(prescribed.chosen && prescribed.chosen[k] ? prescribed.velocity[k] : moved);
  });
}

/// Index in qpos of the number that dof k alone moves; -1 if the dof turns a quaternion.
template <class Real>
ST_FN int scalar_of_dof(const ModelView<Real>& model, int k) {
  for (int j = 0; j < model.njoint; ++j) {
    const JointType type = static_cast<JointType>(model.joint_type[j]);
    const int slides = type == JointType::kFree ? 3 : (type == JointType::kBall ? 0 : 1);
    const int i = k - model.joint_dof_adr[j];
    if (i >= 0 && i < slides) return model.joint_qpos_adr[j] + i;
  }
  return -1;
}

/// Writes q ⊞ sign δ e_k and u + sign δ e_a to s.qpos and s.ctrl. Returns the displacement after rounding.
template <class Team, class Real>
ST_FN double displace(Team team, const ModelView<Real>& model, const EnvView<Real>& env, Dynamics dynamics, Real sign,
                      int k, int a, LinearizeScratch<Real>& scratch) {
  const Real delta = kDisplacement<Real>;
  team.each(model.nv, [&](int j) { scratch.qvel[j] = j == k ? sign : Real(0); });
  move_to(team, model, env.qpos, scratch.qvel, dynamics, Rotation::kExact, delta, scratch.qpos);
  team.each(model.nu, [&](int j) {
    scratch.ctrl[j] = j == a ? env.ctrl[j] + sign * delta * larger(Real(1), std::fabs(env.ctrl[j])) : env.ctrl[j];
  });
  if (a >= 0) return static_cast<double>(scratch.ctrl[a]) - static_cast<double>(env.ctrl[a]);
  const int i = scalar_of_dof(model, k);
  if (i >= 0) return static_cast<double>(scratch.qpos[i]) - static_cast<double>(env.qpos[i]);
  return static_cast<double>(sign * delta);
}

/// A column of A, of dof k (k >= 0), or of B, of command a (a >= 0).
struct Column {
  int k, a;
};

ST_FN Column column_at(int index, int nv) { return index < nv ? Column{index, -1} : Column{-1, index - nv}; }

}  // namespace step_detail

/// Fills the derivatives with `value`: NaN where there are none.
template <class Team, class Real>
ST_FN void clear_linearization(Team team, const ModelView<Real>& model, double value, LinearizationView& out) {
  team.each(model.nv, [&](int i) { out.v[i] = value; });
  team.each(model.nv * model.nv, [&](int i) { out.A[i] = value; });
  team.each(model.nv * model.nu, [&](int i) { out.B[i] = value; });
}

/// Stores v of the smoothed step, q⁺ and the poses of the bodies at q, to which the columns are differences.
template <class Team, class Real>
ST_FN void start_columns(Team team, const ModelView<Real>& model, const EnvView<Real>& env,
                         const StepConfig<Real>& config, LinearizeScratch<Real>& scratch, LinearizationView& out) {
  const StepScratch<Real>& step = scratch.displaced;
  team.each(model.nv, [&](int k) { out.v[k] = step.solution.v[k]; });
  step_detail::write_velocity(team, model, step.motion.prescribed, out.v, nullptr, scratch.qvel);
  step_detail::move_to(team, model, env.qpos, scratch.qvel, config.dynamics, config.rotation, config.step_size,
                       scratch.next);
  step_detail::keep_body_poses(team, model, scratch);
}

namespace step_detail {

/// H and g of the displaced environment; apart from its caller, which has no registers left for it.
template <class Team, class Real>
ST_PHASE void move_displaced(Team team, const ModelView<Real>& model, const StepConfig<Real>& config,
                             EnvView<Real>& moved, StepScratch<Real>& displaced) {
  update_motion(team, model, config, false, moved, displaced);
  drift(team, model, moved, config, displaced);
}

}  // namespace step_detail

/// Computes H, g, general rows and poses at one side of a column; its contacts come next. Returns the column's u₊ − u₋
/// or q₊ − q₋.
template <class Team, class Real>
ST_BODY double start_column_side(Team team, const ModelView<Real>& model, const EnvView<Real>& env,
                                 const StepConfig<Real>& config, int column, int sign,
                                 LinearizeScratch<Real>& scratch) {
  const auto [k, a] = step_detail::column_at(column, model.nv);
  StepScratch<Real>& d = scratch.displaced;
  EnvView<Real> moved = env;
  moved.qpos = scratch.qpos, moved.ctrl = scratch.ctrl, moved.drive = scratch.drive;
  const double other = step_detail::displace(team, model, env, config.dynamics, Real(-sign), k, a, scratch);
  team.fence();
  const double width =
      sign * (step_detail::displace(team, model, env, config.dynamics, Real(sign), k, a, scratch) - other);
  step_detail::move_displaced(team, model, config, moved, d);
  const ActuatorInputs<Real> actuators{moved.qpos, moved.qvel, moved.drive, config.dynamics, d.motion.fit};
  const WeldInputs<Real, Real> welds{d.poses, has_momentum(config.dynamics) ? moved.qvel : nullptr, config.equality};
  const RowTimes<Real> times{config.step_size, config.step_size};
  build_general_rows(team, model, actuators, welds, d.motion.prescribed, times, d.general_rows);
  return width;
}

/// Adds one side of a column, (q⁺± ⊖ q⁺)/(u₊ − u₋), whose Δv is in the scratch; `width`: u₊ − u₋, or q₊ − q₋.
template <class Team, class Real>
ST_FN void add_change(Team team, const ModelView<Real>& model, const StepConfig<Real>& config, int column, int sign,
                      double width, LinearizeScratch<Real>& scratch, LinearizationView& out) {
  const auto [k, a] = step_detail::column_at(column, model.nv);
  step_detail::write_velocity(team, model, scratch.displaced.motion.prescribed, out.v, scratch.change, scratch.qvel);
  integrate_positions(team, model, scratch.qvel, config.dynamics, config.rotation, config.step_size, scratch.qpos);
  const double scale = sign / width;
  const int columns = k >= 0 ? model.nv : model.nu, at = k >= 0 ? k : a;
  double* matrix = k >= 0 ? out.A : out.B;
  team.each(model.njoint, [&](int j) {
    step_detail::add_joint_difference(model, scratch.qpos, scratch.next, j, scale, columns, at, matrix);
  });
}

/// The same after its narrow phase.
template <class Team, class Real>
ST_FN void add_column_side(Team team, const ModelView<Real>& model, const Capacity& capacity,
                           const StepConfig<Real>& config, int column, int sign, double width,
                           SmoothedMemory<double, double>& memory, LinearizeScratch<Real>& scratch,
                           LinearizationView& out) {
  const ContactProblem<double> problem = step_detail::describe_displaced(team, model, capacity, config, scratch);
  respond_smoothed(team, problem, memory, scratch.change);
  add_change(team, model, config, column, sign, width, scratch, out);
}

}  // namespace stiction
