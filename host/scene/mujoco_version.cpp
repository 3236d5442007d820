#include "host/scene/mujoco_version.hpp"

#include "host/scene/mujoco_functions.hpp"

namespace stiction {

MujocoVersion mujoco_version() {
  // mjVERSION_HEADER is major * 1000000 + minor * 1000 + patch
  const auto part = [](int number, int divisor) { return std::to_string(number / divisor % 1000); };
  const int header = mjVERSION_HEADER;
  return {part(header, 1000000) + "." + part(header, 1000) + "." + part(header, 1), mj_versionString()};
}

}  // namespace stiction
