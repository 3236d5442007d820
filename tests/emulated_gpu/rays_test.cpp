// Claims about rays on the emulated GPU: they have the bits of the host, in any order of its threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "tests/emulated_gpu/host_bits.hpp"
#include "tests/support/shapes_and_rays.hpp"

namespace stiction {
namespace {

constexpr int kBatch = 3, kRays = 200;

class RaysOnAGpu : public NoFaults, public testing::TestWithParam<Dtype> {
 protected:
  /// A simulator whose environments have their bodies in different places.
  static Simulator moved(const char* device) {
    Simulator sim(test::every_shape(), {.batch = kBatch, .device = device, .dtype = GetParam(), .threads = 1});
    std::vector<double> qpos = sim.qpos();
    for (std::size_t i = 0; i < qpos.size(); ++i) qpos[i] += 0.001 * static_cast<double>(i % 37);
    sim.set_qpos(qpos);
    return sim;
  }

  static void expect_same_hits(const Simulator& a, const Simulator& b, const Rays& rays, const std::string& what) {
    const RayHits one = a.cast_rays(rays), other = b.cast_rays(rays);
    EXPECT_TRUE(test::same_bits(values_of(one.distance, kBatch), values_of(other.distance, kBatch))) << what;
    EXPECT_EQ(values_of(one.geom, kBatch), values_of(other.geom, kBatch)) << what;
    EXPECT_TRUE(test::same_bits(values_of(one.normal, kBatch), values_of(other.normal, kBatch))) << what;
  }
};

TEST_P(RaysOnAGpu, HaveTheBitsOfTheHost) {
  const Simulator host = moved("cpu"), gpu = moved("cuda");
  Rays rays = test::rays_in_all_directions(kRays);
  const std::vector<double> geoms = values_of(host.cast_rays(rays).geom, kBatch);
  for (int geom = -1; geom < host.scene().model->ngeom; ++geom)
    EXPECT_NE(std::count(geoms.begin(), geoms.end(), geom), 0) << "no ray meets geom " << geom;
  for (const char* order : {"forward", "backward", "shuffled"}) {
    setenv("EMULATED_GPU_ORDER", order, 1);
    expect_same_hits(host, gpu, rays, order);
  }
  rays.frame_body = 2, rays.frame_pos = {0.1, 0.2, 0.3}, rays.frame_quat = {0.6, 0.0, 0.8, 0.0};
  rays.hidden_bodies = {2, 3}, rays.cutoff = 1.5;
  expect_same_hits(host, gpu, rays, "from a frame");
  rays.answer = RayAnswer::kDepth;
  expect_same_hits(host, gpu, rays, "depth");
}

INSTANTIATE_TEST_SUITE_P(Both, RaysOnAGpu, testing::Values(Dtype::kFloat64, Dtype::kFloat32), [](const auto& info) {
  return std::string(info.param == Dtype::kFloat64 ? "float64" : "float32");
});

}  // namespace
}  // namespace stiction
