// How tests hold the emulated GPU to the bits of a host.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>

#include "host/api/simulator.hpp"
#include "tests/emulated_gpu/faults.hpp"
#include "tests/step/pushed_boxes.hpp"

namespace stiction {

/// Holds every array of two simulators against each other, as bits.
inline void expect_same_bits(const Simulator& host, const Simulator& gpu, const std::string& what) {
  for (std::size_t f = 0; f < kEnvFields; ++f) {
    const auto field = static_cast<EnvField>(f);
    EXPECT_TRUE(test::same_bits(host.read(field), gpu.read(field))) << what << ", field " << f;
  }
}

/// Faults of a test are its own.
class NoFaults {
 protected:
  ~NoFaults() {
    unsetenv("EMULATED_GPU_ORDER");
    EXPECT_EQ(emulated_gpu::take_faults(), 0);
  }
};

}  // namespace stiction
