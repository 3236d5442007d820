#include <utility>

#include "host/api/simulator.hpp"
#include "kernels/model/traits.hpp"

namespace stiction {

std::string status_names(std::uint32_t bits) {
  constexpr std::pair<std::uint32_t, const char*> kNames[] = {
#define ST_STATUS(enumerator, name, effect, advice) {status::enumerator, name},
#include "kernels/model/status.inc"
#undef ST_STATUS
  };
  std::string names;
  for (const auto& [bit, name] : kNames)
    if (bits & bit) names += (names.empty() ? "" : ", ") + std::string(name);
  return names.empty() ? "none" : names;
}

}  // namespace stiction
