// The frame (n, t, o) of a contact, as MuJoCo makes it from a normal.
//
//   t ∝ e − (n·e) n   with e = y if |n_y| < 1/2, else z;      o = n × t
//
// An axis-aligned normal gives an axis-aligned frame.
#pragma once

#include <cmath>

#include "kernels/linalg/vec3.hpp"

namespace stiction {

template <class Real>
struct ContactFrame {
  Vec3<Real> n, t, o;  // unit, right-handed
};

template <class Real>
ST_FN ContactFrame<Real> make_contact_frame(const Vec3<Real>& n) {
  const bool y_is_far = n.y < Real(0.5) && n.y > Real(-0.5);
  const Vec3<Real> e = y_is_far ? Vec3<Real>{Real(0), Real(1), Real(0)} : Vec3<Real>{Real(0), Real(0), Real(1)};
  const Vec3<Real> projected = e - dot(n, e) * n;
  const Vec3<Real> t = (Real(1) / norm(projected)) * projected;
  return {n, t, cross(n, t)};
}

}  // namespace stiction
