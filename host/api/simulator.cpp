#include "host/api/simulator.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>
#include <utility>

#include "host/api/check_rays.hpp"
#include "host/api/device.hpp"
#include "host/api/status_sum.hpp"
#include "host/backend/capacity.hpp"
#include "host/backend/cuda_backend.hpp"
#include "host/backend/field_values.hpp"
#include "host/backend/initial_state.hpp"
#include "host/model/choices.hpp"
#include "host/reference/patch_scene.hpp"
#include "kernels/collision/contact_point.hpp"
#include "kernels/launch/solve_width.hpp"

namespace stiction {
namespace {

/// Gives a scene another seed as long as it lives.
class OtherSeed {
 public:
  OtherSeed(Scene& scene, std::optional<std::uint64_t> seed) : seed_(scene.randomize.seed), own_(seed_) {
    seed_ = seed.value_or(own_);
  }
  ~OtherSeed() { seed_ = own_; }
  OtherSeed(const OtherSeed&) = delete;
  OtherSeed& operator=(const OtherSeed&) = delete;

 private:
  std::uint64_t& seed_;
  std::uint64_t own_;
};

}  // namespace

struct Simulator::State {
  Scene scene;
  SimulatorOptions options;
  Capacity capacity;
  std::unique_ptr<Backend> backend;
  std::vector<std::uint32_t> status;
  bool all_hold_ctrl = false;  // every environment is known to keep ctrl as written

  std::vector<int> read_ints(EnvField field) const {
    const std::vector<double> values = backend->read(field);
    return {values.begin(), values.end()};
  }

  std::vector<int> all_ids() const {
    std::vector<int> ids(static_cast<std::size_t>(options.batch));
    std::iota(ids.begin(), ids.end(), 0);
    return ids;
  }

  void check_ids(const char* what, std::span<const int> ids) const {
    for (const int env : ids)
      if (env < 0 || env >= options.batch)
        throw InputError(std::string(what) + ": environment " + std::to_string(env) + " is not in [0, " +
                         std::to_string(options.batch) + ")");
  }

  /// Overwrites the rows `ids` of an array with `length` values per environment.
  void write_rows(EnvField field, std::span<const int> ids, std::span<const double> values, std::size_t length,
                  const char* name) {
    check_ids(name, ids);
    if (values.size() != ids.size() * length)
      throw InputError(std::string(name) + ": expected " + std::to_string(ids.size() * length) + " values (" +
                       std::to_string(ids.size()) + " x " + std::to_string(length) + "), got " +
                       std::to_string(values.size()));
    const FieldRows rows[] = {{field, values}};
    backend->write(ids, rows);
  }

  void write_all(EnvField field, std::span<const double> values, int length, const char* name) {
    write_rows(field, all_ids(), values, static_cast<std::size_t>(length), name);
  }

  /// True if the shapes of a saved state are those of the variants that it names.
  bool has_variants_of(const SimulatorState& saved) const {
    const auto values = [&](EnvField field) -> const auto& { return saved.values[static_cast<std::size_t>(field)]; };
    const std::vector<double>&variant = values(EnvField::own_variant), &meshes = values(EnvField::geom_mesh);
    const double count = std::max<double>(1.0, static_cast<double>(scene.variants.size()));
    auto mesh = meshes.begin();
    for (const double v : variant) {
      if (!(v >= 0.0 && v < count)) return false;
      const std::vector<int>& own = scene.own_model(static_cast<int>(v)).geom_mesh;
      if (!std::equal(own.begin(), own.end(), mesh)) return false;
      mesh += static_cast<std::ptrdiff_t>(own.size());
    }
    return true;
  }

  /// The variants that environments `ids` ask for; throws InputError for one that the scene has not. Those that have
  /// another one now receive it.
  std::vector<int> take_variants(std::span<const int> ids) {
    std::vector<int> wanted(ids.size(), 0), changing, theirs;
    if (ids.empty() || scene.variants.empty()) return wanted;
    const std::vector<int> asked = read_ints(EnvField::variant), own = read_ints(EnvField::own_variant);
    const int count = static_cast<int>(scene.variants.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const auto env = static_cast<std::size_t>(ids[i]);
      wanted[i] = asked[env];
      if (wanted[i] < 0 || wanted[i] >= count)
        throw InputError("params.variant: environment " + std::to_string(env) + " asks for " +
                         std::to_string(wanted[i]) + ", must be in [0, " + std::to_string(count) + ")");
      if (wanted[i] != own[env]) changing.push_back(ids[i]), theirs.push_back(wanted[i]);
    }
    write_variants(scene, {first_id(), changing, theirs}, *backend);
    return wanted;
  }

