#include "host/cli/run_recording.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/cli/recording_attributes.hpp"
#include "host/cli/run_figures.hpp"
#include "host/scene/scene_sources.hpp"

namespace stiction {
namespace {

RecordingLayout layout_of(const RecordingPlan& plan, const Simulator& simulator, std::int64_t steps) {
  const Model& model = *simulator.scene().model;
  RecordingLayout layout;
  layout.level = plan.level;
  layout.dtype = simulator.options().dtype;
  layout.batch = simulator.options().batch;
  layout.envs = plan.envs;
  layout.nq = model.nq;
  layout.nv = model.nv;
  layout.nu = model.nu;
  layout.nmocap = model.nmocap;
  layout.max_contacts = simulator.max_contacts();
  layout.max_patches = simulator.max_patches();
  layout.expected_rows = 1 + (steps + plan.every - 1) / plan.every;
  return layout;
}

/// The compiled models; of several, also which geoms are in the slots, and which model every environment has.
void add_models(const Simulator& simulator, const SceneSources& sources, RecordingConstants& constants) {
  const Scene& scene = simulator.scene();
  if (!sources.models.empty()) constants.model = sources.models.front();
  if (scene.variants.empty()) return;
  constants.variant = simulator.read(EnvField::own_variant);
  for (std::size_t v = 0; v < scene.variants.size(); ++v) {
    const Model& own = scene.variants[v].model;
    constants.variants.push_back({scene.variants[v].name, sources.models[v], own.xml, own.geom_source_id});
  }
}

}  // namespace

RunRecording::RunRecording(const RecordingPlan& plan, const Simulator& simulator, std::int64_t steps)
    : plan_(plan), steps_(steps), step_size_(simulator.scene().step_size) {
  const SceneSources sources = read_scene_sources(simulator.scene(), plan.scene);
  RecordingConstants constants;
  if (simulator.scene().randomize.friction) constants.geom_friction = simulator.read(EnvField::geom_friction);
  add_models(simulator, sources, constants);
  recorder_.emplace(plan.file, layout_of(plan, simulator, steps), recording_attributes(simulator, plan, sources),
                    constants);
  append(simulator, 0);
  clear_since_row();
}

void RunRecording::clear_since_row() {
  status_.clear();
  iterations_.clear();
  residual_.clear();
  penetration_.clear();
}

void RunRecording::add(const Simulator& simulator, std::int64_t step, std::span<const std::uint32_t> status,
                       const StepStats& stats) {
  if (status_.empty()) {
    status_.assign(status.begin(), status.end());
    iterations_ = stats.iterations;
    residual_ = stats.residual;
    penetration_ = stats.penetration;
  } else {
    for (std::size_t env = 0; env < status_.size(); ++env) {
      const std::uint32_t converged = status_[env] & status[env] & status::kConverged;
      status_[env] = ((status_[env] | status[env]) & ~status::kConverged) | converged;
      iterations_[env] = std::max(iterations_[env], stats.iterations[env]);
      residual_[env] = larger_or_nan(residual_[env], stats.residual[env]);
      penetration_[env] = larger_or_nan(penetration_[env], stats.penetration[env]);
    }
  }
  if (step % plan_.every != 0 && step != steps_) return;
  write_or_stop([&] { append(simulator, step); });
  clear_since_row();
}

void RunRecording::finish() {
  write_or_stop([&] { recorder_->finish(); });
}

template <class Write>
void RunRecording::write_or_stop(Write&& write) {
  try {
    write();
  } catch (const InputError& error) {
    throw InputError(std::string(error.what()) + "; " + stop());
  }
}

void RunRecording::append(const Simulator& simulator, std::int64_t step) {
  RecordedRow row;
  row.time = static_cast<double>(step) * step_size_;
  std::vector<double> qpos, qvel, ctrl, mocap_pose;
  if (plan_.level != RecordLevel::kNone) {
    row.qpos = qpos = simulator.qpos();
    row.qvel = qvel = simulator.qvel();
    row.ctrl = ctrl = simulator.ctrl();
    row.mocap_pose = mocap_pose = simulator.read(EnvField::mocap_pose);
  }
  row.status = status_;
  row.iterations = iterations_;
  row.residual = residual_;
  row.penetration = penetration_;
  ContactArrays contacts;
  PatchArrays patches;
  if (plan_.level == RecordLevel::kContacts && step > 0) {
    contacts = simulator.contacts(), patches = simulator.patches();
    row.contacts = &contacts, row.patches = &patches;
  }
  recorder_->append(row);
}

std::string RunRecording::stop() {
  const std::string name = recorder_->partial_name();
  const std::int64_t rows = recorder_->stop();
  recorder_.reset();
  return rows > 0 ? fmt::format("the first {} rows are in {}", rows, name) : "nothing was recorded";
}

}  // namespace stiction
