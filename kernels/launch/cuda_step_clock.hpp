// Seconds of every stage of a step, by events in its stream. This is for measurements only; a step that is not timed
// has no events.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "kernels/launch/cuda_check.hpp"
#include "kernels/step/stages.hpp"

namespace stiction {

class StepClock {
 public:
  StepClock() = default;
  ~StepClock() {
    for (const Mark& mark : marks_) cudaEventDestroy(mark.event);
  }
  StepClock(const StepClock&) = delete;
  StepClock& operator=(const StepClock&) = delete;

  /// To be called before the first kernel, and wherever the host kept the next kernel waiting.
  void start(cudaStream_t stream) { record({}, stream); }
  /// To be called after a stage has been enqueued.
  void mark(Stage stage, cudaStream_t stream) { record(stage, stream); }

  /// Seconds and launches of one stage.
  struct Sum {
    double seconds = 0.0;
    int launches = 0;
  };
  /// The sums of every stage; waits for the last kernel.
  std::array<Sum, kStages> sums() const {
    std::array<Sum, kStages> sums{};
    if (marks_.empty()) return sums;
    check_cuda(cudaEventSynchronize(marks_.back().event), "timing a step");
    for (std::size_t i = 1; i < marks_.size(); ++i) {
      if (!marks_[i].stage) continue;
      float milliseconds = 0.0f;
      check_cuda(cudaEventElapsedTime(&milliseconds, marks_[i - 1].event, marks_[i].event), "timing a kernel");
      Sum& sum = sums[static_cast<std::size_t>(*marks_[i].stage)];
      sum.seconds += 1e-3 * static_cast<double>(milliseconds);
      ++sum.launches;
    }
    return sums;
  }

 private:
  struct Mark {
    std::optional<Stage> stage;  // the stage that ended here; none for a start
    cudaEvent_t event;
  };

  void record(std::optional<Stage> stage, cudaStream_t stream) {
    Mark mark{stage, nullptr};
    check_cuda(cudaEventCreate(&mark.event), "making an event");
    marks_.push_back(mark);
    check_cuda(cudaEventRecord(mark.event, stream), "recording an event");
  }

  std::vector<Mark> marks_;
};

}  // namespace stiction
