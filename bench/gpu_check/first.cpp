// Claim: host and device give the same steps of the scene as it is (comparison.hpp). It comes before what takes long:
// if it fails, speeds are to be read with care.
#include "bench/gpu_check/comparison.hpp"
#include "bench/gpu_check/parts.hpp"

namespace stiction::gpu_check {
namespace {

constexpr int kSteps = 20, kSmallSteps = 2;

}  // namespace

void compare_at_first(const Task& task) {
  const CheckedScene scene{task.piece, load_scene(task.options.scenes + "/" + task.piece), kSteps, false};
  const Choices own = choices_of(scene.scene);
  const int steps = task.options.has_small_sizes() ? kSmallSteps : scene.steps;
  report_comparison(comparison_subject("first", scene, own, Dtype::kFloat64, task.options),
                    compare(scene.scene, task.options, steps, Dtype::kFloat64), task.report);
}

}  // namespace stiction::gpu_check