  /// Calls write(list), which writes the start of environments, while the scene has another seed; it may throw.
  template <class Write>
  void start(std::span<const int> ids, std::optional<std::uint64_t> seed, Write write) {
    check_ids("reset", ids);
    {
      const OtherSeed other(scene, seed);
      const std::vector<int> variants = take_variants(ids);
      write(EnvironmentList{first_id(), ids, variants});
    }
    all_hold_ctrl = false;
    backend->place_bodies(ids);
  }

  std::uint64_t first_id() const { return static_cast<std::uint64_t>(options.first_env_id); }
};

namespace {

void check_options(const SimulatorOptions& options) {
  if (options.batch < 1) throw InputError("batch: " + std::to_string(options.batch) + " given, must be at least 1");
  if (options.threads < 0)
    throw InputError("threads: " + std::to_string(options.threads) + " given, must be at least 0 (0: all cores)");
  if (!is_solve_width(options.solve_threads))
    throw InputError("solve_threads: " + std::to_string(options.solve_threads) +
                     " given, must be 8, 32, 64 or 0 (by the model's size)");
  if (options.first_env_id < 0)
    throw InputError("first_env_id: " + std::to_string(options.first_env_id) + " given, must be at least 0");
}

}  // namespace

Simulator::Simulator(const Scene& scene, const SimulatorOptions& options) : state_(std::make_unique<State>()) {
  validate(scene);
  check_options(options);
  state_->scene = scene;
  state_->options = options;
  state_->capacity = choose_capacity(scene);
  if (options.device == "reference") reference::check_patch_scene(scene);
  if (options.device == "reference") state_->capacity.max_contacts = most_points(scene);  // one reach for all
  state_->backend = make_backend(scene, state_->capacity, options);
  state_->status.assign(static_cast<std::size_t>(options.batch), 0);
  const std::vector<int> ids = state_->all_ids();
  write_initial_state(scene, state_->first_id(), ids, *state_->backend);
  state_->backend->place_bodies(ids);
}

Simulator::~Simulator() = default;
Simulator::Simulator(Simulator&&) noexcept = default;
Simulator& Simulator::operator=(Simulator&&) noexcept = default;

const Scene& Simulator::scene() const { return state_->scene; }
const SimulatorOptions& Simulator::options() const { return state_->options; }
std::string Simulator::device_name() const { return state_->backend->device_name(); }
std::string Simulator::device_warning() const { return state_->backend->warning(); }
int Simulator::max_contacts() const { return state_->capacity.max_contacts; }
int Simulator::max_patches() const { return state_->capacity.max_patches; }
int Simulator::max_pairs() const { return state_->capacity.max_pairs; }
std::size_t Simulator::scratch_bytes() const { return state_->backend->scratch_bytes(); }

void Simulator::enqueue_step(int steps) {
  if (steps < 1) throw InputError("steps: " + std::to_string(steps) + " given, must be at least 1");
  state_->backend->step(steps);
}

std::span<const std::uint32_t> Simulator::step(int steps) {
  enqueue_step(steps);
  return status();
}

std::span<const std::uint32_t> Simulator::step(int steps, const std::function<void(Simulator&)>& controller) {
  if (steps < 1) enqueue_step(steps);  // which refuses it
  StatusSum sum;
  for (int s = 0; s < steps; ++s) {
    controller(*this);
    enqueue_step();
    sum.add(*this);
  }
  return status();
}

void Simulator::wait() const { state_->backend->wait(); }
void Simulator::wait_for_device() const { state_->backend->wait_for_device(); }
void Simulator::forward() { state_->backend->forward(); }
void Simulator::visit_problems(std::span<const int> ids, const ProblemVisitor& visit) {
  state_->check_ids("visit_problems", ids);
  state_->backend->visit_problems(ids, visit);
}

Linearization Simulator::linearize(double smoothing) {
  if (!(smoothing > 0) || !std::isfinite(smoothing))
    throw InputError("smoothing: " + std::to_string(smoothing) + " given, must be positive and finite [J]");
  if (scene().model->npoint > 0)
    throw InputError("linearize: spatial tendons have no derivatives yet: leave them out of the model");
  if (scene().physics.order == StepOrder::kMoveFirst)
    throw InputError("linearize: steps with order = \"move_first\" have no derivatives: bodies stop where they touch");
  return state_->backend->linearize(smoothing);
}
void Simulator::measure_energy() { state_->backend->measure_energy(); }
void Simulator::measure_sensors() { state_->backend->measure_sensors(); }

RayHits Simulator::cast_rays(const Rays& rays) const {
  check_rays(rays, options().batch, scene().model->nbody);
  return state_->backend->cast_rays(rays);
}

std::string Simulator::sensor_refusal(int sensor) const {
  const Model& model = *scene().model;
  const auto s = static_cast<std::size_t>(sensor);
  if (!model.sensor_gaps.at(s).empty()) return model.sensor_gaps[s];
  const Dynamics dynamics = scene().physics.dynamics;
  const std::string name = choice_name(dynamics_choice(), dynamics);
  switch (sensor_needs(static_cast<SensorType>(model.sensor_type[s]))) {
    case SensorNeeds::kAcceleration:
      if (has_momentum(dynamics)) return {};
      return "needs accelerations, which dynamics \"" + name + "\" does not have: choose dynamic or dynamic_fitted";
    case SensorNeeds::kDrive:
      if (!follows_exactly(dynamics)) return {};
      return "needs the force of an actuator, and with dynamics \"" + name + "\" joints follow their command exactly";
    default:
      return {};
  }
}

void Simulator::reset(std::optional<std::uint64_t> seed) { reset(state_->all_ids(), seed); }

void Simulator::reset(std::span<const int> ids, std::optional<std::uint64_t> seed) {
  state_->start(ids, seed, [&](const EnvironmentList& list) { write_start(scene(), list, *state_->backend); });
}

void Simulator::reset_to_keyframe(std::span<const int> ids, int k, std::optional<std::uint64_t> seed) {
  const Model& model = *scene().model;
  if (k < 0 || static_cast<std::size_t>(k) >= model.keyframe_names.size())
    throw InputError("keyframe: there is no number " + std::to_string(k) + "; the model has: " + keyframe_list(model));
  state_->start(ids, seed, [&](const EnvironmentList& list) { write_keyframe(scene(), k, list, *state_->backend); });
}

SimulatorState Simulator::state() const {
  SimulatorState saved;
  for (std::size_t f = 0; f < kStateFields; ++f) saved.values.push_back(read(static_cast<EnvField>(f)));
  return saved;
}

SimulatorState Simulator::state(std::span<const int> ids) const {
  state_->check_ids("state", ids);
  SimulatorState saved;
  for (std::size_t f = 0; f < kStateFields; ++f)
    saved.values.push_back(state_->backend->read_rows(static_cast<EnvField>(f), ids));
  return saved;
}

void Simulator::set_state(const SimulatorState& saved) { set_state(saved, state_->all_ids()); }

void Simulator::set_state(const SimulatorState& saved, std::span<const int> ids) {
  state_->check_ids("set_state", ids);
  const auto has = [&](std::size_t rows) {
    std::size_t f = 0;
    return std::ranges::all_of(saved.values,
                               [&](const auto& v) { return v.size() == rows * length(static_cast<EnvField>(f++)); });
  };
  const bool complete = saved.values.size() == kStateFields && (has(ids.size()) || has(1));
  if (!complete || !state_->has_variants_of(saved))
    throw InputError("state: of another model, or neither of " + std::to_string(ids.size()) + " nor of 1 environment");
  std::vector<FieldRows> rows;
  for (const std::vector<double>& values : saved.values) rows.push_back({static_cast<EnvField>(rows.size()), values});
  state_->backend->write(ids, rows);
  state_->all_hold_ctrl = false;
  state_->backend->place_bodies(ids);
}

FieldMemory Simulator::memory(EnvField field) { return state_->backend->memory(field); }
std::size_t Simulator::length(EnvField field) const { return state_->backend->length(field); }
std::vector<double> Simulator::read(EnvField field) const { return state_->backend->read(field); }

void Simulator::write(EnvField field, std::span<const int> ids, std::span<const double> values) {
  state_->write_rows(field, ids, values, length(field), "values");
  if (field == EnvField::holds_ctrl) state_->all_hold_ctrl = false;
  if (field == EnvField::qpos || field == EnvField::mocap_pose) state_->backend->place_bodies(ids);
}

void Simulator::overwrite(EnvField field, const void* source) { state_->backend->overwrite(field, source); }

std::vector<double> Simulator::qpos() const { return state_->backend->read(EnvField::qpos); }
std::vector<double> Simulator::qvel() const { return state_->backend->read(EnvField::qvel); }
std::vector<double> Simulator::ctrl() const { return state_->backend->read(EnvField::ctrl); }
std::vector<double> Simulator::act() const { return state_->backend->read(EnvField::act); }
std::vector<double> Simulator::time() const { return state_->backend->read(EnvField::time); }

void Simulator::set_qpos(std::span<const double> qpos) {
  state_->write_all(EnvField::qpos, qpos, scene().model->nq, "qpos");
}
void Simulator::set_qvel(std::span<const double> qvel) {
  state_->write_all(EnvField::qvel, qvel, scene().model->nv, "qvel");
}
void Simulator::set_ctrl(std::span<const double> ctrl) {
  state_->write_all(EnvField::ctrl, ctrl, scene().model->nu, "ctrl");
  hold_ctrl();
}

void Simulator::set_act(std::span<const double> act) {
  state_->write_all(EnvField::act, act, scene().model->na, "act");
}

void Simulator::hold_ctrl() {
  if (state_->all_hold_ctrl) return;
  const double holds = 1.0;
  const FieldRows rows[] = {{EnvField::holds_ctrl, {&holds, 1}}};
  state_->backend->write(state_->all_ids(), rows);
  state_->all_hold_ctrl = true;
}

std::span<const std::uint32_t> Simulator::status() const {
  state_->backend->copy_status(state_->status);
  return state_->status;
}

StepStats Simulator::stats() const {
  StepStats stats;
  stats.iterations = state_->read_ints(EnvField::iterations);
  stats.rounds = state_->read_ints(EnvField::rounds);
  stats.residual = state_->backend->read(EnvField::residual);
  stats.position_residual = state_->backend->read(EnvField::position_residual);
  stats.penetration = state_->backend->read(EnvField::penetration);
  stats.hover = state_->backend->read(EnvField::hover);
  stats.contacts = state_->read_ints(EnvField::contact_count);
  stats.rows = state_->read_ints(EnvField::num_rows);
  stats.violation = state_->backend->read(EnvField::violation);
  return stats;
}

namespace {

/// Fills what each environment has beyond its count.
template <class T>
void pad(std::vector<T>& values, const std::vector<int>& count, const ReadoutField& field) {
  const std::size_t width = static_cast<std::size_t>(field.numbers()), length = values.size() / count.size();
  for (std::size_t env = 0; env < count.size(); ++env) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(env * length);
    const auto used = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(count[env]) * width);
    std::fill(begin + used, begin + static_cast<std::ptrdiff_t>(length), static_cast<T>(field.padding));
  }
}

