// The processor features that the program's machine code needs.
#pragma once

namespace stiction {

struct CpuFeature {
  const char* name;
  bool present;  // present on this processor
};

constexpr int kMaxCpuFeatures = 32;

/// Fills `features` with the features that the rooms were compiled for and returns their number. Runs on every
/// processor.
int required_cpu_features(CpuFeature (&features)[kMaxCpuFeatures]);

/// The first feature that is not present; null if the program can run.
const char* find_missing_feature(const CpuFeature* features, int count);

}  // namespace stiction
