// Claim: stages that are launched for all environments one after the other, as on a GPU, do what a host does that steps
// one environment after the other, bit for bit.
#include <gtest/gtest.h>

#include "host/backend/capacity.hpp"
#include "host/backend/host_backend.hpp"
#include "host/backend/initial_state.hpp"
#include "kernels/launch/run_steps.hpp"
#include "tests/step/pushed_boxes.hpp"
#include "tests/support/every_dynamics.hpp"

namespace stiction {
namespace {

using Team = HostTeam<PhaseOrder::kForward>;
constexpr int kEnvs = 5, kEveryId[kEnvs] = {0, 1, 2, 3, 4};

/// Runs every stage for all environments before the next, as the GPU does.
template <class Real>
class StagedBackend {
 public:
  StagedBackend(const Scene& scene, const Capacity& capacity, bool near)
      : model_(*scene.model),
        buffers_(model_.view(), capacity, kEnvs),
        config_(make_step_config<Real>(scene)),
        stride_(step_scratch_bytes<Team, Real>(Team{}, model_.view(), capacity, config_)),
        scratch_(kEnvs, AlignedVector<char>(stride_)),
        progress_(kEnvs),
        tasks_(kEnvs),
        tables_(scene) {
    tables_.enter(config_);
    const SolverCapacity solver = solver_capacity(model_.view(), capacity, config_);
    if (near) near_.resize(solver_near_bytes<double>(config_.solver, solver).most);
  }

  void copy_from(const Backend& other) {
    for (std::size_t f = 0; f < kEnvFields; ++f) {
      const auto field = static_cast<EnvField>(f);
      const std::vector<double> values = other.read(field);
      const FieldRows rows[] = {{field, values}};
      buffers_.write(kEveryId, rows);
    }
  }

  void step(Entry entry) {
    const auto run = [&](Entry of_part) {
      return [&, of_part](auto stage) { run_for_all<decltype(stage)::kValue>(of_part); };
    };
    const auto part = [&](Entry of_part) {
      walk_part<StepPart::kStart>(run(of_part));
      walk_part<StepPart::kRound>(run(of_part));
      for (; std::ranges::any_of(tasks_, &SolveTask::wanted); walk_part<StepPart::kRound>(run(of_part))) count_rounds();
      walk_part<StepPart::kRound>(run(of_part));  // one that nobody wants does nothing
      walk_part<StepPart::kEnd>(run(of_part));
      count_rounds();
    };
    const auto ahead = [&](Entry of_part) {
      walk_part<StepPart::kStart>(run(of_part));
      walk_part<StepPart::kAhead>(run(of_part));
      const auto seeks = [](const auto& own) { return own.parts.seeks; };
      while (std::ranges::any_of(progress_, seeks)) walk_part<StepPart::kTry>(run(of_part));
    };
    walk_parts(config_, entry, part, ahead,
               [&] { return std::ranges::any_of(progress_, [](const auto& own) { return own.parts.left > 0.0; }); });
  }

  std::vector<double> read(EnvField field) const { return buffers_.read(field); }
  int most_rounds() const { return most_rounds_; }

 private:
  template <Stage kStage>
  void run_for_all(Entry entry) {
    std::ranges::fill(near_, '\xff');  // a block's shared memory holds what another left there
    for (int i = 0; i < kEnvs; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const ModelView<Real> model = buffers_.view().env_model(i);
      EnvView<Real> env = buffers_.view().env(i);
      StepSite<Real> site{model, &env, buffers_.view().capacity, config_, &progress_[at], &tasks_[at]};
      if constexpr (kStage == Stage::kSolve)
        solve(tasks_[at]);
      else if constexpr (kStage == Stage::kExplain)
        explain_stage(Team{}, config_.solver, tasks_[at]);
      else
        run_stage<kStage>(Team{}, Arena(scratch_[at].data()), entry, site);
    }
  }

  void solve(SolveTask& task) {
    task.arena = task.arena.beside({near_.data(), near_.size()});
    config_.solver.factor == Dtype::kFloat32
        ? solve_stage<SolverName::kInteriorPoint, float>(Team{}, config_.solver, task)
        : solve_stage<SolverName::kInteriorPoint, double>(Team{}, config_.solver, task);
  }

  void count_rounds() {
    for (const auto& progress : progress_) most_rounds_ = std::max(most_rounds_, progress.rounds.count);
  }

