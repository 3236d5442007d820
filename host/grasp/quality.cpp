#include "host/grasp/quality.hpp"

#include "host/api/run_batch.hpp"
#include "host/grasp/check_grasps.hpp"
#include "host/grasp/wrench_hull.hpp"

namespace stiction {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// A vector of `dimension` numbers; z is 0 in a plane.
Vec3<double> vector_at(const std::vector<double>& values, int i, int dimension) {
  const double* v = values.data() + at(i) * at(dimension);
  return {v[0], v[1], dimension == 3 ? v[2] : 0.0};
}

Vec3<double> unit(const Vec3<double>& v) { return (1.0 / norm(v)) * v; }

/// In a plane the tangent is the normal turned by a quarter.
Vec3<double> tangent_of(const Grasps& grasps, int i, const Vec3<double>& n) {
  if (grasps.dimension == 2) return {-n.y, n.x, 0.0};
  if (grasps.tangent.empty()) return make_contact_frame(n).t;
  const Vec3<double> t = unit(vector_at(grasps.tangent, i, 3));
  return unit(t - dot(t, n) * n);
}

GraspContact contact_of(const Grasps& grasps, int grasp, int contact) {
  const int i = grasp * grasps.contacts + contact;
  GraspContact at_it;
  at_it.position = vector_at(grasps.position, i, grasps.dimension);
  at_it.normal = unit(vector_at(grasps.normal, i, grasps.dimension));
  at_it.tangent = tangent_of(grasps, i, at_it.normal);
  at_it.friction = grasps.friction[at(i)], at_it.torsion = grasps.torsion[at(i)];
  return at_it;
}

template <int D>
void judge(const Grasps& grasps, int grasp, WrenchHull<D>& hull, GraspQuality& quality) {
  constexpr double kLeast = 1e-9;  // of the longest wrench: a smaller ε is taken for 0
  const TorqueUnit torque = {vector_at(grasps.center, grasp, grasps.dimension), grasps.length[at(grasp)]};
  hull.wrenches().clear();
  for (int contact = 0; contact < contacts_of(grasps, grasp); ++contact)
    add_wrenches(contact_of(grasps, grasp, contact), grasps.facets, torque, hull.wrenches());
  const Bracket bracket = hull.find_nearest();
  const bool closure = bracket.lower > kLeast * hull.scale();
  quality.closure[at(grasp)] = closure;
  quality.epsilon[at(grasp)] = closure ? bracket.upper : 0.0;
  quality.lower[at(grasp)] = std::max(bracket.lower, 0.0);
  quality.upper[at(grasp)] = std::max(bracket.upper, 0.0);
  if (!quality.volume.empty()) quality.volume[at(grasp)] = hull.volume();
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
