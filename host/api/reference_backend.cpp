#include "host/api/reference_backend.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

#include "host/api/reference_points.hpp"
#include "host/backend/batch_buffers.hpp"
#include "host/model/error.hpp"
#include "host/reference/patch_scene.hpp"
#include "host/reference/patch_stepper.hpp"
#include "kernels/launch/run_steps.hpp"

namespace stiction {
namespace {

using reference::ContactReadout;
using reference::ReferenceEnvironment;

/// Arrays as every backend has them; an environment is copied into the reference, stepped, and copied back.
class ReferenceBackend : public Backend {
 public:
  ReferenceBackend(const Scene& scene, const Capacity& capacity, int batch)
      : model_(*scene.model),
        buffers_(model_.view(), capacity, batch),
        environment_(scene, reference::narrow_phase_source(*scene.model)),
        batch_(batch),
        step_size_(scene.step_size) {
    if (reference::has_patches(scene)) patches_.emplace(scene);
  }

  void step(int steps) override {
    for (int env = 0; env < batch_; ++env) {
      EnvView<double> view = buffers_.view().env(env);
      if (!parameters_are_valid(HostTeam<>{}, buffers_.view().env_model(env), view)) {
        refuse(view, steps);
        continue;
      }
      load(view);
      std::uint32_t bits = status::kConverged;
      for (int s = 0; s < steps; ++s) bits = merge_status(bits, step_once(env));
      store(view, steps, bits);
    }
  }

  void forward() override {
    for (int env = 0; env < batch_; ++env) {
      EnvView<double> view = buffers_.view().env(env);
      *view.contact_count = *view.patch_count = 0;
      if (!parameters_are_valid(HostTeam<>{}, buffers_.view().env_model(env), view)) continue;
      load(view);
      environment_.forward();
      store_contacts(view);
      store_poses(view);
    }
  }

  void place_bodies(std::span<const int> ids) override {
    for (const int env : ids) {
      EnvView<double> view = buffers_.view().env(env);
      load(view);
      store_poses(view);
    }
  }

  void measure_energy() override {
    for (int env = 0; env < batch_; ++env) {
      EnvView<double> view = buffers_.view().env(env);
      load(view);
      const reference::Energy energy =
          reference::measure_energy(environment_.model, environment_.poses(), environment_.qpos, environment_.qvel);
      view.energy[0] = energy.potential, view.energy[1] = energy.kinetic;
    }
  }

  void measure_sensors() override {
    throw InputError("sensordata: not computed by the reference; choose device cpu or cuda");
  }

  RayHits cast_rays(const Rays&) override {
    throw InputError("cast_rays: not on the reference; choose device cpu or cuda");
  }

  Linearization linearize(double) override {
    throw InputError("linearize: not yet on the reference; choose device cpu or cuda");
  }

  FieldMemory memory(EnvField field) override { return buffers_.memory(field); }

  void overwrite(EnvField field, const void* source) override { buffers_.overwrite(field, source); }
  std::size_t length(EnvField field) const override { return buffers_.length(field); }
  std::vector<double> read(EnvField field) const override { return buffers_.read(field); }
  void write(std::span<const int> ids, std::span<const FieldRows> rows) override { buffers_.write(ids, rows); }
  std::string device_name() const override { return "reference"; }
  std::size_t scratch_bytes() const override { return 0; }  // the reference's libraries manage their own memory

 private:
  void load(EnvView<double>& view) {
    ReferenceEnvironment& e = environment_;
    const Model& model = e.model;
    e.qpos = Eigen::Map<const Eigen::VectorXd>(view.qpos, model.nq);
    e.qvel = Eigen::Map<const Eigen::VectorXd>(view.qvel, model.nv);
    e.time = *view.time;
    e.ctrl.reset();
    if (!std::equal(view.ctrl.data(), view.ctrl + model.nu, view.sampled_ctrl.data())) *view.holds_ctrl = 1;
    if (e.command().time.empty() || *view.holds_ctrl) e.ctrl = Eigen::Map<const Eigen::VectorXd>(view.ctrl, model.nu);
    e.last_ctrl.reset();
    if (*view.warm_count >= 0) e.last_ctrl = Eigen::Map<const Eigen::VectorXd>(view.last_ctrl, model.nu);
    e.act = Eigen::Map<const Eigen::VectorXd>(view.act, model.na);
    e.mocap_pose.assign(view.mocap_pose.data(), view.mocap_pose + 7 * model.nmocap);
    e.mocap_velocity.assign(view.mocap_velocity.data(), view.mocap_velocity + 6 * model.nmocap);
    e.applied_wrench.assign(view.applied_wrench.data(), view.applied_wrench + 6 * model.nbody);
    update_geom_bounds(HostTeam<>{}, model_.view(), view);
#define ST_PARAMETER(name, length) e.model.name.assign(view.name.data(), view.name + (length));
#define ST_INT_PARAMETER(name, length) ST_PARAMETER(name, length)
#include "kernels/model/env_parameters.inc"
#undef ST_INT_PARAMETER
#undef ST_PARAMETER
  }