/// Reads all arrays of ContactArrays or PatchArrays, with their padding. `State`: that of the simulator.
template <class Arrays, class State>
void read_arrays(const State& state, Arrays& out) {
  out.count = state.read_ints(Arrays::kCount);
  Arrays::visit([&](const ReadoutField& field, auto array) {
    auto& values = out.*array;
    if constexpr (std::is_same_v<decltype(out.*array), std::vector<int>&>)
      values = state.read_ints(field.id);
    else
      values = state.backend->read(field.id);
    pad(values, out.count, field);
  });
}

}  // namespace

ContactArrays Simulator::contacts() const {
  ContactArrays out;
  out.max_contacts = max_contacts();
  read_arrays(*state_, out);
  return out;
}

PatchArrays Simulator::patches() const {
  PatchArrays out;
  out.max_patches = max_patches();
  read_arrays(*state_, out);
  return out;
}

std::vector<double> values_of(const FieldMemory& memory, int batch) {
  std::vector<char> bytes(static_cast<std::size_t>(batch) * memory.length * bytes_of(memory.type));
  if (memory.cuda_device >= 0)
    copy_from_cuda(memory.cuda_device, memory.data, bytes.size(), bytes.data());
  else
    std::copy_n(static_cast<const char*>(memory.data), bytes.size(), bytes.begin());
  std::vector<double> values;
  append_values(bytes, memory.type, values);
  return values;
}

}  // namespace stiction
