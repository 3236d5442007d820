// The dynamics of the registry, for tests that run with each of them.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "kernels/model/types.hpp"

namespace stiction::test {

constexpr Dynamics kEveryDynamics[] = {
#define ST_DYNAMICS(enumerator, name, ...) Dynamics::enumerator,
#include "kernels/dynamics/dynamics.inc"
#undef ST_DYNAMICS
};

inline std::string dynamics_name(const testing::TestParamInfo<Dynamics>& info) {
  switch (info.param) {
#define ST_DYNAMICS(enumerator, name, ...) \
  case Dynamics::enumerator:               \
    return name;
#include "kernels/dynamics/dynamics.inc"
#undef ST_DYNAMICS
  }
  return "";
}

}  // namespace stiction::test
