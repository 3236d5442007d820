// Contact patches: the points of a pair share one friction, at the equivalent contact point (ECP) of the pair.
//
// The points x_k of a pair have a common normal n. If every one of them has the rows (n at x_k; t, o and torsion at a),
// then, as a sum of balls of radius μ p_k is the ball of radius μ Σ p_k,
//
//   {Σ_k J_kᵀ λ_k} = {Σ_k p_k N_k + Fᵀ f : p_k >= 0, ‖f‖_E <= μ Σ_k p_k}                                (1)
//
// and the slip at a decides alone whether f sticks or slides. With
//
//   a = Σ_k p_k x_k / Σ_k p_k                                                                           (2)
//
// this is the law of Xie and Chakraborty (2016), (2) and (9): one wrench at the ECP, with one friction ellipsoid. So
// patches are ordinary contacts of four rows, and laws, cones, residuals and solvers do not know them. a depends on the
// answer; the rounds of a step (kernels/step/end_rounds.hpp) find both.
//
// With `torsion_radius = "uniform"` the friction about n is that of uniform pressure on the patch P with centroid c:
//
//   μ_r = μ ∫_P ‖x − c‖ dx / ∫_P dx                                                                     (3)
//
//   symbol  variable        shape              unit
//   a       centre          (max_pairs, 3)     [m]
//   μ_r/μ   radius          (max_pairs)        [m]
#pragma once

#include "kernels/collision/find_contacts.hpp"
#include "kernels/patch/mean_radius.hpp"

namespace stiction {

template <class Real>
struct Patches {
  Array<double> centre;        // (max_pairs, 3)
  Array<int> place;            // among the patches that are read out; -1: it carries nothing (max_pairs)
  Array<Real> friction_arm;    // of Contacts (max_contacts, 2, 3)
  Array<Real> torsion_radius;  // of Contacts; null: the model's (max_contacts)
};

/// Takes memory if `patches`; with torsion_radius if `uniform`.
template <class Real>
ST_FN Patches<Real> take_patches(const Capacity& capacity, bool patches, bool uniform, Arena& arena) {
  Patches<Real> out;
  out.centre = patches ? arena.take<double>(3 * capacity.max_pairs) : nullptr;
  out.place = patches ? arena.take<int>(capacity.max_pairs) : nullptr;
  out.friction_arm = patches ? arena.take<Real>(6 * capacity.max_contacts) : nullptr;
  out.torsion_radius = patches && uniform ? arena.take<Real>(capacity.max_contacts) : nullptr;
  return out;
}

/// Calls each(i) for the contacts of a slot.
template <class State, class Real, class Each>
ST_FN void for_each_contact(const PairSlots<State>& slots, const Contacts<Real>& contacts, int slot, Each each) {
  const int pair = slots.pair[slot];
  for (int i = slots.first[slot]; i < *contacts.count && pair_of_key(contacts.key[i]) == pair; ++i) each(i);
}

/// True if a slot has contacts.
template <class State, class Real>
ST_FN bool has_contacts(const PairSlots<State>& slots, const Contacts<Real>& contacts, int slot) {
  const int first = slots.first[slot];
  return first < *contacts.count && pair_of_key(contacts.key[first]) == slots.pair[slot];
}

/// Points whose gap is within this of the deepest share a patch that has carried nothing yet [m].
constexpr double kSameDepth = 1e-6;

/// (2) with the impulses p_k along n; where none carries, the mean of the deepest points.
template <class State, class Real>
ST_FN Vec3<Real> find_centre(const PairSlots<State>& slots, const Contacts<Real>& contacts, const double* lambda,
                             int dimension, int slot) {
  Real total = Real(0), least = Real(INFINITY);
  for_each_contact(slots, contacts, slot, [&](int i) {
    total += larger(static_cast<Real>(lambda[dimension * i]), Real(0));
    least = smaller(least, contacts.gap[i]);
  });
  const bool carries = total > Real(0);
  Vec3<Real> sum = {Real(0), Real(0), Real(0)};
  Real weights = Real(0);
  for_each_contact(slots, contacts, slot, [&](int i) {
    const Real p = larger(static_cast<Real>(lambda[dimension * i]), Real(0));
    const Real weight = carries ? p / total : (contacts.gap[i] <= least + Real(kSameDepth) ? Real(1) : Real(0));
    sum += weight * load3(contacts.position + 3 * i);
    weights += weight;
  });
  return (Real(1) / weights) * sum;
}

/// Gives the contacts of a slot the arms of friction at `centre`.
template <class State, class Real>
ST_FN void place_friction_at(const PairSlots<State>& slots, const Vec3<Real>& centre, int slot, Patches<State>& patches,
                             Contacts<Real>& contacts) {
  store3(patches.centre + 3 * slot, in_precision<double>(centre));
  for_each_contact(slots, contacts, slot, [&](int i) {
    const Vec3<Real> shift = centre - load3(contacts.position + 3 * i);
    for (int side = 0; side < 2; ++side) {
      const int arm = 6 * i + 3 * side;
      store3(contacts.friction_arm + arm, load3(contacts.arm + arm) + shift);
    }
  });
}

/// (3) without μ, of a slot whose `manifold` was found at `poses`, or where its shifts have taken its geoms from there
/// [m].
template <class State, class Real>
ST_FN Real mean_radius_of_slot(const ModelView<State>& model, const Poses<Real>& poses, const PairSlots<State>& slots,
                               const Manifold<Real>& manifold, int slot) {
  const int* geom = model.pair_geom + 2 * slots.pair[slot];
  PlacedShape<Real> A = shape_in_world(model, poses, geom[0]), B = shape_in_world(model, poses, geom[1]);
  const State* shift = slots.shift + 6 * kMaxManifold * slot;
  A.position += in_precision<Real>(load3(shift)), B.position += in_precision<Real>(load3(shift + 3));
  return mean_radius(A, B, manifold);
}

/// Finds the ECPs and gives every contact the arms of its friction. `lambda`: impulses of the contacts (max_contacts,
/// dimension), n first. `manifold`: of the slots, found at `poses`, in the precision of the contacts.
template <class Team, class State, class Real>
ST_FN void place_friction(Team team, const ModelView<State>& model, const Poses<Real>& poses,
                          const PairSlots<State>& slots, Pointer<const Manifold<Real>> manifold, const double* lambda,
                          int dimension, Patches<State>& patches, Contacts<Real>& contacts) {
  team.each(*slots.count, [&](int slot) {
    if (!has_contacts(slots, contacts, slot)) return;
    const Vec3<Real> centre = find_centre(slots, contacts, lambda, dimension, slot);
    place_friction_at(slots, centre, slot, patches, contacts);
    if (!contacts.torsion_radius) return;
    const Real radius = mean_radius_of_slot(model, poses, slots, manifold[slot], slot);
    for_each_contact(slots, contacts, slot, [&](int i) { contacts.torsion_radius[i] = radius; });
  });
}

}  // namespace stiction
