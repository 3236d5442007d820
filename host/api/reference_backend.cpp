#include "host/api/reference_backend.hpp"

#include <algorithm>

#include "host/api/reference_points.hpp"
#include "host/backend/batch_buffers.hpp"
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
        batch_(batch) {}

  void step(int steps, bool follow_command) override {
    for (int env = 0; env < batch_; ++env) {
      const EnvView<double, double> view = buffers_.view().env(env);
      load(view, follow_command);
      std::uint32_t bits = status::kConverged;
      for (int s = 0; s < steps; ++s) bits = merge_status(bits, environment_.step());
      store(view, follow_command, steps, bits);
    }
  }

  std::vector<double> read(EnvField field) const override { return buffers_.read(field); }
  void write(EnvField field, int env, std::span<const double> values) override { buffers_.write(field, env, values); }
  std::string device_name() const override { return "reference"; }
  std::size_t scratch_bytes() const override { return 0; }  // kept by the libraries it is built on

 private:
  void load(const EnvView<double, double>& view, bool follow_command) {
    ReferenceEnvironment& e = environment_;
    const Model& model = e.model;
    e.qpos = Eigen::Map<const Eigen::VectorXd>(view.qpos, model.nq);
    e.qvel = Eigen::Map<const Eigen::VectorXd>(view.qvel, model.nv);
    e.time = *view.time;
    e.ctrl.reset();
    if (!follow_command) e.ctrl = Eigen::Map<const Eigen::VectorXd>(view.ctrl, model.nu);
    e.mocap_pose.assign(view.mocap_pose, view.mocap_pose + 7 * model.nmocap);
    e.mocap_velocity.assign(view.mocap_velocity, view.mocap_velocity + 6 * model.nmocap);
    e.model.geom_friction.assign(view.geom_friction, view.geom_friction + 3 * model.ngeom);
    e.model.body_mass.assign(view.body_mass, view.body_mass + model.nbody);
    e.model.body_inertia.assign(view.body_inertia, view.body_inertia + 3 * model.nbody);
  }

  void store(const EnvView<double, double>& view, bool follow_command, int steps, std::uint32_t bits) {
    const ReferenceEnvironment& e = environment_;
    std::copy(e.qpos.begin(), e.qpos.end(), view.qpos);
    std::copy(e.qvel.begin(), e.qvel.end(), view.qvel);
    if (follow_command && !e.command().time.empty()) {
      const std::vector<double> ctrl = e.command().sample(e.time, e.model.nu);
      std::copy(ctrl.begin(), ctrl.end(), view.ctrl);
    }
    std::copy(e.mocap_pose.begin(), e.mocap_pose.end(), view.mocap_pose);
    std::copy(e.mocap_velocity.begin(), e.mocap_velocity.end(), view.mocap_velocity);
    *view.time = e.time;
    *view.status = bits;
    *view.iterations = steps;
    *view.residual = e.residual;
    *view.violation = e.violation;
    *view.penetration = e.penetration;
    *view.hover = e.hover;
    *view.num_rows = e.rows;
    const int room = buffers_.view().capacity.max_contacts;
    const int count = std::min(static_cast<int>(e.contacts.size()), room);
    *view.contact_count = count;
    for (int i = 0; i < count; ++i) store_contact(view, e.contacts[static_cast<std::size_t>(i)], i);
  }

  void store_contact(const EnvView<double, double>& view, const ContactReadout& contact, int i) const {
    const Model& model = environment_.model;
    view.contact_geom[2 * i] = model.pair_geom[2 * static_cast<std::size_t>(contact.pair)];
    view.contact_geom[2 * i + 1] = model.pair_geom[2 * static_cast<std::size_t>(contact.pair) + 1];
    view.contact_gap[i] = contact.frame.gap;
    view.contact_gap_next[i] = contact.gap_next;
    view.contact_torsion[i] = contact.torsion;
    for (int axis = 0; axis < 3; ++axis) {
      view.contact_position[3 * i + axis] = contact.frame.position[axis];
      view.contact_force[3 * i + axis] = contact.force[axis];
      for (int k = 0; k < 3; ++k) view.contact_frame[9 * i + 3 * axis + k] = contact.frame.rows(axis, k);
    }
  }

  ModelStorage<double> model_;
  BatchBuffers<double, double> buffers_;
  ReferenceEnvironment environment_;
  int batch_;
};

}  // namespace

std::unique_ptr<Backend> make_reference_backend(const Scene& scene, const Capacity& capacity, int batch) {
  return std::make_unique<ReferenceBackend>(scene, capacity, batch);
}

}  // namespace stiction
