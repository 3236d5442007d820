// Counter-based random numbers: Philox4x32-10 (Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3").
//
// A number depends on (seed, environment, stream, index) and on nothing else, so that environment k draws the same
// numbers in every batch.
#pragma once

#include <array>
#include <cstdint>

namespace stiction {

using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

/// Ten rounds of the bijection.
PhiloxCounter philox4x32(PhiloxCounter counter, PhiloxKey key);

/// Uniform in [0, 1), 53 bits.
double uniform(std::uint64_t seed, std::uint64_t environment, std::uint32_t stream, std::uint32_t index);

}  // namespace stiction
