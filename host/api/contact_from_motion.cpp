#include "host/api/contact_from_motion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "host/api/check_motions.hpp"
#include "kernels/collision/contact_frame.hpp"
#include "kernels/linalg/vec3.hpp"

namespace stiction {
namespace {

using Vector = Vec3<double>;
using Matrix = Mat3<double>;

/// p_n below this share of the impulses whose difference it is has less than four digits that rounding leaves alone
/// [-].
constexpr double kLeastShare = 1e-12;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// The impulse of the contact, A and B, and the size of the numbers whose sums these are.
struct ContactImpulse {
  Vector linear, angular;  // [N s], [N m s], about the centre of mass
  double size;             // [N s]
};

/// Where the plane lies: n·x = offset with n = frame.n.
struct SupportingPlane {
  ContactFrame<double> frame;
  double offset;  // [m]
};

struct PointAndImpulse {
  Vector point;               // [m]
  double p_n, p_t, p_o, p_r;  // [N s], [N m s]
  bool valid;
};

Matrix symmetric_part(std::span<const double> all, std::size_t i) {
  const double* I = all.data() + 9 * i;
  Matrix S;
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 3; ++column) S(row, column) = 0.5 * I[3 * row + column] + 0.5 * I[3 * column + row];
  return S;
}

/// A of (25) and B of (26). The angular numbers count in `size` over the radius of gyration.
ContactImpulse contact_impulse(const BodyMotions& m, std::size_t i) {
  const double *before = m.velocity_before.data() + 6 * i, *after = m.velocity_after.data() + 6 * i;
  const double *applied = m.impulse.data() + 6 * i, mass = m.mass[i];
  const Matrix I = symmetric_part(m.inertia, i);
  const Matrix I_after = m.inertia_after.empty() ? I : symmetric_part(m.inertia_after, i);
  const Vector spin = load3(after + 3), momentum = I * load3(before + 3), momentum_after = I_after * spin;
  const double h = m.step_size.empty() ? 0.0 : m.step_size[i];
  const Vector gyroscopic = h * cross(spin, momentum_after), torque = load3(applied + 3);
  const double gyration = std::sqrt((I(0, 0) + I(1, 1) + I(2, 2)) / (2 * mass));
  const double linear = mass * (norm(load3(after)) + norm(load3(before))) + norm(load3(applied));
  const double angular = norm(momentum_after) + norm(momentum) + norm(gyroscopic) + norm(torque);
  return {mass * (load3(after) - load3(before)) - load3(applied), momentum_after - momentum + gyroscopic - torque,
          linear + angular / gyration};
}

/// The frame and the offset, with n and t made unit and perpendicular to the last bit.
SupportingPlane supporting_plane(const BodyMotions& m, std::size_t i) {
  const Vector given = load3(m.normal.data() + 3 * i);
  const double length = norm(given), offset = m.plane_offset[i] / length;
  const Vector n = (1 / length) * given;
  if (m.tangent.empty()) return {make_contact_frame(n), offset};
  const Vector along = load3(m.tangent.data() + 3 * i), projected = along - dot(n, along) * n;
  const Vector t = (1 / norm(projected)) * projected;
  return {{n, t, cross(n, t)}, offset};
}

/// (24), then (27) by components along n, t and o.
PointAndImpulse solve_contact_point(const ContactImpulse& impulse, const SupportingPlane& plane,
                                    const Vector& position) {
  const auto& [n, t, o] = plane.frame;
  const Vector &A = impulse.linear, &B = impulse.angular;
  const double p_n = dot(n, A), p_t = dot(t, A), p_o = dot(o, A);
  const double r_n = plane.offset - dot(n, position);
  const double r_o = (dot(t, B) + r_n * p_o) / p_n, r_t = (r_n * p_t - dot(o, B)) / p_n;
  const double p_r = dot(n, B) - r_t * p_o + r_o * p_t;
  const Vector point = position + r_n * n + r_t * t + r_o * o;
  const bool finite = std::isfinite(norm_squared(point)) && std::isfinite(p_n + p_t + p_o + p_r);
  return {point, p_n, p_t, p_o, p_r, finite && p_n > kLeastShare * impulse.size};
}

void write_entry(const PointAndImpulse& answer, const ContactFrame<double>& frame, std::size_t i,
                 EquivalentContacts& out) {
  store3(out.frame.data() + 9 * i, frame.n);
  store3(out.frame.data() + 9 * i + 3, frame.t);
  store3(out.frame.data() + 9 * i + 6, frame.o);
  if (!answer.valid) return;
  out.valid[i] = 1;
  store3(out.point.data() + 3 * i, answer.point);
  out.p_n[i] = answer.p_n, out.p_t[i] = answer.p_t, out.p_o[i] = answer.p_o, out.p_r[i] = answer.p_r;
}

EquivalentContacts no_contacts(std::size_t count) {
  EquivalentContacts out;
  for (auto* values : {&out.p_n, &out.p_t, &out.p_o, &out.p_r}) values->assign(count, kNaN);
  out.point.assign(3 * count, kNaN), out.frame.assign(9 * count, kNaN), out.valid.assign(count, 0);
  return out;
}

}  // namespace

EquivalentContacts contact_from_motion(const BodyMotions& motions) {
  check_motions(motions);
  const std::size_t count = static_cast<std::size_t>(motions.count);
  EquivalentContacts out = no_contacts(count);
  for (std::size_t i = 0; i < count; ++i) {
    const SupportingPlane plane = supporting_plane(motions, i);
    const Vector position = load3(motions.position.data() + 3 * i);
    write_entry(solve_contact_point(contact_impulse(motions, i), plane, position), plane.frame, i, out);
  }
  return out;
}

}  // namespace stiction