  /// As in the kernels: time advances, everything else stays.
  void refuse(EnvView<double>& view, int steps) const {
    for (int s = 0; s < steps; ++s) *view.time += step_size_;
    keep_state(HostTeam<>{}, status::kBadParameter, 0.0, view);
  }

  void store(EnvView<double>& view, int steps, std::uint32_t bits) const {
    const ReferenceEnvironment& e = environment_;
    std::copy(e.qpos.begin(), e.qpos.end(), view.qpos.data());
    std::copy(e.qvel.begin(), e.qvel.end(), view.qvel.data());
    std::copy(e.act.begin(), e.act.end(), view.act.data());
    if (!e.ctrl) {
      const std::vector<double> ctrl = e.command().sample(e.time, e.model.nu);
      std::copy(ctrl.begin(), ctrl.end(), view.ctrl.data());
      std::copy(ctrl.begin(), ctrl.end(), view.sampled_ctrl.data());
    }
    std::copy(e.mocap_pose.begin(), e.mocap_pose.end(), view.mocap_pose.data());
    std::copy(e.mocap_velocity.begin(), e.mocap_velocity.end(), view.mocap_velocity.data());
    *view.warm_count = e.last_ctrl ? 0 : -1;
    if (e.last_ctrl) std::copy(e.last_ctrl->begin(), e.last_ctrl->end(), view.last_ctrl.data());
    *view.time = e.time;
    *view.status = bits;
    *view.iterations = steps;
    *view.rounds = 1;
    *view.residual = e.residual;
    *view.position_residual = e.position_residual;
    *view.violation = e.violation;
    *view.penetration = e.penetration;
    *view.hover = e.hover;
    *view.num_rows = e.rows;
    store_contacts(view);
    store_patches(view);
    if (!(bits & e.keeps_state())) store_poses(view);
  }

  std::uint32_t step_once(int env) {
    if (!patches_) return environment_.step();
    try {
      return patches_->step(environment_);
    } catch (const InputError& error) {
      if (batch_ == 1) throw;
      throw InputError("environment " + std::to_string(env) + ": " + error.what());
    }
  }

  void store_patches(EnvView<double>& view) const {
    *view.patch_count = patches_ ? static_cast<int>(patches_->patches.size()) : 0;
    for (int k = 0; k < *view.patch_count; ++k) {
      using Real = double;
      const reference::PatchReadout& patch = patches_->patches[static_cast<std::size_t>(k)];
#define ST_PATCH(value, name, padding, unit, meaning) \
  std::memcpy(view.patch_##name + k * kNumbers<value>, &patch.name, sizeof patch.name);
#include "kernels/model/patch_fields.inc"
#undef ST_PATCH
    }
  }

  void store_contacts(EnvView<double>& view) const {
    const ReferenceEnvironment& e = environment_;
    const int room = buffers_.view().capacity.max_contacts;
    const int count = std::min(static_cast<int>(e.contacts.size()), room);
    *view.contact_count = count;
    for (int i = 0; i < count; ++i) store_contact(e.contacts[static_cast<std::size_t>(i)], i, view);
  }

  void store_poses(EnvView<double>& view) const {
    const ReferenceEnvironment& e = environment_;
    const reference::Kinematics kinematics = e.poses();
    for (std::size_t b = 0; b < kinematics.body.size(); ++b) {
      const Eigen::Vector3d& p = kinematics.body[b].p;
      const Eigen::Quaterniond q(kinematics.body[b].R);
      const double pose[7] = {p.x(), p.y(), p.z(), q.w(), q.x(), q.y(), q.z()};
      std::copy(pose, pose + 7, view.body_pose + 7 * b);
    }
  }

  static void store_contact(const ContactReadout& contact, int i, EnvView<double>& view) {
    using Real = double;
#define ST_CONTACT(value, name, padding, unit, part, meaning) \
  std::memcpy(view.contact_##name + i * kNumbers<value>, &contact.name, sizeof contact.name);
#include "kernels/model/contact_fields.inc"
#undef ST_CONTACT
  }

  ModelStorage<double> model_;
  BatchBuffers<double> buffers_;
  ReferenceEnvironment environment_;
  std::optional<reference::PatchStepper> patches_;  // it steps the environment of a scene with patches
  int batch_;
  double step_size_;  // [s]
};

}  // namespace

std::unique_ptr<Backend> make_reference_backend(const Scene& scene, const Capacity& capacity, int batch) {
  if (scene.physics.order == StepOrder::kMoveFirst)
    throw InputError("scene '" + scene.name + "': device \"reference\" has no order = \"move_first\": use \"cpu\"");
  return std::make_unique<ReferenceBackend>(scene, capacity, batch);
}

}  // namespace stiction
