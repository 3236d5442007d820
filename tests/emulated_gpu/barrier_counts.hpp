// The barriers that each kernel passed.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "tests/emulated_gpu/lanes.hpp"

namespace emulated_gpu {

/// The barriers of every kernel; with EMULATED_GPU_BARRIERS=FILE written there in the end, a line each.
class BarrierCounts {
 public:
  ~BarrierCounts() {
    const char* name = std::getenv("EMULATED_GPU_BARRIERS");
    std::FILE* file = name ? std::fopen(name, "w") : nullptr;
    if (!file) return;
    std::fprintf(file, "kernel;blocks;barriers;most\n");
    for (const auto& [kernel, count] : of_)
      std::fprintf(file, "%s;%llu;%llu;%llu\n", kernel.c_str(), count.blocks, count.barriers, count.most);
    std::fclose(file);
  }
  void add(const std::string& kernel, int blocks, const Barriers& passed) {
    Count& count = of_[kernel];
    count.blocks += static_cast<unsigned>(blocks);
    count.barriers += passed.sum;
    count.most = std::max<unsigned long long>(count.most, passed.most);
  }

 private:
  struct Count {
    unsigned long long blocks = 0, barriers = 0, most = 0;
  };
  std::map<std::string, Count> of_;
};

}  // namespace emulated_gpu
