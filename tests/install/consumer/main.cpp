#include <algorithm>
#include <cstdio>

#include "host/api/simulator.hpp"

int main(int argc, char** argv) {
  const stiction::Scene scene = stiction::load_scene(argc > 1 ? argv[1] : "scenes/iiwa_stack");
  stiction::Simulator simulator(scene, {.batch = 64});

  const auto status = simulator.step(10);  // bits of every environment, OR-ed over ten steps
  const auto failed = std::ranges::count_if(status, [](auto bits) { return (bits & stiction::status::kFailed) != 0; });
  const stiction::StepStats stats = simulator.stats();
  std::printf("%zu environments, %td failed, worst residual %.1e\n", status.size(), failed,
              *std::ranges::max_element(stats.residual));
  return failed == 0 ? 0 : 1;
}
