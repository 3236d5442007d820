// Each loop runs three times; the least time counts.
#include <algorithm>
#include <chrono>
#include <iterator>
#include <numeric>
#include <random>

#include "bench/gpu_check/calibration.hpp"
#include "bench/gpu_check/calibration_fetch.cuh"
#include "bench/gpu_check/calibration_kernels.cuh"
#include "kernels/launch/cuda_graph_loop.hpp"
#include "kernels/launch/cuda_memory.hpp"

namespace stiction::gpu_check {
namespace {

constexpr int kRuns = 3;
constexpr std::size_t kEntry = 64;    // ints between two places of a chase: 256 B, two lines
constexpr int kInstructions = 4;      // of a pass of waiting_kernel: an address, a load, a multiplication, an addition
constexpr int kApart = 3;             // warps that run apart: each behind the one before by this part of its code
constexpr int kSolveDoubles = 12800;  // that a solve first touches: 100 KiB

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// How often loops run, and the memory that is larger than every cache.
struct Sizes {
  int passes, links, launches, loop_passes, fetches;
  std::size_t near_bytes, second_bytes, far_bytes;
};
constexpr Sizes kFull = {4096, 1 << 20, 1000, 1000, 8, 16 << 10, 8 << 20, 512 << 20};
constexpr Sizes kSmall = {8, 8, 2, 2, 1, 2 << 10, 4 << 10, 128 << 10};

class Bench {
 public:
  explicit Bench(const Sizes& sizes) : sizes_(sizes), cycles_(1), sink_(1024) {}

  /// Cycles of the fastest run of launch(cycles, sink), for each of `count` passes.
  template <class Launch>
  double cycles_each(int count, Launch launch) const {
    long long least = 0;
    for (int run = 0; run < kRuns; ++run) {
      launch(cycles_.data(), sink_.data());
      long long taken = 0;
      check_cuda(cudaMemcpy(&taken, cycles_.data(), sizeof taken, cudaMemcpyDeviceToHost), "calibrating");
      least = run == 0 ? taken : std::min(least, taken);
    }
    return static_cast<double>(least) / count;
  }

  /// Cycles of a load in a chase through `bytes`; `warm`: through all of them once before.
  double chase(std::size_t bytes, bool warm) const {
    const DeviceArray<int> next(make_chase(bytes));
    const auto places = static_cast<int>(bytes / sizeof(int) / kEntry);
    return cycles_each(sizes_.passes, [&](long long* cycles, double* sink) {
      launch({1, 1}, nullptr, chase_kernel, next.data(), warm ? places : 0, sizes_.passes, cycles, sink);
    });
  }

  /// Places that lead to one another in one random cycle.
  static std::vector<int> make_chase(std::size_t bytes) {
    std::vector<int> order(bytes / sizeof(int) / kEntry);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin() + 1, order.end(), std::mt19937(1));
    std::vector<int> next(order.size() * kEntry);
    for (std::size_t i = 0; i < order.size(); ++i)
      next[static_cast<std::size_t>(order[i]) * kEntry] = order[(i + 1) % order.size()] * static_cast<int>(kEntry);
    return next;
  }

  const Sizes& sizes() const { return sizes_; }

