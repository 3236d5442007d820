#include "host/cli/versions.hpp"

#include "host/record/hdf5_handle.hpp"
#include "host/scene/mujoco_version.hpp"

namespace stiction {
namespace {

std::string compiler_version() {
#ifdef __clang__
  return __VERSION__;
#else
  return "GCC " __VERSION__;
#endif
}

}  // namespace

std::string stiction_version() { return STICTION_VERSION; }

std::vector<std::pair<std::string, std::string>> program_versions() {
  return {{"stiction", stiction_version()},
          {"compiler", compiler_version()},
          {"mujoco", mujoco_version().library},
          {"hdf5", hdf5_version()}};
}

}  // namespace stiction
