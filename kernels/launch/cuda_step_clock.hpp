// Seconds of every kernel of a step, by events in its stream: for measurements only, a step that is not timed has none.
#pragma once

#include <array>
#include <iterator>
#include <vector>

#include "kernels/launch/cuda_check.hpp"

namespace stiction {

/// The kernels of a step (kernels/launch/phases.hpp), in the order of their first launch.
enum class StepKernel { kPrepare, kCollide, kTask, kSolve, kExplain, kJudge, kAdvance, kReport };
constexpr const char* kStepKernelNames[] = {"prepare", "collide", "task",    "solve",
                                            "explain", "judge",   "advance", "report"};
constexpr std::size_t kStepKernels = std::size(kStepKernelNames);

class StepClock {
 public:
  StepClock() = default;
  ~StepClock() {
    for (const Mark& mark : marks_) cudaEventDestroy(mark.event);
  }
  StepClock(const StepClock&) = delete;
  StepClock& operator=(const StepClock&) = delete;

  /// Before the first kernel.
  void start(cudaStream_t stream) { record(StepKernel::kPrepare, stream); }
  /// After `kernel` was enqueued.
  void mark(StepKernel kernel, cudaStream_t stream) { record(kernel, stream); }

  /// Seconds of each kernel, over all its launches; waits for the last of them.
  std::array<double, kStepKernels> seconds() const {
    std::array<double, kStepKernels> sum{};
    if (marks_.empty()) return sum;
    check_cuda(cudaEventSynchronize(marks_.back().event), "timing a step");
    for (std::size_t i = 1; i < marks_.size(); ++i) {
      float milliseconds = 0.0f;
      check_cuda(cudaEventElapsedTime(&milliseconds, marks_[i - 1].event, marks_[i].event), "timing a kernel");
      sum[static_cast<std::size_t>(marks_[i].kernel)] += 1e-3 * static_cast<double>(milliseconds);
    }
    return sum;
  }

 private:
  struct Mark {
    StepKernel kernel;  // that ended here; of the first mark: none
    cudaEvent_t event;
  };

  void record(StepKernel kernel, cudaStream_t stream) {
    Mark mark{kernel, nullptr};
    check_cuda(cudaEventCreate(&mark.event), "making an event");
    marks_.push_back(mark);
    check_cuda(cudaEventRecord(mark.event, stream), "recording an event");
  }

  std::vector<Mark> marks_;
};

}  // namespace stiction
