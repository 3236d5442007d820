// Claim: the phases that the GPU launches one after the other do what a whole step does, bit for bit.
#include "kernels/launch/phases.hpp"

#include <gtest/gtest.h>

#include "host/backend/capacity.hpp"
#include "host/backend/host_backend.hpp"
#include "host/backend/initial_state.hpp"
#include "tests/step/pushed_boxes.hpp"
#include "tests/support/every_dynamics.hpp"

namespace stiction {
namespace {

using Team = HostTeam<PhaseOrder::kForward>;
constexpr int kEnvs = 5;

/// Runs every phase for all environments before the next, as the GPU does.
template <class Real>
class PhasedBackend {
 public:
  PhasedBackend(const Scene& scene, const Capacity& capacity, bool near)
      : model_(*scene.model),
        buffers_(model_.view(), capacity, kEnvs),
        config_(make_step_config<Real>(scene)),
        stride_(step_scratch_bytes<Team, Real, double>(Team{}, model_.view(), capacity, config_)),
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
      const std::size_t length = buffers_.length(field);
      for (int env = 0; env < kEnvs; ++env)
        buffers_.write(field, env,
                       std::span<const double>(values).subspan(static_cast<std::size_t>(env) * length, length));
    }
  }

  void step(bool first) {
    const auto& batch = buffers_.view();
    for_all([&](int i, auto& progress, auto& task) {
      Arena arena(scratch_[static_cast<std::size_t>(i)].data());
      prepare_phase(Team{}, batch, i, config_, arena, first, progress, task);
    });
    attempt();
    for (; std::ranges::any_of(tasks_, &SolveTask::wanted); attempt()) ASSERT_LT(most_attempts_, kMaxAttempts);
    attempt();  // one that nobody wants does nothing
    for_all([&](int i, auto& p, auto& task) { advance_phase(Team{}, batch, i, config_, p, task); });
    collide();
    for_all([&](int i, auto& p, auto& task) { report_phase(Team{}, batch, i, config_, p, task); });
  }

  std::vector<double> read(EnvField field) const { return buffers_.read(field); }
  int most_attempts() const { return most_attempts_; }

 private:
  void attempt() {
    const auto& batch = buffers_.view();
    collide();
    for_all([&](int i, auto& p, auto& task) { task_phase(Team{}, batch, i, config_, p, task); });
    for_all([&](int, auto&, auto& task) {
      std::ranges::fill(near_, '\xff');  // a block's shared memory holds what another left there
      const NearMemory near = {near_.data(), near_.size()};
      config_.solver.factor == Dtype::kFloat32
          ? solve_phase<SolverName::kInteriorPoint, float>(Team{}, config_.solver, near, task)
          : solve_phase<SolverName::kInteriorPoint, double>(Team{}, config_.solver, near, task);
    });
    std::ranges::fill(near_, '\xff');
    for_all([&](int, auto&, auto& task) { explain_phase(Team{}, config_.solver, task); });
    for_all([&](int i, auto& p, auto& task) { judge_phase(Team{}, batch, i, config_, p, task); });
    for (const auto& progress : progress_) most_attempts_ = std::max(most_attempts_, progress.attempt);
  }
  template <class F>
  void for_all(F f) {
    for (std::size_t i = 0; i < kEnvs; ++i) f(static_cast<int>(i), progress_[i], tasks_[i]);
  }
  void collide() {
    for_all([&](int i, auto& progress, auto&) { collide_phase(Team{}, buffers_.view(), i, progress); });
  }

  ModelStorage<Real> model_;
  BatchBuffers<Real, double> buffers_;
  StepConfig<Real> config_;
  std::size_t stride_;
  std::vector<AlignedVector<char>> scratch_;
  std::vector<StepProgress<Real>> progress_;
  std::vector<SolveTask> tasks_;
  HostScriptTables<Real> tables_;
  AlignedVector<char> near_;  // empty: the factor lies in the scratch
  int most_attempts_ = 0;
};

struct Seen {
  int most_attempts;           // at one step
  std::vector<double> status;  // (kEnvs)
};

/// Compares every field after `steps` steps.
template <class Real>
Seen expect_same_bits(const Scene& scene, int steps, void (*spoil)(Backend&) = nullptr, bool near = false) {
  const Capacity capacity = choose_capacity(scene);
  HostBackend<Real, Team> whole(scene, capacity, kEnvs, 1);
  for (int env = 0; env < kEnvs; ++env) write_initial_state(scene, static_cast<std::uint64_t>(env), env, whole);
  if (spoil) spoil(whole);
  PhasedBackend<Real> phased(scene, capacity, near);
  phased.copy_from(whole);
  whole.step(steps);
  for (int s = 0; s < steps; ++s) phased.step(s == 0);
  for (std::size_t f = 0; f < kEnvFields; ++f) {
    const auto field = static_cast<EnvField>(f);
    EXPECT_TRUE(test::same_bits(whole.read(field), phased.read(field))) << "field " << f;
  }
  return {phased.most_attempts(), phased.read(EnvField::status)};
}

/// With the paddle's script and an impulse.
Scene scripted_boxes(Dynamics dynamics) {
  Scene scene = test::pushed_boxes();
  scene.physics.dynamics = dynamics;
  test::add_paddle_script(scene);
  return scene;
}

class PhasesOf : public testing::TestWithParam<Dynamics> {};

TEST_P(PhasesOf, OneAfterTheOtherAreAWholeStepInDouble) { expect_same_bits<double>(scripted_boxes(GetParam()), 12); }

TEST_P(PhasesOf, OneAfterTheOtherAreAWholeStepInSinglePrecision) {
  expect_same_bits<float>(scripted_boxes(GetParam()), 12);
}

TEST_P(PhasesOf, WithTheFactorInNearMemoryAreAWholeStep) {
  expect_same_bits<double>(scripted_boxes(GetParam()), 12, nullptr, true);
}

TEST_P(PhasesOf, WithAFactorInSinglePrecisionAreAWholeStep) {
  Scene scene = scripted_boxes(GetParam());
  scene.solver.factor = Dtype::kFloat32;
  scene.solver.tolerance = 1e-4;
  for (const bool near : {false, true}) expect_same_bits<double>(scene, 6, nullptr, near);
}

INSTANTIATE_TEST_SUITE_P(EveryDynamics, PhasesOf, testing::ValuesIn(test::kEveryDynamics), test::dynamics_name);

TEST(Phases, RepeatAStepWhoseMotionOutranItsContacts) {
  EXPECT_GT(expect_same_bits<double>(test::outrun_boxes(), 6).most_attempts, 1);
}

TEST(Phases, ExplainAStepThatNothingHolds) {
  Scene scene = test::pushed_boxes();
  auto model = std::make_shared<Model>(*scene.model);
  model->gravity[2] = -model->gravity[2];  // everything falls off the floor, for ever
  scene.model = model;
  for (const double bits : expect_same_bits<double>(scene, 2).status)
    EXPECT_TRUE(static_cast<std::uint32_t>(bits) & status::kUnbounded);
}

TEST(Phases, KeepTheStateOfAnEnvironmentThatIsNotFinite) {
  expect_same_bits<double>(test::pushed_boxes(), 3, [](Backend& backend) {
    std::vector<double> qpos = backend.read(EnvField::qpos);
    qpos.resize(qpos.size() / kEnvs);
    qpos[0] = std::nan("");
    backend.write(EnvField::qpos, 2, qpos);
  });
}

}  // namespace
}  // namespace stiction
