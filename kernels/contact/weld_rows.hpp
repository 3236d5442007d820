// Welds and connects -> rows of the contact problem, one for each direction in which they hold.
//
//   connect   e = p_1 − p_2, three rows along the world's axes          p_i: origin of frame i [m]
//   weld      also three rows about them: e = log(R_1 R_2ᵀ)              R_i: orientation of frame i [rad]
//   J v + b₀  how fast frame 1 moves or turns relative to frame 2        b₀: the part of scripted bodies
//
//   hard      b = b₀ + e/h, R = 0                                        like a coupling (general_rows.hpp)
//   solref    a = −β u − κ d e − R̂ f,  R̂ = (1 − d)/d Â                   MuJoCo's soft constraint             (1)
//             with the speed and the error of the step's end:
//             u⁺ D + R̂ λ = u − h κ d e,  D = 1 + h β + h² κ d
//             b = b₀ − (u − h κ d e)/D,  R = R̂/D
//   at the end of a step, where its motion v̄ leads:  e is e⁺ − h (J v̄ + b₀), hard or soft
//
//   symbol  variable            unit
//   u, u⁺   -                   [m/s], [rad/s]: rate of e at the step's start and end; without momentum u = 0
//   κ, β    weld_solref         [1/s²], [1/s]
//   d       impedance           [-]: by the size of the whole error
//   Â       weld_inverse_mass   [1/kg], [1/(kg m²)]
//
// MuJoCo scales a weld's turns to torquescale/2 per radian, which divides their R by its square.
// (MuJoCo documentation, Computation: constraint model; Modeling: solver parameters)
#pragma once

#include "kernels/contact/row_writer.hpp"
#include "kernels/kinematics/poses.hpp"

