// The contacts of one environment: slots keyed (pair, point), packed in key order.
#pragma once

#include "kernels/collision/contact_point.hpp"
#include "kernels/model/arena.hpp"
#include "kernels/model/env_view.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

template <class Real>
struct Contacts {
  Array<int> count;      // contact points                                        (1)
  Array<int> key;        // pair * kMaxManifold + point, increasing               (max_contacts)
  Array<Real> gap;       // φ: signed distance less the pair's margin [m]         (max_contacts)
  Array<Real> position;  // midpoint of the witnesses, world [m]                  (max_contacts, 3)
  Array<Real> arm;       // position less what each geom's joints have moved [m]  (max_contacts, 2, 3)
  Array<Real> frame;     // rows n, t, o; n from the pair's first geom to second  (max_contacts, 9)
  // null, unless friction acts on patches (kernels/patch/patches.hpp); they belong to the Patches of a step
  Array<Real> friction_arm;    // as `arm`, of the point at which friction acts [m]  (max_contacts, 2, 3)
  Array<Real> torsion_radius;  // null: friction about n is the model's, else μ times this [m]  (max_contacts)
};

template <class Real>
ST_FN Contacts<Real> take_contacts(const Capacity& capacity, Arena& arena) {
  Contacts<Real> contacts;
  contacts.count = arena.take<int>(1);
  contacts.key = arena.take<int>(capacity.max_contacts);
  contacts.gap = arena.take<Real>(capacity.max_contacts);
  contacts.position = arena.take<Real>(3 * capacity.max_contacts);
  contacts.arm = arena.take<Real>(6 * capacity.max_contacts);
  contacts.frame = arena.take<Real>(9 * capacity.max_contacts);
  contacts.friction_arm = contacts.torsion_radius = nullptr;
  return contacts;
}

/// Puts contact i at p, with the joints of both geoms where they are now.
template <class Real>
ST_FN void place_contact(int i, const Vec3<Real>& p, Contacts<Real>& contacts) {
  store3(contacts.position + 3 * i, p);
  store3(contacts.arm + 6 * i, p);
  store3(contacts.arm + 6 * i + 3, p);
}

ST_FN int pair_of_key(int key) { return key / kMaxManifold; }
ST_FN int point_of_key(int key) { return key % kMaxManifold; }

}  // namespace stiction
