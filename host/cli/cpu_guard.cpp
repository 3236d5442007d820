// Stops the program with one line, before anything else runs, on a processor that it was not compiled for. In a wheel
// it is in the library, and stops an interpreter too whose package could not tell (python/stiction/processor.py).
#include <unistd.h>

#include <cstring>

#include "host/cli/cpu_features.hpp"
#include "host/cli/exit_code.hpp"

namespace stiction {
namespace {

void print(const char* text) {
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0) _exit(kBadInput);
}

// 101: the first priority that programs may use; static objects of other units are constructed later
__attribute__((constructor(101))) void check_processor() {
  CpuFeature features[kMaxCpuFeatures];
  const int count = required_cpu_features(features);
  const char* missing = find_missing_feature(features, count);
  if (!missing) return;
  print("stiction: this processor lacks ");
  print(missing);
  print(": build with -DSTICTION_ARCH=x86-64 for it\n");
  _exit(kBadInput);
}

}  // namespace
}  // namespace stiction
