#include "host/grasp/quality.hpp"

#include <algorithm>
#include <cmath>

#include "host/api/run_batch.hpp"
#include "host/grasp/check_grasps.hpp"
#include "host/grasp/wrench_hull.hpp"

namespace stiction {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// A vector of `dimension` numbers; z is 0 in a plane.
Vec3<double> vector_at(const std::vector<double>& values, std::size_t i, int dimension) {
  const double* v = values.data() + i * at(dimension);
  return {v[0], v[1], dimension == 3 ? v[2] : 0.0};
}

/// Of any length that a double may have but zero.
Vec3<double> unit(const Vec3<double>& v) {
  const double largest = std::max({std::fabs(v.x), std::fabs(v.y), std::fabs(v.z)});
  const Vec3<double> scaled = {v.x / largest, v.y / largest, v.z / largest};
  return (1.0 / norm(scaled)) * scaled;
}

/// In a plane the tangent is the normal turned by a quarter.
Vec3<double> tangent_of(const Grasps& grasps, std::size_t i, const Vec3<double>& n) {
  if (grasps.dimension == 2) return {-n.y, n.x, 0.0};
  if (grasps.tangent.empty()) return make_contact_frame(n).t;
  const Vec3<double> t = unit(vector_at(grasps.tangent, i, 3));
  return unit(t - dot(t, n) * n);
}

GraspContact contact_of(const Grasps& grasps, int grasp, int contact) {
  const std::size_t i = at(grasp) * at(grasps.contacts) + at(contact);
  GraspContact at_it;
  at_it.position = vector_at(grasps.position, i, grasps.dimension);
  at_it.normal = unit(vector_at(grasps.normal, i, grasps.dimension));
  at_it.tangent = tangent_of(grasps, i, at_it.normal);
  at_it.friction = grasps.friction[i], at_it.torsion = grasps.torsion[i];
  return at_it;
}

template <int D>
void write_wrenches(const Grasps& grasps, int grasp, const TorqueUnit& unit, WrenchHull<D>& hull) {
  hull.wrenches().clear();
  for (int contact = 0; contact < contacts_of(grasps, grasp); ++contact)
    add_wrenches(contact_of(grasps, grasp, contact), grasps.facets, unit, hull.wrenches());
}

/// The mean of the contacts, and their largest distance from it, or torsion.
TorqueUnit own_unit(const Grasps& grasps, int grasp) {
  const int count = contacts_of(grasps, grasp);
  TorqueUnit own = {{0.0, 0.0, 0.0}, 0.0};
  for (int i = 0; i < count; ++i) own.center += (1.0 / count) * contact_of(grasps, grasp, i).position;
  for (int i = 0; i < count; ++i) {
    const GraspContact contact = contact_of(grasps, grasp, i);
    own.length = std::max({own.length, norm(contact.position - own.center), contact.torsion});
  }
  if (!(own.length > 0.0)) own.length = 1.0;
  return own;
}

constexpr double kLeast = 1e-9;  // of the longest wrench: a smaller lower bound does not count as closure

template <int D>
bool closes(const Bracket& bracket, const WrenchHull<D>& hull) {
  return bracket.lower > kLeast * hull.scale();
}

/// Whether the origin is inside does not hang on the unit of torques, nor on the point that they are about: with those
/// of the contacts themselves the wrenches are neither long nor short.
template <int D>
bool closes_in_own_unit(const Grasps& grasps, int grasp, WrenchHull<D>& hull) {
  write_wrenches(grasps, grasp, own_unit(grasps, grasp), hull);
  return closes(hull.find_nearest(), hull);
}

template <int D>
void judge(const Grasps& grasps, int grasp, WrenchHull<D>& hull, GraspQuality& quality) {
  write_wrenches(grasps, grasp, {vector_at(grasps.center, at(grasp), grasps.dimension), grasps.length[at(grasp)]},
                 hull);
  const Bracket bracket = hull.find_nearest();
  if (!quality.volume.empty()) quality.volume[at(grasp)] = hull.volume();
  bool closure = closes(bracket, hull);
  if (!closure && bracket.upper > 0.0) closure = closes_in_own_unit(grasps, grasp, hull);
  quality.closure[at(grasp)] = closure;
  quality.epsilon[at(grasp)] = closure ? bracket.upper : 0.0;
  quality.lower[at(grasp)] = std::max(bracket.lower, 0.0);
  quality.upper[at(grasp)] = std::max(bracket.upper, 0.0);
}

template <int D>
void judge_all(const Grasps& grasps, int threads, GraspQuality& quality) {
  ThreadPool pool(threads);
  std::vector<WrenchHull<D>> hulls(at(pool.size()));
  run_batch(pool, grasps.batch, [&](int grasp, int worker) { judge(grasps, grasp, hulls[at(worker)], quality); });
}

}  // namespace

GraspQuality grasp_quality(const Grasps& grasps, const GraspQualityOptions& options) {
  check_grasps(grasps);
  GraspQuality quality;
  const std::size_t batch = at(grasps.batch);
  quality.closure.resize(batch);
  for (std::vector<double>* values : {&quality.epsilon, &quality.lower, &quality.upper}) values->resize(batch);
  if (options.volume) quality.volume.resize(batch);
  if (grasps.batch == 0) return quality;
  const int threads = host_threads(options.threads, grasps.batch);
  if (grasps.dimension == 2)
    judge_all<3>(grasps, threads, quality);
  else
    judge_all<6>(grasps, threads, quality);
  return quality;
}

}  // namespace stiction
