// Claim: host and device give the same steps (comparison.hpp) with every dynamics, law, cone and solver that go
// together. A combination that the host itself does not determine is counted, and compared step by step.
#include <algorithm>
#include <iterator>

#include "bench/gpu_check/comparison.hpp"
#include "bench/gpu_check/parts.hpp"

namespace stiction::gpu_check {
namespace {

constexpr int kSmallSteps = 2;

/// Combinations of one solver and precision of its factor on one scene: rows for those that fail or are not determined,
/// then for all.
class Group {
 public:
  Group(const CheckedScene& checked, const Options& options, Dtype dtype, Report& report)
      : checked_(checked), options_(options), dtype_(dtype), report_(report) {}

  void run(const Choices& choices, const Budget& budget) {
    subject_ = comparison_subject("equivalence", checked_, choices, dtype_, options_);
    if (budget.over()) {
      ++skipped_;
      return;
    }
    try {
      const int steps = options_.has_small_sizes() ? kSmallSteps : checked_.steps;
      const Comparison seen = compare(with(checked_.scene, choices), options_, steps, dtype_);
      if (seen.has_failed() || seen.undetermined > 0) report_comparison(subject_, seen, report_);
      all_.join(seen);
      ++compared_;
    } catch (const InputError& error) {
      report_.skipped(subject_, "difference over its tolerance", error.what());
    }
  }

  void finish() {
    subject_.dynamics = subject_.law = subject_.cone = "all";
    if (compared_ > 0) {
      report_comparison(subject_, all_, report_);
      report_.measured(subject_, "combinations", compared_, "-");
      report_.measured(subject_, "environments", all_.environments, "-");
      report_.measured(subject_, "environments that the host did not solve", all_.unsolved, "-");
    }
    if (skipped_ > 0)
      report_.skipped(subject_, "difference over its tolerance",
                      std::to_string(skipped_) + " combinations: out of time");
  }

 private:
  const CheckedScene& checked_;
  const Options& options_;
  Dtype dtype_;
  Report& report_;
  Subject subject_;
  Comparison all_;
  int compared_ = 0, skipped_ = 0;
};

/// Small sizes leave the other dynamics, laws and cones to the small scenes; steps that seek their end do not go with
/// all of them.
bool is_wanted(const CheckedScene& checked, const Choices& c, const Options& options) {
  const PhysicsConfig& own = checked.scene.physics;
  return (!options.has_small_sizes() && !seeks_end(own)) || checked.every_law ||
         (c.dynamics == own.dynamics && c.law == own.law && c.cone == own.cone);
}

}  // namespace

void check_equivalence(const Task& task) {
  const std::vector<Choices> choices = every_choice();
  const CheckedScene checked = checked_scene(task.options.scenes, task.piece);
  auto left = static_cast<double>(std::size(kEveryDtype) * choices.size());
  for (const Dtype dtype : kEveryDtype)
    for (auto first = choices.begin(); first != choices.end();) {
      const auto last = std::find_if(first, choices.end(), [&](const Choices& c) {
        return c.solver != first->solver || c.factor != first->factor;
      });
      const auto count = static_cast<double>(last - first);
      const Budget share(task.budget.left() * count / left);  // every solver has some
      left -= count;
      Group group(checked, task.options, dtype, task.report);
      for (; first != last; ++first)
        if (is_wanted(checked, *first, task.options)) group.run(*first, share);
      group.finish();
    }
}

}  // namespace stiction::gpu_check
