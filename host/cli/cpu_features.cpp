// Compiled for the most basic processor of the architecture. It uses no templates of the standard library: the program
// has only one copy of each, which may come from a unit that needs more.
#include "host/cli/cpu_features.hpp"

#ifdef __x86_64__
#include <cpuid.h>
#endif

#include <cstring>

#include "host/cli/compiled_features.hpp"

namespace stiction {
namespace {

#ifdef __x86_64__
enum Register : unsigned char { kEbx, kEcx };
constexpr unsigned kAvxState = 0x6, kAvx512State = 0xe6;  // registers that the system has to save (XCR0)

/// Where cpuid reports a feature. It is asked directly, as a compiler's own runtime may answer no to everything.
struct Place {
  const char* name;
  unsigned leaf;
  Register in;
  unsigned bit;
  unsigned state;  // needed of XCR0
};
constexpr Place kPlaces[] = {
    {"sse4.2", 1, kEcx, 20, 0},
    {"movbe", 1, kEcx, 22, 0},
    {"popcnt", 1, kEcx, 23, 0},
    {"avx", 1, kEcx, 28, kAvxState},
    {"f16c", 1, kEcx, 29, kAvxState},
    {"fma", 1, kEcx, 12, kAvxState},
    {"bmi", 7, kEbx, 3, 0},
    {"avx2", 7, kEbx, 5, kAvxState},
    {"bmi2", 7, kEbx, 8, 0},
    {"avx512f", 7, kEbx, 16, kAvx512State},
    {"avx512dq", 7, kEbx, 17, kAvx512State},
    {"avx512cd", 7, kEbx, 28, kAvx512State},
    {"avx512bw", 7, kEbx, 30, kAvx512State},
    {"avx512vl", 7, kEbx, 31, kAvx512State},
    {"lzcnt", 0x80000001, kEcx, 5, 0},
};

/// XCR0: which registers the system saves; 0 where it says nothing.
unsigned saved_state() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kOsxsave = 1u << 27;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & kOsxsave)) return 0;
  unsigned low = 0, high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

bool is_present(const Place& place) {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid_count(place.leaf, 0, &a, &b, &c, &d)) return false;
  const unsigned bits = place.in == kEbx ? b : c;
  return (bits >> place.bit & 1u) != 0 && (saved_state() & place.state) == place.state;
}
#endif

bool is_present(const char* name) {
#ifdef __x86_64__
  for (const Place& place : kPlaces)
    if (std::strcmp(name, place.name) == 0) return is_present(place);
#endif
  static_cast<void>(name);
  return false;
}

}  // namespace

int required_cpu_features(CpuFeature (&features)[kMaxCpuFeatures]) {
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