namespace stiction {

/// What welds need to know besides the model.
template <class Stored, class Real>
struct WeldInputs {
  const Poses<Real>& poses;
  Pointer<const Stored> qvel;  // velocity where the step begins (nv); null: the dynamics have no momentum
  Equality equality;
};

/// Rows of weld w.
template <class Real>
ST_FN int count_weld_rows(const ModelView<Real>& model, int w) {
  return model.weld_turns[w] ? 6 : 3;
}

namespace contact_detail {

/// Least R̂ of a soft row, as in MuJoCo: one without any counts as rigid [1/kg], [1/(kg m²)].
constexpr double kLeastSoftness = 1e-15;

/// How far the frames of weld w are apart.
template <class Real>
struct WeldError {
  Vec3<Real> point[2];  // the frames' origins, world [m]
  Vec3<Real> apart;     // p_1 − p_2 [m]
  Vec3<Real> turn;      // log(R_1 R_2ᵀ) [rad]; 0 for a connect
};

template <class Stored, class Real>
ST_FN WeldError<Real> weld_error(const ModelView<Stored>& model, const Poses<Real>& poses, int w) {
  WeldError<Real> error;
  Quat<Real> frame[2];
  for (int side = 0; side < 2; ++side) {
    const int i = 2 * w + side, body = model.weld_body[i];
    const Quat<Real> quat = load_quat(poses.body_quat + 4 * body);
    error.point[side] =
        load3(poses.body_pos + 3 * body) + rotate(quat, in_precision<Real>(load3(model.weld_pos + 3 * i)));
    frame[side] = quat * in_precision<Real>(load_quat(model.weld_quat + 4 * i));
  }
  error.apart = error.point[0] - error.point[1];
  error.turn = {Real(0), Real(0), Real(0)};
  if (model.weld_turns[w]) error.turn = rotation_vector(normalise(frame[0] * conjugate(frame[1])));
  return error;
}

/// d: MuJoCo's impedance of an error of this size [m], which rises from its least to its most over a width.
template <class Real>
ST_FN double impedance(const Real* solimp, double size) {
  const double least = static_cast<double>(solimp[0]), most = static_cast<double>(solimp[1]);
  const double width = static_cast<double>(solimp[2]), midpoint = static_cast<double>(solimp[3]);
  const double power = static_cast<double>(solimp[4]);
  const double x = width > 0.0 ? size / width : 1.0;
  if (x >= 1.0) return most;
  const bool early = x <= midpoint;
  const double from = early ? x : 1.0 - x, reach = early ? midpoint : 1.0 - midpoint;
  const double part = reach > 0.0 ? reach * std::pow(from / reach, power) : 0.0;
  return least + (early ? part : 1.0 - part) * (most - least);
}

/// One direction of a weld, without its Jacobian.
struct WeldRow {
  int axis;       // of the world: 0, 1, 2
  bool turns;     // about the axis, or along it
  double error;   // e [m], [rad]
  double stiff;   // κ d [1/s²]
  double damped;  // β [1/s]
  double soft;    // R̂ [1/kg], [1/(kg m²)]
};

/// Adds sign · J of a body to the row that was added last; p: the weld's point on it. Returns its part of b₀.
template <class Stored, class Real>
ST_FN double add_body(const Poses<Real>& poses, int body, const Vec3<Real>& p, const WeldRow& weld, double sign,
                      RowWriter<Stored>& rows) {
  for (int k = rows.model.body_last_dof[body]; k >= 0; k = rows.model.dof_parent[k]) {
    const Vec3<Real> velocity = weld.turns ? load3(poses.dof_ang + 3 * k) : dof_point_velocity(poses, k, p);
    const bool turned = weld.turns && norm_squared(velocity) > Real(0);
    rows.add_entry(k, sign * static_cast<double>(velocity[weld.axis]), turned);
  }
  Vec3<Real> angular, linear;
  scripted_velocity(rows.model, poses, body, p, angular, linear);
  return sign * static_cast<double>(weld.turns ? angular[weld.axis] : linear[weld.axis]);
}

template <class Stored, class Real>
ST_FN void add_weld_row(const WeldInputs<Stored, Real>& in, int w, const WeldError<Real>& at, const WeldRow& weld,
                        RowWriter<Stored>& rows) {
  const int* body = rows.model.weld_body + 2 * w;
  GeneralRow<double>& row = rows.add(0.0, double(-INFINITY), double(INFINITY));
  const double given = add_body(in.poses, body[0], at.point[0], weld, 1.0, rows) +
                       add_body(in.poses, body[1], at.point[1], weld, -1.0, rows);
  if (std::isinf(row.radius)) row.radius = 1.0;  // a force, or nothing turns
  if (in.equality == Equality::kHard) return rows.tie(weld.error, given);
  const double before = in.qvel ? rows.speed(in.qvel) + given : 0.0;
  const double moved = rows.motion ? rows.h * (rows.speed(rows.motion) + given) : 0.0;
  const double D = 1.0 + rows.h * (weld.damped + rows.h * weld.stiff);
  row.offset = given - (before - rows.h * weld.stiff * (weld.error - moved)) / D;
  row.compliance = weld.soft / D;
}

/// Adds the rows of weld w.
template <class Stored, class Real>
ST_FN void add_weld(const WeldInputs<Stored, Real>& in, int w, RowWriter<Stored>& rows) {
  const ModelView<Stored>& model = rows.model;
  const WeldError<Real> at = weld_error(model, in.poses, w);
  const double scale = static_cast<double>(model.weld_torquescale[w]);
  const double away = static_cast<double>(norm(at.apart)), turn = static_cast<double>(norm(at.turn));
  const double d = impedance(model.weld_solimp + 5 * w, std::hypot(away, scale * std::sin(0.5 * turn)));
  const double stiff = d * static_cast<double>(model.weld_solref[2 * w]);
  const double damped = static_cast<double>(model.weld_solref[2 * w + 1]);
  for (int r = 0; r < count_weld_rows(model, w); ++r) {
    const bool turns = r >= 3;
    const int axis = turns ? r - 3 : r;
    const double lever = turns ? 0.5 * scale : 1.0;
    const double inverse_mass = static_cast<double>(model.weld_inverse_mass[2 * w + (turns ? 1 : 0)]);
    const double error = static_cast<double>(turns ? at.turn[axis] : at.apart[axis]);
    const double soft = larger((1.0 - d) / d * inverse_mass, kLeastSoftness) / (lever * lever);
    add_weld_row(in, w, at, {axis, turns, error, stiff, damped, soft}, rows);
  }
}

}  // namespace contact_detail

}  // namespace stiction
