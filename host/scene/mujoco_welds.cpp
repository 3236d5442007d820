// Weld and connect equalities: two frames that stay together, or their origins alone.
//
//   between bodies, connect   the anchor, in the frame of either body
//   between bodies, weld      the anchor in body 2, and the same point and orientation in body 1 (relpose)
//   between sites             the frames of both sites
//   solref (T, ζ)             κ = 1/(d_max T ζ)², β = 2/(d_max T); both negative: κ = −T/d_max², β = −ζ/d_max
//   Â                         inverse masses of both bodies, as MuJoCo computes them (body_invweight0)
#include <algorithm>
#include <array>
#include <cmath>

#include "host/scene/mujoco_importer.hpp"

namespace stiction {
namespace {

constexpr int kTorqueScale = 10;  // place in eq_data of a weld

/// A frame in a body: position [m], unit quaternion.
struct BodyFrame {
  int body;
  std::array<double, 3> pos;
  std::array<double, 4> quat;
};

BodyFrame frame_at(int body, const mjtNum* pos, const mjtNum* quat) {
  BodyFrame frame{body, {pos[0], pos[1], pos[2]}, {1.0, 0.0, 0.0, 0.0}};
  if (quat) std::copy(quat, quat + 4, frame.quat.begin());
  return frame;
}

/// The frame of the first (side 0) or second object of an equality.
BodyFrame frame_of(const mjModel& m, int eq, int side) {
  const int id = side == 0 ? m.eq_obj1id[eq] : m.eq_obj2id[eq];
  if (m.eq_objtype[eq] == mjOBJ_SITE) return frame_at(m.site_bodyid[id], m.site_pos + 3 * id, m.site_quat + 4 * id);
  const mjtNum* data = m.eq_data + eq * mjNEQDATA;
  if (m.eq_type[eq] == mjEQ_CONNECT) return frame_at(id, data + 3 * side, nullptr);
  return side == 0 ? frame_at(id, data + 3, data + 6) : frame_at(id, data, nullptr);
}

constexpr mjtNum kDefaultSolref[] = {0.02, 1.0};

/// κ and β of a solref, for the largest impedance. One of its values alone above 0 means nothing: MuJoCo then takes its
/// default.
std::array<double, 2> stiffness_and_damping(const mjtNum* solref, double most) {
  if ((solref[0] > 0.0) != (solref[1] > 0.0)) solref = kDefaultSolref;
  if (solref[0] <= 0.0) return {-solref[0] / (most * most), -solref[1] / most};
  const double rate = 1.0 / (most * solref[0] * solref[1]);
  return {rate * rate, 2.0 / (most * solref[0])};
}

/// solimp within the bounds that MuJoCo keeps.
std::array<double, 5> bounded_solimp(const mjtNum* solimp) {
  const auto share = [](double value) { return std::clamp<double>(value, mjMINIMP, mjMAXIMP); };
  return {share(solimp[0]), share(solimp[1]), std::max(0.0, solimp[2]), share(solimp[3]), std::max(1.0, solimp[4])};
}

/// Without a width the impedance is the same everywhere, the mean of its ends.
std::array<double, 5> without_rise(std::array<double, 5> solimp) {
  if (solimp[2] <= mjMINVAL) solimp[0] = solimp[1] = 0.5 * (solimp[0] + solimp[1]);
  return solimp;
}

template <class Values>
void append(const Values& values, std::vector<double>& to) {
  to.insert(to.end(), values.begin(), values.end());
}

void import_weld(const mjModel& m, int eq, Model& model) {
  const double torquescale = std::fabs(m.eq_data[eq * mjNEQDATA + kTorqueScale]);
  const bool turns = m.eq_type[eq] == mjEQ_WELD && torquescale > 0.0;
  double linear = 0.0, angular = 0.0;
  for (int side = 0; side < 2; ++side) {
    const BodyFrame frame = frame_of(m, eq, side);
    model.weld_body.push_back(frame.body);
    append(frame.pos, model.weld_pos);
    append(frame.quat, model.weld_quat);
    linear += m.body_invweight0[2 * frame.body];
    angular += m.body_invweight0[2 * frame.body + 1];
  }
  ++model.nweld;
  model.weld_names.push_back(name_of(&m, mjOBJ_EQUALITY, eq));
  model.weld_turns.push_back(turns ? 1 : 0);
  model.weld_torquescale.push_back(turns ? torquescale : 0.0);
  const std::array<double, 5> solimp = bounded_solimp(m.eq_solimp + mjNIMP * eq);
  append(without_rise(solimp), model.weld_solimp);
  append(stiffness_and_damping(m.eq_solref + mjNREF * eq, solimp[1]), model.weld_solref);
  append(std::array<double, 2>{linear, angular}, model.weld_inverse_mass);
}

}  // namespace

void import_welds(const CompiledModel& compiled, Model& model) {
  const mjModel& m = *compiled.model;
  if (disabled(m, mjDSBL_EQUALITY)) return;
  for (int eq = 0; eq < m.neq; ++eq) {
    const bool holds = m.eq_type[eq] == mjEQ_WELD || m.eq_type[eq] == mjEQ_CONNECT;
    if (holds && m.eq_active0[eq]) import_weld(m, eq, model);
  }
}

}  // namespace stiction
