// Compiled for the most basic processor of the architecture. It uses no templates of the standard library: the program
// has only one copy of each, which may come from a unit that needs more.
#include "host/cli/cpu_features.hpp"

#include <cstring>

#include "host/cli/compiled_features.hpp"

namespace stiction {
namespace {

bool is_present(const char* name) {
#ifdef __x86_64__
#define ST_FEATURE(feature) \
  if (std::strcmp(name, feature) == 0) return __builtin_cpu_supports(feature) != 0;
  ST_FEATURE("sse4.2")
  ST_FEATURE("popcnt")
  ST_FEATURE("avx")
  ST_FEATURE("avx2")
  ST_FEATURE("bmi")
  ST_FEATURE("bmi2")
  ST_FEATURE("lzcnt")
  ST_FEATURE("movbe")
  ST_FEATURE("f16c")
  ST_FEATURE("fma")
  ST_FEATURE("avx512f")
  ST_FEATURE("avx512bw")
  ST_FEATURE("avx512cd")
  ST_FEATURE("avx512dq")
  ST_FEATURE("avx512vl")
#undef ST_FEATURE
#endif
  static_cast<void>(name);
  return false;
}

}  // namespace

int required_cpu_features(CpuFeature (&features)[kMaxCpuFeatures]) {
#ifdef __x86_64__
  __builtin_cpu_init();
#endif
  int count = 0;
  for (; kCompiledFeatures[count]; ++count)
    features[count] = {kCompiledFeatures[count], is_present(kCompiledFeatures[count])};
  return count;
}

const char* find_missing_feature(const CpuFeature* features, int count) {
  for (int i = 0; i < count; ++i)
    if (!features[i].present) return features[i].name;
  return nullptr;
}

}  // namespace stiction
