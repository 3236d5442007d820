// The simulator: its memory as live arrays, and steps without the interpreter's lock.
#include "host/api/simulator.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <numeric>

#include "host/api/infeasibility.hpp"
#include "host/backend/thread_pool.hpp"
#include "host/model/error.hpp"
#include "python/core/arrays.hpp"
#include "python/core/bindings.hpp"
#include "python/core/forks.hpp"
#include "python/core/interruptible_steps.hpp"

namespace stiction::python {
namespace {

const std::map<std::string, EnvField>& fields_by_name() {
  static const std::map<std::string, EnvField> fields = {
#define ST_ENV(type, name, length) {#name, EnvField::name},
#include "kernels/model/env_fields.inc"
#undef ST_ENV
  };
  return fields;
}

EnvField field_named(const std::string& name) {
  const auto found = fields_by_name().find(name);
  if (found == fields_by_name().end()) throw InputError("there is no array '" + name + "'");
  return found->second;
}

std::string type_of(nb::handle object) { return nb::cast<std::string>(nb::str(nb::type_name(object.type()))); }

AnyArray as_array(const char* name, nb::handle object, const Shape& expected) {
  AnyArray array;
  if (nb::try_cast(object, array)) return array;
  throw InputError(std::string(name) + ": expected an array of shape " + shape_text(expected) + ", got " +
                   type_of(object));
}

/// True if a saved state is that of a single environment.
bool is_of_one(const nb::dict& state) {
  AnyArray time;
  return state.contains("time") && nb::try_cast(state["time"], time) && time.ndim() == 2 && time.shape(0) == 1;
}

/// Makes a simulator that a forked process leaves where it is: its threads are in another process, and nothing ends
/// them here.
std::shared_ptr<Simulator> make_simulator(const Scene& scene, const SimulatorOptions& options) {
  return {new Simulator(scene, options), [made_in = forks()](Simulator* simulator) {
            if (made_in == forks()) delete simulator;
          }};
}

/// Calls signal handlers, such as that of Ctrl-C; throws what they raise.
void hear_signals() {
  const nb::gil_scoped_acquire locked;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

/// A simulator as Python holds it: arrays keep it alive after `close`.
class PySimulator {
 public:
  PySimulator(const Scene& scene, const SimulatorOptions& options)
      : simulator_(make_simulator(scene, options)),
        waits_(!options.stream && simulator_->memory(EnvField::status).cuda_device >= 0),
        has_threads_(simulator_->memory(EnvField::status).cuda_device >= 0 ||
                     host_threads(options.threads, options.batch) > 1),
        status_(array(EnvField::status, {batch()}, Access::kRead)) {
    if (waits_) simulator_->wait();
  }

  /// Entered by every call: refuses a closed simulator, a second thread and a forked process. In a stream of its own,
  /// whose work nobody else can order, a call comes after all that the GPU was given, and `finish` waits for what it
  /// gave itself.
  class Use {
   public:
    explicit Use(PySimulator& self) : self_(self) {
      if (!self.simulator_) throw ClosedError("the simulator is closed");
      self.refuse_fork();
      if (self.busy_.test_and_set()) throw ClosedError("another thread is using this simulator: one thread at a time");
      if (!self.waits_) return;
      try {
        const nb::gil_scoped_release unlocked;
        self.simulator_->wait_for_device();
      } catch (...) {
        self.busy_.clear();
        throw;
      }
    }
    ~Use() { self_.busy_.clear(); }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    Simulator* operator->() const { return self_.simulator_.get(); }
    void finish() const {
      if (self_.waits_) self_.simulator_->wait();
    }

   private:
    PySimulator& self_;
  };

  std::size_t batch() const { return static_cast<std::size_t>(simulator_->options().batch); }

  nb::object array(EnvField field, const Shape& shape, Access access) {
    return live_array(simulator_->memory(field), shape, simulator_, access);
  }

  nb::object array_named(const std::string& name, const std::vector<std::size_t>& tail, bool writable) {
    const Use use(*this);
    const EnvField field = field_named(name);
    if (field == EnvField::status) return status_;
    nb::object made = array(field, batch_shape(tail), writable ? Access::kWrite : Access::kRead);
    use.finish();
    return made;
  }

  nb::object step(nb::handle ctrl, nb::handle number) {
    const Use use(*this);
    int steps = 0;
    if (!nb::try_cast(number, steps, false)) throw InputError("steps: expected an integer, got " + type_of(number));
    if (!ctrl.is_none()) {
      write_all(EnvField::ctrl, "ctrl", ctrl, {batch(), static_cast<std::size_t>(use->scene().model->nu)});
      use->hold_ctrl();
    }
    {
      const nb::gil_scoped_release unlocked;
      if (use->options().stream)
        use->enqueue_step(steps);
      else
        step_in_pieces(*simulator_, steps, hear_signals);
    }
    return status_;
  }

  void set(const std::string& name, nb::handle values, const std::vector<std::size_t>& tail) {
    const Use use(*this);
    write_all(field_named(name), name.c_str(), values, batch_shape(tail));
    if (name == "ctrl") use->hold_ctrl();
    use.finish();
  }

  /// Calls a function of the simulator without the interpreter's lock.
  template <void (Simulator::*kFunction)()>
  void call() {
    const Use use(*this);
    const nb::gil_scoped_release unlocked;
    (use.operator->()->*kFunction)();
    use.finish();
  }

  /// What, depth, unit and step of host/api/infeasibility.hpp, or None.
  nb::object infeasibility(int env) {
    const Use use(*this);
    if (env < 0 || static_cast<std::size_t>(env) >= batch())
      throw InputError("env: " + std::to_string(env) + " given, must be in [0, " + std::to_string(batch() - 1) + "]");
    const std::optional<Infeasibility> found = find_infeasibility(*simulator_, env);
    use.finish();
    if (!found) return nb::none();
    return nb::make_tuple(found->what, found->depth, found->unit, found->step);
  }

  nb::tuple linearize(nb::handle number) {
    const Use use(*this);
    double smoothing = 0;
    if (!nb::try_cast(number, smoothing)) throw InputError("smoothing: expected a number [J], got " + type_of(number));
    Linearization found;
    {
      const nb::gil_scoped_release unlocked;
      found = use->linearize(smoothing);
      use.finish();
    }
    const auto nv = static_cast<std::size_t>(use->scene().model->nv),
               nu = static_cast<std::size_t>(use->scene().model->nu);
    const auto made = [&](const FieldMemory& memory, const Shape& shape) {
      return live_array(memory, shape, found.owner, Access::kWrite);
    };
    return nb::make_tuple(made(found.A, batch_shape({nv, nv})), made(found.B, batch_shape({nv, nu})),
                          made(found.status, {batch()}));
  }

  void reset(const std::optional<std::vector<int>>& ids, nb::handle qpos, nb::handle qvel,
             std::optional<std::uint64_t> seed, std::optional<int> keyframe) {
    const Use use(*this);
    const std::vector<int> chosen = ids ? *ids : all_ids();
    const Model& model = *use->scene().model;
    const auto rows = [&](const char* name, nb::handle values, int length) {
      const Shape shape = {chosen.size(), static_cast<std::size_t>(length)};
      return values.is_none() ? std::vector<double>() : read_array(name, as_array(name, values, shape), shape);
    };
    const std::vector<double> q = rows("qpos", qpos, model.nq), v = rows("qvel", qvel, model.nv);
    if (keyframe)
      use->reset_to_keyframe(chosen, *keyframe, seed);
    else
      use->reset(chosen, seed);
    if (!q.empty()) use->write(EnvField::qpos, chosen, q);
    if (!v.empty()) use->write(EnvField::qvel, chosen, v);
    use.finish();
  }

  nb::dict state(const std::optional<std::vector<int>>& ids) {
    const Use use(*this);
    const std::vector<int> chosen = ids ? *ids : all_ids();
    SimulatorState saved = ids ? use->state(chosen) : use->state();
    nb::dict out;
    for (const auto& [name, field] : fields_by_name()) {
      const auto f = static_cast<std::size_t>(field);
      if (f >= kStateFields) continue;
      out[name.c_str()] = copied_array(std::move(saved.values[f]), {chosen.size(), use->length(field)});
    }
    return out;
  }

  void set_state(const nb::dict& state, const std::optional<std::vector<int>>& ids) {
    const Use use(*this);
    const std::vector<int> chosen = ids ? *ids : all_ids();
    const std::size_t rows = is_of_one(state) ? 1 : chosen.size();
    SimulatorState restored;
    restored.values.resize(kStateFields);
    for (const auto& [name, field] : fields_by_name()) {
      const auto f = static_cast<std::size_t>(field);
      if (f >= kStateFields) continue;
      if (!state.contains(name.c_str()))
        throw InputError("state: '" + name + "' is missing; give what state() returned");
      const std::string said = "state['" + name + "']";
      const Shape shape = {rows, use->length(field)};
      restored.values[f] = read_array(said.c_str(), as_array(said.c_str(), state[name.c_str()], shape), shape);
    }
    use->set_state(restored, chosen);
    use.finish();
  }

  void wait() {
    const Use use(*this);
    const nb::gil_scoped_release unlocked;
    use->wait();
  }

  void close() {
    if (!simulator_) return;
    if (made_in_ == forks()) const Use use(*this);
    simulator_.reset();
    status_ = nb::none();
  }

  const Simulator& open() const {
    if (!simulator_) throw ClosedError("the simulator is closed");
    return *simulator_;
  }
  bool closed() const { return !simulator_; }

 private:
  void refuse_fork() const {
    if (has_threads_ && made_in_ != forks())
      throw ClosedError(
          "the simulator belongs to the process that forked this one, and its threads are there: make a "
          "simulator in this process, or start processes with multiprocessing's method spawn");
  }

  /// (batch, *tail)
  Shape batch_shape(const Shape& tail) const {
    Shape shape = {batch()};
    shape.insert(shape.end(), tail.begin(), tail.end());
    return shape;
  }

  std::vector<int> all_ids() const {
    std::vector<int> ids(batch());
    std::iota(ids.begin(), ids.end(), 0);
    return ids;
  }

  /// Overwrites a whole array: straight from an array of the same type on the same device, else value by value.
  void write_all(EnvField field, const char* name, nb::handle object, const Shape& shape) {
    const AnyArray array = as_array(name, object, shape);
    const FieldMemory memory = simulator_->memory(field);
    const bool on_gpu = array.device_type() == nb::device::cuda::value && memory.cuda_device == array.device_id();
    const bool near = on_gpu || (memory.cuda_device < 0 && array.device_type() == nb::device::cpu::value);
    if (near && shape_of(array) == shape && is_type(array.dtype(), memory.type)) {
      simulator_->overwrite(field, array.data());
      return;
    }
    const std::vector<double> values = read_array(name, array, shape);
    simulator_->write(field, all_ids(), values);
  }

  static bool is_type(const nb::dlpack::dtype& type, ValueType wanted) {
    return (wanted == ValueType::kFloat64 && type == nb::dtype<double>()) ||
           (wanted == ValueType::kFloat32 && type == nb::dtype<float>());
  }

  std::shared_ptr<Simulator> simulator_;
  bool waits_;        // a GPU without a stream of the caller's
  bool has_threads_;  // on the host or on a GPU, which a forked process has not
  int made_in_ = forks();
  nb::object status_;
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
};

SimulatorOptions options_from(int batch, std::string device, const std::string& dtype,
                              std::optional<std::uintptr_t> stream, std::int64_t first_env_id,
                              std::optional<int> threads, int solve_threads) {
  if (dtype != "float64" && dtype != "float32")
    throw InputError("dtype: \"" + dtype + "\" is not one of float64, float32");
  SimulatorOptions options;
  options.batch = batch;
  options.device = std::move(device);
  options.dtype = dtype == "float32" ? Dtype::kFloat32 : Dtype::kFloat64;
  options.stream = stream;
  options.first_env_id = first_env_id;
  options.threads = threads.value_or(0);
  options.solve_threads = solve_threads;
  return options;
}

void bind_properties(nb::class_<PySimulator>& simulator) {
  simulator.def_prop_ro("closed", &PySimulator::closed, "Whether `close` was called.")
      .def_prop_ro(
          "batch", [](const PySimulator& self) { return self.open().options().batch; }, "Number of environments.")
      .def_prop_ro(
          "device", [](const PySimulator& self) { return self.open().device_name(); },
          "What steps: cpu (2 threads), reference, or cuda:0 (name).")
      .def_prop_ro(
          "max_contacts", [](const PySimulator& self) { return self.open().max_contacts(); },
          "Contacts that an environment has room for.")
      .def_prop_ro(
          "max_patches", [](const PySimulator& self) { return self.open().max_patches(); },
          "Contact patches that an environment has room for; 0 without `contact = \"patch\"`.")
      .def_prop_ro(
          "max_pairs", [](const PySimulator& self) { return self.open().max_pairs(); },
          "Near pairs that an environment has room for.");
}

}  // namespace

nb::object use_simulator(nb::handle self, const std::function<nb::object(const Simulator&)>& read) {
  const PySimulator::Use use(nb::cast<PySimulator&>(self));
  return read(*use.operator->());
}

void bind_simulator(nb::module_& m) {
  nb::class_<PySimulator> simulator(m, "Simulator");
  simulator
      .def(
          "__init__",
          [](PySimulator* self, const Scene& scene, int batch, std::string device, const std::string& dtype,
             std::optional<std::uintptr_t> stream, std::int64_t first_env_id, std::optional<int> threads,
             int solve_threads) {
            const SimulatorOptions options =
                options_from(batch, std::move(device), dtype, stream, first_env_id, threads, solve_threads);
            new (self) PySimulator(scene, options);
          },
          nb::arg("scene"), nb::arg("batch"), nb::arg("device"), nb::arg("dtype"), nb::arg("stream").none(),
          nb::arg("first_env_id"), nb::arg("threads").none(), nb::arg("solve_threads"))
      .def("_step", &PySimulator::step, nb::arg("ctrl").none(), nb::arg("steps"))
      .def("forward", &PySimulator::call<&Simulator::forward>)
      .def("wait", &PySimulator::wait)
      .def_prop_ro("_device_warning", [](const PySimulator& self) { return self.open().device_warning(); })
      .def("_linearize", &PySimulator::linearize, nb::arg("smoothing").none())
      .def("_measure_energy", &PySimulator::call<&Simulator::measure_energy>)
      .def("_measure_sensors", &PySimulator::call<&Simulator::measure_sensors>)
      .def("_sensor_refusal", [](const PySimulator& self, int sensor) { return self.open().sensor_refusal(sensor); })
      .def("_array", &PySimulator::array_named)
      .def("_set", &PySimulator::set, nb::arg(), nb::arg().none(), nb::arg())
      .def("_reset", &PySimulator::reset, nb::arg("ids").none(), nb::arg("qpos").none(), nb::arg("qvel").none(),
           nb::arg("seed").none(), nb::arg("keyframe").none())
      .def("_state", &PySimulator::state)
      .def("_set_state", &PySimulator::set_state)
      .def("_infeasibility", &PySimulator::infeasibility, nb::arg("env"))
      .def("close", &PySimulator::close);
  bind_properties(simulator);
  m.def("status_names", &status_names, nb::arg("status"));
}

}  // namespace stiction::python
