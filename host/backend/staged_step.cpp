#include "host/backend/staged_step.hpp"

#include <chrono>

#include "host/backend/batch_buffers.hpp"
#include "host/backend/capacity.hpp"
#include "host/backend/initial_state.hpp"
#include "host/backend/script_tables.hpp"
#include "host/backend/step_config.hpp"
#include "kernels/launch/host_solvers.hpp"
#include "kernels/launch/run_steps.hpp"

namespace stiction {
namespace {

using Team = HostTeam<PhaseOrder::kForward>;
using Clock = std::chrono::steady_clock;

class StagedStep : public FieldWriter {
 public:
  explicit StagedStep(const Scene& scene)
      : scene_(scene),
        model_(*scene.model),
        buffers_(model_.view(), choose_capacity(scene), 1),
        config_(make_step_config<double>(scene)),
        scratch_(step_scratch_bytes<Team, double>(Team{}, model_.view(), choose_capacity(scene), config_)),
        tables_(scene) {
    tables_.enter(config_);
    restart();
  }

  /// Returns to the scene's start, and sets all times to zero.
  void restart() {
    const int only[] = {0};
    write_initial_state(scene_, 0, only, *this);
    seconds_ = {};
  }

  void step(int steps) {
    for (int s = 0; s < steps; ++s) step_once();
  }
  void write(std::span<const int> ids, std::span<const FieldRows> rows) override { buffers_.write(ids, rows); }

  const std::array<double, kStages>& seconds() const { return seconds_; }

 private:
  template <class F>
  void timed(Stage stage, F f) {
    const auto begin = Clock::now();
    f();
    seconds_[static_cast<std::size_t>(stage)] += std::chrono::duration<double>(Clock::now() - begin).count();
  }

  void step_once() {
    const BatchView<double>& batch = buffers_.view();
    const ModelView<double> model = batch.env_model(0);
    EnvView<double> env = batch.env(0);
    StepSite<double> site{model, &env, batch.capacity, config_, &progress_, &task_};
    step_environment(Team{}, Arena(scratch_.data()), Entry::kCall, site,
                     [&](Stage stage, auto run) { timed(stage, run); });
  }

  const Scene& scene_;
  ModelStorage<double> model_;
  BatchBuffers<double> buffers_;
  StepConfig<double> config_;
  AlignedVector<char> scratch_;
  HostScriptTables<double> tables_;
  StepProgress<double> progress_;  // written by the first stage
  SolveTask task_;
  std::array<double, kStages> seconds_{};
};

}  // namespace

std::array<double, kStages> time_stages(const Scene& scene, int steps) {
  StagedStep staged(scene);
  staged.step(steps);  // the first pass touches its memory for the first time
  staged.restart();
  staged.step(steps);
  std::array<double, kStages> mean = staged.seconds();
  for (double& seconds : mean) seconds /= steps;
  return mean;
}

}  // namespace stiction
