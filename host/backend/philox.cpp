#include "host/backend/philox.hpp"

namespace stiction {

PhiloxCounter philox4x32(PhiloxCounter counter, PhiloxKey key) {
  constexpr std::uint64_t kMultiply0 = 0xD2511F53u, kMultiply1 = 0xCD9E8D57u;
  constexpr std::uint32_t kBump0 = 0x9E3779B9u, kBump1 = 0xBB67AE85u;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = kMultiply0 * counter[0], product1 = kMultiply1 * counter[2];
    const auto high0 = static_cast<std::uint32_t>(product0 >> 32), low0 = static_cast<std::uint32_t>(product0);
    const auto high1 = static_cast<std::uint32_t>(product1 >> 32), low1 = static_cast<std::uint32_t>(product1);
    counter = {high1 ^ counter[1] ^ key[0], low1, high0 ^ counter[3] ^ key[1], low0};
    key = {key[0] + kBump0, key[1] + kBump1};
  }
  return counter;
}

double uniform(std::uint64_t seed, std::uint64_t environment, std::uint32_t stream, std::uint32_t index) {
  const PhiloxCounter drawn = philox4x32(
      {static_cast<std::uint32_t>(environment), static_cast<std::uint32_t>(environment >> 32), stream, index},
      {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  const std::uint64_t bits = (static_cast<std::uint64_t>(drawn[0]) << 32 | drawn[1]) >> 11;
  return static_cast<double>(bits) * 0x1.0p-53;
}

}  // namespace stiction
