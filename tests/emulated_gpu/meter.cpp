#include "tests/emulated_gpu/meter.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace emulated_gpu {
namespace {

constexpr std::size_t kLine = 128, kSector = 32, kWidestLoad = 16;
constexpr int kWarp = 32;

/// Sums over all launches of a kernel.
struct Counts {
  int threads = 0;
  std::uint64_t launches = 0, blocks = 0, barriers = 0, most_barriers = 0;
  std::uint64_t longest = 0, loads = 0, warp_loads = 0, lines = 0, needed = 0, asked = 0, read = 0, written = 0;
  std::size_t shared = 0;
};

/// What a warp load touches: lines, and different addresses with the sum of their bytes.
struct Touched {
  std::vector<std::uintptr_t> lines, addresses;
  std::size_t bytes = 0;
};

/// True if `value` was not among the values, which it joins.
bool joins(std::uintptr_t value, std::vector<std::uintptr_t>& values) {
  if (std::find(values.begin(), values.end(), value) != values.end()) return false;
  values.push_back(value);
  return true;
}

/// A load that the lanes of a warp issue together.
struct WarpLoad {
  const void* instruction;
  std::uint32_t turn;  // how many of this instruction the lane had issued in the interval
  bool operator==(const WarpLoad&) const = default;
};
struct HashOfLoad {
  std::size_t operator()(const WarpLoad& load) const {
    return reinterpret_cast<std::size_t>(load.instruction) * 0x9e3779b97f4a7c15u ^ load.turn * 0xc2b2ae3d27d4eb4fu;
  }
};

class Meter {
 public:
  ~Meter() {
    const char* name = std::getenv("EMULATED_GPU_METER");
    std::FILE* file = name ? std::fopen(name, "w") : nullptr;
    if (!file) return;
    std::fprintf(
        file,
        "kernel;threads;launches;blocks;barriers;most_barriers;longest;loads;warp_loads;lines;needed;asked;read;"
        "written;shared\n");
    for (const auto& [kernel, c] : of_)
      std::fprintf(file, "%s;%d;%lu;%lu;%lu;%lu;%lu;%lu;%lu;%lu;%lu;%lu;%lu;%lu;%zu\n", kernel.c_str(), c.threads,
                   c.launches, c.blocks, c.barriers, c.most_barriers, c.longest, c.loads, c.warp_loads, c.lines,
                   c.needed, c.asked, c.read, c.written, c.shared);
    std::fclose(file);
  }

  void begin_kernel(const std::string& name, int threads, std::size_t shared_bytes) {
    now_ = &of_[name];
    ++now_->launches;
    now_->threads = threads;
    now_->shared = std::max(now_->shared, shared_bytes);
  }

  void begin_block() {
    ++now_->blocks;
    read_.clear(), written_.clear();
  }

  void add(int thread, const Metered& access) {
    if (!access.shared) touch_sectors(access);
    if (access.writes) return;
    std::vector<Metered>& loads = loads_of(thread);
    for (std::size_t from = 0; from < access.bytes; from += kWidestLoad)
      loads.push_back(
          {access.instruction, access.at + from, std::min(kWidestLoad, access.bytes - from), false, access.shared});
  }

  void end_interval(const std::vector<int>& team) {
    std::size_t longest = 0;
    for (const int t : team) longest = std::max(longest, loads_of(t).size());
    now_->longest += longest;
    if (longest == 0) return;
    for (std::size_t first = 0; first < team.size();) {
      const int warp = team[first] / kWarp;
      std::size_t last = first;
      while (last < team.size() && team[last] / kWarp == warp) ++last;
      add_warp(team, first, last);
      first = last;
    }
    for (const int t : team) loads_of(t).clear();
  }

  void add_barriers(std::uint64_t sum, std::uint64_t most) {
    now_->barriers += sum;
    now_->most_barriers = std::max(now_->most_barriers, most);
  }

 private:
  std::vector<Metered>& loads_of(int thread) {
    const auto t = static_cast<std::size_t>(thread);
    if (loads_.size() <= t) loads_.resize(t + 1);
    return loads_[t];
  }

  void touch_sectors(const Metered& access) {
    auto& touched = access.writes ? written_ : read_;
    std::uint64_t& count = access.writes ? now_->written : now_->read;
    const auto begin = reinterpret_cast<std::uintptr_t>(access.at);
    for (std::uintptr_t s = begin / kSector; s <= (begin + access.bytes - 1) / kSector; ++s)
      count += touched.insert(s).second && (access.writes || !written_.contains(s)) ? 1 : 0;
  }

  /// The lanes team[first] to team[last − 1] of one warp.
  void add_warp(const std::vector<int>& team, std::size_t first, std::size_t last) {
    together_.clear();
    for (std::size_t k = first; k < last; ++k) {
      turns_.clear();
      for (const Metered& load : loads_of(team[k])) {
        now_->loads += 1;
        Touched& touched = together_[{load.instruction, turns_[load.instruction]++}];
        if (load.shared) continue;
        now_->asked += load.bytes;
        const auto begin = reinterpret_cast<std::uintptr_t>(load.at);
        for (std::uintptr_t line = begin / kLine; line <= (begin + load.bytes - 1) / kLine; ++line)
          joins(line, touched.lines);
        if (joins(begin, touched.addresses)) touched.bytes += load.bytes;
      }
    }
    now_->warp_loads += together_.size();
    for (const auto& [load, touched] : together_) {
      now_->lines += touched.lines.size();
      now_->needed += (touched.bytes + kLine - 1) / kLine;
    }
  }

  std::map<std::string, Counts> of_;
  Counts* now_ = nullptr;
  std::vector<std::vector<Metered>> loads_;  // of every thread of the block since its last barrier
  std::unordered_set<std::uintptr_t> read_, written_;
  std::unordered_map<WarpLoad, Touched, HashOfLoad> together_;
  std::unordered_map<const void*, std::uint32_t> turns_;
};

Meter meter;

}  // namespace

bool is_metered() {
  static const bool asked = std::getenv("EMULATED_GPU_METER") != nullptr;
  return asked;
}

void meter_kernel(const std::string& name, int threads, std::size_t shared_bytes) {
  if (is_metered()) meter.begin_kernel(name, threads, shared_bytes);
}
void meter_block() {
  if (is_metered()) meter.begin_block();
}
void meter_access(int thread, const Metered& access) {
  if (is_metered()) meter.add(thread, access);
}
void meter_interval(const std::vector<int>& team) {
  if (is_metered()) meter.end_interval(team);
}
void meter_barriers(std::uint64_t sum, std::uint64_t most) {
  if (is_metered()) meter.add_barriers(sum, most);
}

}  // namespace emulated_gpu
