// One environment that the kernels step on the host, with the contact problem of every step in view.
#pragma once

#include "host/backend/capacity.hpp"
#include "host/backend/script_tables.hpp"
#include "host/backend/step_config.hpp"
#include "host/reference/step.hpp"
#include "kernels/launch/host_solvers.hpp"
#include "kernels/step/step.hpp"

namespace stiction::reference {

/// One environment of the kernels with all its memory.
class HostEnvironment {
 public:
  explicit HostEnvironment(const Scene& scene)
      : storage(*scene.model),
        capacity(choose_capacity(scene)),
        config(make_step_config<double>(scene)),
        tables_(scene) {
    tables_.enter(config);
    own = storage.view();
    const ModelView<double>& model = storage.view();
#define ST_ENV(type, name, length)                          \
  name##_.assign(static_cast<std::size_t>(length), type{}); \
  env.name = name##_.data();
#include "kernels/model/env_fields.inc"
#undef ST_ENV
    qpos_ = scene.qpos, qvel_ = scene.qvel, mocap_pose_ = scene.model->mocap_pose0;
#define ST_PARAMETER(name, length) \
  name##_ = scene.model->name;     \
  env.name = name##_.data();       \
  own.name = name##_.data();
#define ST_INT_PARAMETER(name, length) ST_PARAMETER(name, length)
#include "kernels/model/env_parameters.inc"
#undef ST_INT_PARAMETER
#undef ST_PARAMETER
    env.qpos = qpos_.data(), env.qvel = qvel_.data(), env.mocap_pose = mocap_pose_.data();
    warm_count_[0] = -1;
    Arena measure;
    take_step_scratch(team, model, capacity, config, measure, scratch);
    memory_.resize(measure.used() + (std::size_t{64} << 20));
    scene_ = &scene;
  }

  /// Everything of a step up to its solution; `scratch` then holds the problem and its solution.
  void solve() {
    StepProgress<double> progress;
    SolveTask task;
    StepSite<double> site{own, &env, capacity, config, &progress, &task};
    Arena arena(memory_.data());
    walk_velocity_rounds(site,
                         [&](auto stage) { run_stage<decltype(stage)::kValue>(team, arena, Entry::kCall, site); });
    sample_script(team, own, config, env);  // the rounds have put scripted bodies where the step ends
    scratch = progress.scratch;
    report = task.report;
  }
  /// Moves on along the kernels' own solution.
  void finish() {
    std::copy_n(scratch.solution.v.data(), storage.view().nv, env.qvel.data());
    integrate_positions(team, own, scratch.solution.v, config.dynamics, config.rotation, config.step_size, env.qpos);
    carry_velocity(team, own, env.qpos, config.dynamics, config.rotation, config.step_size, env.qvel);
    carry_free_motion(team, own, scratch.inertia, scratch.motion, env.qpos, env.qvel);
    time_[0] += config.step_size;
    const std::vector<double> drive = drive_;
    advance_activations(team, own, config.step_size, env);
    if (config.dynamics != Dynamics::kDynamicFitted) return;
    last_ctrl_ = drive;
    warm_v_ = qvel_;
    warm_count_[0] = 0;  // there is a last step, without contacts
  }

  ContactProblem<double> problem() const { return describe_problem(own, capacity, config, scratch); }
  Eigen::VectorXd qpos() const {
    return Eigen::Map<const Eigen::VectorXd>(qpos_.data(), static_cast<Eigen::Index>(qpos_.size()));
  }
  Eigen::VectorXd ctrl() const {
    return Eigen::Map<const Eigen::VectorXd>(ctrl_.data(), static_cast<Eigen::Index>(ctrl_.size()));
  }

  /// What the actuators act with in the step that was solved: controls or activations.
  Eigen::VectorXd drive() const {
    return Eigen::Map<const Eigen::VectorXd>(drive_.data(), static_cast<Eigen::Index>(drive_.size()));
  }

  /// What the actuators are asked for at the beginning of the step.
  Eigen::VectorXd last_ctrl() const {
    return Eigen::Map<const Eigen::VectorXd>(motion_inputs(env, config, config.step_size, 0).last_ctrl,
                                             static_cast<Eigen::Index>(ctrl_.size()));
  }

  Eigen::VectorXd qvel() const {
    return Eigen::Map<const Eigen::VectorXd>(qvel_.data(), static_cast<Eigen::Index>(qvel_.size()));
  }
  double time() const { return time_[0]; }
  const std::vector<double>& mocap_pose() const { return mocap_pose_; }
  const std::vector<double>& mocap_velocity() const { return mocap_velocity_; }

  DenseSolution solution() const {
    const ContactProblem<double> p = problem();
    Eigen::VectorXd lambda = Eigen::Map<const Eigen::VectorXd>(scratch.solution.lambda, p.dimension * p.num_contacts);
    for (int i = 0; p.dimension == 4 && i < p.num_contacts; ++i) lambda[4 * i + 3] /= p.contacts[i].radius;
    return {Eigen::Map<const Eigen::VectorXd>(scratch.solution.v, p.nv), lambda,
            Eigen::Map<const Eigen::VectorXd>(scratch.solution.row_lambda, p.num_rows)};
  }

  /// The kernels' contacts as input of the reference.
  std::vector<ContactInput> contacts() const {
    std::vector<ContactInput> points;
    for (int i = 0; i < *scratch.contacts.count; ++i) {
      const int pair = pair_of_key(scratch.contacts.key[i]);
      const Eigen::Map<const Eigen::Vector3d> position(scratch.contacts.position + 3 * i);
      const Eigen::Map<const Eigen::Vector3d> normal(scratch.contacts.frame + 9 * i);
      const Eigen::Vector3d half = 0.5 * (scratch.contacts.gap[i] + scene_->model->pair_margin[pair]) * normal;
      const Eigen::Map<const Eigen::Vector3d> arm_A(scratch.contacts.arm + 6 * i),
          arm_B(scratch.contacts.arm + 6 * i + 3);
      points.push_back({pair, position - half, position + half, normal, position - arm_A, position - arm_B});
    }
    return points;
  }

  using Team = HostTeam<>;
  Team team;
  ModelStorage<double> storage;
  ModelView<double> own;  // the model with this environment's parameters
  Capacity capacity;
  StepConfig<double> config;
  EnvView<double> env;
  StepScratch<double> scratch;
  SolverReport<double> report{};

 private:
  using Real = double;
#define ST_ENV(type, name, length) std::vector<type> name##_;
#include "kernels/model/env_fields.inc"
#undef ST_ENV
  HostScriptTables<double> tables_;
  std::vector<char> memory_;
  const Scene* scene_ = nullptr;
};

}  // namespace stiction::reference