  ModelStorage<Real> model_;
  BatchBuffers<Real> buffers_;
  StepConfig<Real> config_;
  std::size_t stride_;
  std::vector<AlignedVector<char>> scratch_;
  std::vector<StepProgress<Real>> progress_;
  std::vector<SolveTask> tasks_;
  HostScriptTables<Real> tables_;
  AlignedVector<char> near_;  // empty: the factor lies in the scratch
  int most_rounds_ = 0;
};

struct Seen {
  int most_rounds;             // of one step
  std::vector<double> status;  // (kEnvs)
};

/// Compares every field after `steps` steps.
template <class Real>
Seen expect_same_bits(const Scene& scene, int steps, void (*spoil)(Backend&) = nullptr, bool near = false) {
  const Capacity capacity = choose_capacity(scene);
  HostBackend<Real, Team> whole(scene, capacity, kEnvs, 1);
  write_initial_state(scene, 0, kEveryId, whole);
  if (spoil) spoil(whole);
  StagedBackend<Real> staged(scene, capacity, near);
  staged.copy_from(whole);
  whole.step(steps);
  for (int s = 0; s < steps; ++s) staged.step(s == 0 ? Entry::kCall : Entry::kStep);
  for (std::size_t f = 0; f < kEnvFields; ++f) {
    const auto field = static_cast<EnvField>(f);
    EXPECT_TRUE(test::same_bits(whole.read(field), staged.read(field))) << "field " << f;
  }
  return {staged.most_rounds(), staged.read(EnvField::status)};
}

/// With the paddle's script and an impulse.
Scene scripted_boxes(Dynamics dynamics) {
  Scene scene = test::pushed_boxes();
  scene.physics.dynamics = dynamics;
  test::add_paddle_script(scene);
  return scene;
}

class StagesOf : public testing::TestWithParam<Dynamics> {};

TEST_P(StagesOf, OneAfterTheOtherAreAWholeStepInDouble) { expect_same_bits<double>(scripted_boxes(GetParam()), 12); }

TEST_P(StagesOf, OneAfterTheOtherAreAWholeStepInSinglePrecision) {
  expect_same_bits<float>(scripted_boxes(GetParam()), 12);
}

TEST_P(StagesOf, WithTheFactorInNearMemoryAreAWholeStep) {
  expect_same_bits<double>(scripted_boxes(GetParam()), 12, nullptr, true);
}

TEST_P(StagesOf, WithAFactorInSinglePrecisionAreAWholeStep) {
  Scene scene = scripted_boxes(GetParam());
  scene.solver.factor = Dtype::kFloat32;
  scene.solver.tolerance = 1e-4;
  for (const bool near : {false, true}) expect_same_bits<double>(scene, 6, nullptr, near);
}

INSTANTIATE_TEST_SUITE_P(EveryDynamics, StagesOf, testing::ValuesIn(test::kEveryDynamics), test::dynamics_name);

TEST(Stages, OfStepsWhoseBodiesMoveFirstAreAWholeStep) {
  for (const double bits : expect_same_bits<double>(test::boxes_that_move_first(), 40).status) EXPECT_EQ(bits, 1);
  expect_same_bits<float>(test::boxes_that_move_first(), 40);
}

TEST(Stages, RepeatAStepWhoseMotionOutranItsContacts) {
  EXPECT_GT(expect_same_bits<double>(test::outrun_boxes(), 6).most_rounds, 1);
}

TEST(Stages, ExplainAStepThatNothingHolds) {
  Scene scene = test::pushed_boxes();
  auto model = std::make_shared<Model>(*scene.model);
  model->gravity[2] = -model->gravity[2];  // everything falls off the floor, for ever
  scene.model = model;
  for (const double bits : expect_same_bits<double>(scene, 2).status)
    EXPECT_TRUE(static_cast<std::uint32_t>(bits) & status::kUnbounded);
}

TEST(Stages, KeepTheStateOfAnEnvironmentThatIsNotFinite) {
  expect_same_bits<double>(test::pushed_boxes(), 3, [](Backend& backend) {
    std::vector<double> qpos = backend.read(EnvField::qpos);
    qpos.resize(qpos.size() / kEnvs);
    qpos[0] = std::nan("");
    const int third[] = {2};
    const FieldRows rows[] = {{EnvField::qpos, qpos}};
    backend.write(third, rows);
  });
}

}  // namespace
}  // namespace stiction
