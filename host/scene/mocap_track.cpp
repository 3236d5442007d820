// Poses over time: linear between rows, orientations at a constant rate along the shortest arc, constant outside.
//
//   p(t) = p_k + s (p_{k+1} − p_k),  q(t) = slerp(q_k, q_{k+1}, s),  s = (t − t_k)/(t_{k+1} − t_k)
//   v(t) = v_k + s (v_{k+1} − v_k), zero outside; without velocity columns: the difference of the poses over the step
#include "host/scene/mocap_track.hpp"

#include <algorithm>
#include <cmath>

#include "host/model/error.hpp"
#include "host/scene/number_rows.hpp"

namespace stiction {
namespace {

constexpr std::size_t kPoseWidth = 8, kTwistWidth = 14;  // numbers in a row
constexpr double kStraight = 1e-9;                       // sine below which an arc is a straight line to rounding

/// The rows before and after t, and where t is between them.
struct Span {
  std::size_t from, to;
  double share;
  bool outside;
};

Span span_at(const std::vector<double>& time, double t) {
  const auto after = std::upper_bound(time.begin(), time.end(), t);
  const std::size_t next = static_cast<std::size_t>(after - time.begin());
  if (next == 0) return {0, 0, 0.0, true};
  if (next == time.size()) return {next - 1, next - 1, 0.0, t > time.back()};
  return {next - 1, next, (t - time[next - 1]) / (time[next] - time[next - 1]), false};
}

/// Cosine of half the angle between two orientations, and the sign that takes the shorter way.
double half_cosine(const double* a, const double* b, double& sign) {
  const double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  sign = dot < 0.0 ? -1.0 : 1.0;
  return std::min(sign * dot, 1.0);
}

/// Spherical interpolation of quaternions a, b (4) at s in [0, 1].
void slerp(const double* a, const double* b, double s, double* out) {
  double sign = 1.0;
  const double half = std::acos(half_cosine(a, b, sign)), sine = std::sin(half);
  const double wa = sine > kStraight ? std::sin((1.0 - s) * half) / sine : 1.0 - s;
  const double wb = sine > kStraight ? std::sin(s * half) / sine : s;
  double norm = 0.0;
  for (int i = 0; i < 4; ++i) out[i] = wa * a[i] + sign * wb * b[i], norm += out[i] * out[i];
  for (int i = 0; i < 4; ++i) out[i] /= std::sqrt(norm);
}

/// Rotation vector in world axes of the shortest turn from a to b, 2 log(b a⁻¹).
std::array<double, 3> turn_between(const double* a, const double* b) {
  const double w = b[0] * a[0] + b[1] * a[1] + b[2] * a[2] + b[3] * a[3];
  std::array<double, 3> v = {a[0] * b[1] - b[0] * a[1] - (b[2] * a[3] - b[3] * a[2]),
                             a[0] * b[2] - b[0] * a[2] - (b[3] * a[1] - b[1] * a[3]),
                             a[0] * b[3] - b[0] * a[3] - (b[1] * a[2] - b[2] * a[1])};
  const double sine = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), sign = w < 0.0 ? -1.0 : 1.0;
  const double scale = sine > kStraight ? 2.0 * std::atan2(sine, sign * w) / sine : 2.0;
  for (double& entry : v) entry *= sign * scale;
  return v;
}

MocapPose pose_of(const NumberRow& row) {
  MocapPose pose;
  std::copy_n(row.values.begin() + 1, 7, pose.begin());
  const double norm = std::hypot(std::hypot(pose[3], pose[4]), std::hypot(pose[5], pose[6]));
  if (!(norm > kLeastQuatNorm) || !std::isfinite(norm)) throw InputError(row.where + ": holds a quaternion that is 0");
  for (std::size_t i = 3; i < 7; ++i) pose[i] /= norm;
  return pose;
}

}  // namespace

MocapPose MocapTrack::pose_at(double t) const {
  const Span span = span_at(time, t);
  const MocapPose &a = pose[span.from], &b = pose[span.to];
  MocapPose out;
  for (std::size_t i = 0; i < 3; ++i) out[i] = a[i] + span.share * (b[i] - a[i]);
  slerp(&a[3], &b[3], span.share, &out[3]);
  return out;
}

MocapTwist MocapTrack::velocity_at(double t, double h) const {
  MocapTwist out{};
  if (velocity.empty()) {
    const MocapPose now = pose_at(t), next = pose_at(t + h);
    const std::array<double, 3> turn = turn_between(&now[3], &next[3]);
    for (std::size_t i = 0; i < 3; ++i) out[i] = (next[i] - now[i]) / h, out[3 + i] = turn[i] / h;
    return out;
  }
  const Span span = span_at(time, t);
  if (span.outside) return out;
  for (std::size_t i = 0; i < 6; ++i)
    out[i] = velocity[span.from][i] + span.share * (velocity[span.to][i] - velocity[span.from][i]);
  return out;
}

MocapTrack read_mocap_file(const std::string& file, int body) {
  const std::string expected = "time, position (3) and quaternion (4), or these and linear and angular velocity (6)";
  const std::vector<NumberRow> rows = read_number_rows(file, expected);
  const std::size_t width = rows.front().values.size() == kTwistWidth ? kTwistWidth : kPoseWidth;
  for (const NumberRow& row : rows) check_width(row, width, expected + ", the same in every row");
  check_increasing(rows, "time");
  MocapTrack track{body, {}, {}, {}};
  for (const NumberRow& row : rows) {
    track.time.push_back(row.values[0]);
    track.pose.push_back(pose_of(row));
    if (width == kPoseWidth) continue;
    track.velocity.emplace_back();
    std::copy_n(row.values.begin() + kPoseWidth, 6, track.velocity.back().begin());
  }
  return track;
}

}  // namespace stiction
