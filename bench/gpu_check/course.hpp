// States along a scene's course, which few environments reach once and any batch is then put into: every batch size is
// timed on the same steps, and none waits until its own environments get there.
//
//   lock-step    all environments are at the same step of the course, as when all start together
//   scattered    they are at steps spread over the course, as where each is reset by itself, in learning for example
//
// A batch of more environments repeats those of the states.
#pragma once

#include <string>
#include <vector>

#include "bench/gpu_check/plan.hpp"
#include "host/backend/backend.hpp"

namespace stiction::gpu_check {

/// All that the next steps of some environments depend on.
struct States {
  int environments = 0;
  std::vector<std::vector<double>> values;  // by field (environments, length)
};

/// Those of a batch of `environments` as it is now.
States read_states(const Backend& batch, int environments);

/// Where in the course the steps are that are timed.
struct Window {
  const char* name;
  double place;  // share of the course
};
inline constexpr Window kWindows[] = {{"early", 0.3}, {"middle", 0.55}, {"late", 0.8}};
inline constexpr const Window& kMiddle = kWindows[1];

struct Course {
  struct LockStep {
    const Window* window;
    int first;  // the step that comes next
    States states;
  };
  int timed_steps;  // of a window, and of scattered states
  std::vector<LockStep> windows;
  States scattered;  // no environments if not asked for
};

/// Which states are wanted: those of one window, or of all windows and scattered ones.
enum class CourseParts { kMiddle, kAll };

/// Steps a small batch through the course of `scene`, in double, on `device`; empty: that which is checked.
Course follow_course(const Scene& scene, CourseParts parts, const Options& options, const std::string& device = {});

/// Puts every environment of `batch`, which has `count`, into one of the states.
void place(const States& states, int count, Backend& batch);

}  // namespace stiction::gpu_check
