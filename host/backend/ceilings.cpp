// Copy bandwidth: 128 MiB are read once and written once; best of six runs.
// Multiply-adds: independent chains that fill the vector registers of every thread; best of six runs.
#include "host/backend/ceilings.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "host/backend/thread_pool.hpp"

namespace stiction {
namespace {

constexpr int kRuns = 6;
constexpr std::size_t kCopied = std::size_t{128} << 20;  // bytes

#if defined(__AVX512F__)
constexpr int kLanes = 8;  // doubles of a vector
#elif defined(__AVX__)
constexpr int kLanes = 4;
#else
constexpr int kLanes = 2;
#endif
constexpr int kVectors = 10;  // fills two units with a latency of 4 to 5 cycles, and leaves registers for the rest
constexpr int kChains = kVectors * kLanes, kLinks = 1 << 20;

double multiply_add(double a, double b, double c) {
#if defined(__FMA__)
  return std::fma(a, b, c);
#else
  return a * b + c;  // what a processor without fused multiply-adds does instead
#endif
}

/// Runs kChains · kLinks multiply-adds. Returns a value that depends on all of them, so that none is optimised away.
double run_chains(double factor) {
  double chain[kChains];
  for (int c = 0; c < kChains; ++c) chain[c] = c;
  for (int link = 0; link < kLinks; ++link)
    for (int c = 0; c < kChains; ++c) chain[c] = multiply_add(chain[c], factor, 1.0);
  double sum = 0.0;
  for (int c = 0; c < kChains; ++c) sum += chain[c];
  return sum;
}

/// Seconds of the fastest of kRuns runs of `work(thread)` on all threads.
template <class Work>
double best_seconds(ThreadPool& pool, Work work) {
  using Clock = std::chrono::steady_clock;
  double best = std::numeric_limits<double>::infinity();
  for (int run = 0; run < kRuns; ++run) {
    const auto begin = Clock::now();
    pool.run(pool.size(), [&](int item, int) { work(static_cast<std::size_t>(item)); });
    best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return best;
}

}  // namespace

Ceilings measure_host_ceilings(int threads) {
  ThreadPool pool(threads);
  const auto count = static_cast<std::size_t>(threads);
  Ceilings ceilings{};
  {
    const std::size_t share = kCopied / count;
    std::vector<char> from(share * count, 1), to(share * count, 2);
    const double seconds =
        best_seconds(pool, [&](std::size_t i) { std::memcpy(to.data() + i * share, from.data() + i * share, share); });
    ceilings.copy_bytes = 2.0 * static_cast<double>(share * count) / seconds;
  }
  std::vector<double> sums(count);
  volatile double factor = 0.5;  // not known to the compiler
  const double seconds = best_seconds(pool, [&](std::size_t i) { sums[i] += run_chains(factor); });
  ceilings.multiply_adds = static_cast<double>(kChains) * kLinks * static_cast<double>(count) / seconds;
  return ceilings;
}

}  // namespace stiction
