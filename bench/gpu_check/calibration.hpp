// Times of what the kernels are made of, each by a small loop of its own: the constants of bench/gpu_model.py, under
// its names, and what they follow from.
#pragma once

#include <string>
#include <vector>

namespace stiction::gpu_check {

struct Constant {
  std::string name;
  double value;
  std::string unit, meaning;
};

/// Measures GPU `index`; `small`: few repetitions and little memory, for a GPU that is emulated. Throws if there is
/// none.
std::vector<Constant> measure_constants(int index, bool small);

}  // namespace stiction::gpu_check
