#include "python/core/interruptible_steps.hpp"

#include <algorithm>
#include <chrono>

#include "host/api/status_sum.hpp"

namespace stiction::python {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kPiece = 0.05;  // [s]: a fourth of what a person takes for an answer at once
constexpr int kGrowth = 4;       // a piece has at most this times the steps of the last

/// The steps of the next piece, after one of `steps` that took `seconds`.
int next_piece(int steps, double seconds) {
  const double wanted = steps * std::clamp(kPiece / std::max(seconds, 1e-9), 0.0, double{kGrowth});
  return static_cast<int>(std::clamp(wanted, 1.0, 1e9));
}

}  // namespace

void step_in_pieces(Simulator& simulator, int steps, const std::function<void()>& between) {
  if (steps < 1) simulator.enqueue_step(steps);  // which refuses it
  StatusSum status;
  for (int done = 0, piece = 1; done < steps;) {
    const int now = std::min(piece, steps - done);
    const Clock::time_point begun = Clock::now();
    simulator.enqueue_step(now);
    simulator.wait();
    piece = next_piece(now, std::chrono::duration<double>(Clock::now() - begun).count());
    done += now;
    if (steps > now) status.add(simulator);
    if (done < steps) between();
  }
}

}  // namespace stiction::python
