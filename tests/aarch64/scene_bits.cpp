// Steps one environment of a scene and prints the bits of its configuration after every step (scripts/aarch64).
//
//   scene_bits SCENE STEPS
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "host/api/simulator.hpp"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: scene_bits SCENE STEPS\n", stderr);
    return 2;
  }
  try {
    stiction::Simulator simulator(stiction::load_scene(argv[1]), {.batch = 1});
    for (int step = 0; step < std::atoi(argv[2]); ++step) {
      simulator.step();
      for (const double q : simulator.qpos()) std::printf("%a ", q);
      std::printf("\n");
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "scene_bits: %s\n", error.what());
    return 2;
  }
}