 private:
  Sizes sizes_;
  DeviceArray<long long> cycles_;
  DeviceArray<double> sink_;
};

void add_barriers(const Bench& bench, std::vector<Constant>& found) {
  const int count = bench.sizes().passes;
  const auto measure = [&](int threads, int rows) {
    return bench.cycles_each(count, [&](long long* cycles, double*) {
      launch({.blocks = 1, .threads = threads, .rows = rows}, nullptr, barrier_kernel, count, cycles);
    });
  };
  found.push_back({"BARRIER quarter", measure(8, 4), "cycles", "of 8 threads; four teams of a warp at once"});
  found.push_back({"BARRIER warp", measure(32, 1), "cycles", "of 32 threads"});
  found.push_back({"BARRIER block", measure(64, 1), "cycles", "of 64 threads"});
  found.push_back({"warp reduction",
                   bench.cycles_each(count,
                                     [&](long long* cycles, double* sink) {
                                       launch({1, 32}, nullptr, reduction_kernel, count, cycles, sink);
                                     }),
                   "cycles", "of a double of each of 32 lanes"});
}

void add_loads(const Bench& bench, std::vector<Constant>& found) {
  const Sizes& sizes = bench.sizes();
  found.push_back({"load near", bench.chase(sizes.near_bytes, true), "cycles", "dependent; from the first cache"});
  found.push_back({"load second", bench.chase(sizes.second_bytes, true), "cycles", "dependent; from the second cache"});
  found.push_back({"load far", bench.chase(sizes.far_bytes, false), "cycles", "dependent; from memory"});

  const DeviceArray<int> next(Bench::make_chase(sizes.near_bytes));
  const double waited = bench.cycles_each(sizes.passes, [&](long long* cycles, double* sink) {
    launch({1, 256}, nullptr, waiting_kernel, next.data(), sizes.passes, cycles, sink);
  });
  found.push_back({"IPC", kInstructions / waited, "instructions/cycle",
                   "of a warp that waits for loads from the first cache; two warps a scheduler"});

  const int lines = static_cast<int>(sizes.near_bytes / 128);
  const DeviceArray<double> data(std::vector<double>(sizes.far_bytes / sizeof(double)));
  const int threads = 1024;
  const double each = bench.cycles_each(sizes.passes, [&](long long* cycles, double* sink) {
    launch({1, threads}, nullptr, lines_kernel, data.data(), lines, sizes.passes, cycles, sink);
  });
  found.push_back({"LINES", threads / each, "1/cycle", "lines of 128 B that the load unit of a multiprocessor serves"});

  int run = 0;  // each at another place, which no cache has
  const int doubles = std::min(kSolveDoubles, static_cast<int>(data.size()) / kRuns);
  found.push_back({"COLD",
                   bench.cycles_each(1,
                                     [&](long long* cycles, double* sink) {
                                       const double* place =
                                           data.data() + static_cast<std::size_t>(run++) * (data.size() / kRuns);
                                       launch({1, 32}, nullptr, cold_kernel, place, doubles, cycles, sink);
                                     }),
                   "cycles", "that 100 KiB take more when they are read for the first time"});
}

/// Cycles of an instruction of the first kFetchSizes[size], the mean of `warps` on each of `processors`.
double fetch(int size, int warps, bool apart, int passes, int processors) {
  const int blocks = processors * warps, instructions = kFetchSizes[size] * kInstructionsAKibibyte;
  const DeviceArray<long long> cycles(static_cast<std::size_t>(blocks));
  const DeviceArray<float> sink(32 * cycles.size());
  std::vector<long long> taken(cycles.size());
  double least = 0.0;
  for (int run = 0; run < kRuns; ++run) {
    launch({blocks, 32}, nullptr, fetch_kernel, processors, apart ? instructions / kApart : 0, passes, size, 0.5f,
           cycles.data(), sink.data());
    cycles.download(taken.data(), nullptr);
    check_cuda(cudaDeviceSynchronize(), "calibrating");
    const double sum = std::accumulate(taken.begin(), taken.end(), 0.0);
    least = run == 0 ? sum : std::min(least, sum);
  }
  return least / blocks / passes / instructions;
}

/// What warps wait for their instructions, by the size of the code; those of a multiprocessor run it together, or
/// apart.
void add_fetches(int index, const Bench& bench, std::vector<Constant>& found) {
  int processors = 0;
  check_cuda(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, index),
             "reading the GPU's properties");
  for (std::size_t size = 0; size < std::size(kFetchSizes); ++size)
    for (const int warps : {1, 4, 12})
      for (const bool apart : {false, true}) {
        const std::string name = "FETCH " + std::to_string(kFetchSizes[size]) + " KiB " + std::to_string(warps) +
                                 (warps == 1 ? " warp" : " warps") + (apart ? " apart" : " together");
        if (warps > 1 || !apart)
          found.push_back({name, fetch(static_cast<int>(size), warps, apart, bench.sizes().fetches, processors),
                           "cycles/instruction", "of a warp, in code without a loop"});
      }
}

/// The clock under load, and what follows from it.
void add_clock(const Bench& bench, std::vector<Constant>& found) {
  const int links = bench.sizes().links;
  double seconds = 1e30;
  const double cycles_a_link = bench.cycles_each(links, [&](long long* cycles, double* sink) {
    const Clock::time_point begin = Clock::now();
    launch({1, 1}, nullptr, chain_kernel, links, 0.5, cycles, sink);
    check_cuda(cudaDeviceSynchronize(), "calibrating");
    seconds = std::min(seconds, seconds_since(begin));
  });
  found.push_back({"CLOCK", cycles_a_link * links / seconds, "1/s", "cycles of a multiprocessor that is at work"});
  found.push_back({"multiply-add chain", cycles_a_link, "cycles", "a multiplication and an addition in double"});
}

void add_launches(const Bench& bench, std::vector<Constant>& found) {
  const CudaStream stream;
  const int count = bench.sizes().launches, passes = bench.sizes().loop_passes;
  const auto launch_many = [&](int each) {
    const Clock::time_point begin = Clock::now();
    for (int i = 0; i < count; ++i) {
      launch({1, 1}, stream.get(), empty_kernel);
      if ((i + 1) % each == 0) stream.wait("calibrating");
    }
    stream.wait("calibrating");
    return seconds_since(begin) / count;
  };
  launch_many(count);  // loads the kernel
  found.push_back({"launch", launch_many(count), "s", "of an empty kernel, one of many in a row"});
  found.push_back({"launch and wait", launch_many(1), "s", "of an empty kernel that is waited for"});

  const DeviceArray<int> left(std::vector<int>{0}), again(std::vector<int>{0});
  check_cuda(cudaDeviceSynchronize(), "calibrating");
  const CudaStream recorder;
  const CudaGraph graph(recorder, [&] {
    launch({1, 1}, recorder.get(), pass_kernel, left.data(), again.data());
    record_while(recorder.get(), again.data(), [&](cudaStream_t inside) {
      launch({1, 1}, inside, pass_kernel, left.data(), again.data());
    });
  });
  recorder.wait("calibrating");
  const auto run = [&](int wanted) {
    check_cuda(cudaMemcpy(left.data(), &wanted, sizeof wanted, cudaMemcpyHostToDevice), "calibrating");
    const Clock::time_point begin = Clock::now();
    graph.launch(stream);
    stream.wait("calibrating");
    return seconds_since(begin);
  };
  run(0);
  const double once = run(0), many = run(passes);
  found.push_back({"graph", once, "s", "of a recorded step of two empty kernels, waited for"});
  found.push_back(
      {"graph pass", (many - once) / passes, "s", "of a loop in a graph: an empty kernel and the decision"});
}

}  // namespace

std::vector<Constant> measure_constants(int index, bool small) {
  check_cuda(cudaSetDevice(index), "selecting a GPU");
  const Bench bench(small ? kSmall : kFull);
  std::vector<Constant> found;
  add_clock(bench, found);
  add_barriers(bench, found);
  add_loads(bench, found);
  add_fetches(index, bench, found);
  add_launches(bench, found);
  return found;
}

}  // namespace stiction::gpu_check
