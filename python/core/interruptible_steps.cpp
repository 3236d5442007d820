#include "python/core/interruptible_steps.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <vector>

#include "host/backend/cuda_backend.hpp"
#include "kernels/model/types.hpp"

namespace stiction::python {
namespace {

using Bits = std::vector<std::uint32_t>;
using Clock = std::chrono::steady_clock;

constexpr double kPiece = 0.05;  // [s]: a fourth of what a person takes for an answer at once
constexpr int kGrowth = 4;       // a piece has at most this times the steps of the last

std::uint32_t both(std::uint32_t before, std::uint32_t after) {
  const std::uint32_t failed = (before | after) & ~status::kConverged;
  return failed | (before & after & status::kConverged);
}

/// Adds what the steps before the last piece said to the status in the simulator's memory.
void add_to_status(Simulator& simulator, Bits& so_far) {
  const std::span<const std::uint32_t> last = simulator.status();
  if (so_far.empty()) return so_far.assign(last.begin(), last.end());
  std::transform(last.begin(), last.end(), so_far.begin(), so_far.begin(), both);
  const FieldMemory memory = simulator.memory(EnvField::status);
  const std::size_t bytes = so_far.size() * sizeof(std::uint32_t);
  if (memory.cuda_device >= 0)
    copy_to_cuda(memory.cuda_device, memory.data, bytes, so_far.data());
  else
    std::memcpy(memory.data, so_far.data(), bytes);
}

/// The steps of the next piece, after one of `steps` that took `seconds`.
int next_piece(int steps, double seconds) {
  const double wanted = steps * std::clamp(kPiece / std::max(seconds, 1e-9), 0.0, double{kGrowth});
  return static_cast<int>(std::clamp(wanted, 1.0, 1e9));
}

}  // namespace

void step_in_pieces(Simulator& simulator, int steps, const std::function<void()>& between) {
  if (steps < 1) simulator.enqueue_step(steps);  // which refuses it
  Bits so_far;
  for (int done = 0, piece = 1; done < steps;) {
    const int now = std::min(piece, steps - done);
    const Clock::time_point begun = Clock::now();
    simulator.enqueue_step(now);
    simulator.wait();
    piece = next_piece(now, std::chrono::duration<double>(Clock::now() - begun).count());
    done += now;
    if (steps > now) add_to_status(simulator, so_far);
    if (done < steps) between();
  }
}

}  // namespace stiction::python
