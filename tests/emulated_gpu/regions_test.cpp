// Claims: contact regions have the same bits on a GPU as on the host, in every order of its threads, and so does what
// the contacts of a state look like before a step.
#include "tests/emulated_gpu/host_bits.hpp"
#include "tests/step/touching_pieces.hpp"

namespace stiction {
namespace {

class RegionsOnTheGpu : public NoFaults, public testing::TestWithParam<Dtype> {};

TEST_P(RegionsOnTheGpu, HaveTheBitsOfTheHostInEveryOrder) {
  SimulatorOptions options;
  options.batch = 3;
  options.dtype = GetParam();
  options.solve_threads = 32;
  const Scene scene = test::touching_pieces();
  Simulator host(scene, options);
  host.forward();
  host.step(3);
  options.device = "cuda";
  for (const char* order : {"forward", "backward", "shuffled"}) {
    setenv("EMULATED_GPU_ORDER", order, 1);
    Simulator gpu(scene, options);
    gpu.forward();
    gpu.step(3);
    expect_same_bits(host, gpu, order);
  }
}

INSTANTIATE_TEST_SUITE_P(EveryDtype, RegionsOnTheGpu, testing::Values(Dtype::kFloat64, Dtype::kFloat32));

}  // namespace
}  // namespace stiction
