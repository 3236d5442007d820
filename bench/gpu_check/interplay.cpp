// Claims: what the host writes between steps counts on the device as it does on the host; steps whose motion outran
// their contacts are repeated as on the host; batches that step in turn, each in a stream of its own, do not mix.
#include <algorithm>
#include <cmath>

#include "bench/gpu_check/batch.hpp"
#include "bench/gpu_check/parts.hpp"
#include "host/backend/initial_state.hpp"
#include "tests/step/pushed_boxes.hpp"
#include "tests/support/tolerances.hpp"

namespace stiction::gpu_check {
namespace {

constexpr int kBatch = 4, kSteps = 3;
// upright: on tilted ground a quasistatic ball rolls without end
const std::vector<double> kWrittenGravity = {0.0, 0.0, -5.0};

/// State, poses and contacts after: steps by the knots; steps with another control, written; environment 1 put back to
/// its start and environment 2 given another gravity; steps; contacts found without a step; energy and derivatives.
std::vector<double> run_with_writes(const Scene& scene, const SimulatorOptions& options) {
  const std::unique_ptr<Backend> batch = start_batch(scene, options);
  batch->step(kSteps);
  const std::vector<double> ctrl(static_cast<std::size_t>(scene.model->nu), 0.1);
  const int all[kBatch] = {0, 1, 2, 3}, second[] = {1}, third[] = {2};
  const FieldRows written[] = {{EnvField::ctrl, ctrl}}, heavier[] = {{EnvField::gravity, kWrittenGravity}};
  batch->write(all, written);
  batch->step(kSteps);
  write_initial_state(scene, 0, second, *batch);
  batch->write(third, heavier);
  batch->step(kSteps);
  batch->forward();
  std::vector<double> seen = batch->read(EnvField::qpos);
  for (const EnvField field : {EnvField::body_pose, EnvField::contact_count, EnvField::contact_force}) {
    const std::vector<double> values = batch->read(field);
    seen.insert(seen.end(), values.begin(), values.end());
  }
  batch->measure_energy();
  if (options.dtype == Dtype::kFloat32) return seen;  // derivatives of rounded gaps are some digits short
  const Linearization derivatives = batch->linearize(1e-3);
  for (const std::vector<double>& values : {batch->read(EnvField::energy), values_of(derivatives.A, options.batch),
                                            values_of(derivatives.B, options.batch)})
    seen.insert(seen.end(), values.begin(), values.end());
  return seen;
}

/// State and contacts after steps of which some take several attempts.
std::vector<double> run_with_attempts(const SimulatorOptions& options) {
  const std::unique_ptr<Backend> batch = start_batch(test::outrun_boxes(), options);
  batch->step(2 * kSteps);
  std::vector<double> seen = batch->read(EnvField::qpos);
  const std::vector<double> contacts = batch->read(EnvField::contact_count);
  seen.insert(seen.end(), contacts.begin(), contacts.end());
  return seen;
}

/// max_i |a_i - b_i| / max_i |a_i|
double relative_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double size = 0.0, apart = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) || std::isnan(b[i])) return std::nan("");
    size = std::max(size, std::fabs(a[i]));
    apart = std::max(apart, std::fabs(a[i] - b[i]));
  }
  return apart / size;
}

/// Whether a batch that steps in turn with a larger one moves as it does alone.
bool mixes(const Scene& scene, const SimulatorOptions& options) {
  SimulatorOptions larger = options;
  larger.batch = 33;
  const auto alone = start_batch(scene, options), one = start_batch(scene, options), other = start_batch(scene, larger);
  alone->step(kSteps);
  for (int step = 0; step < kSteps; ++step) {
    one->step(1);
    other->step(1);
  }
  return !test::same_bits(alone->read(EnvField::qpos), one->read(EnvField::qpos));
}

}  // namespace

void check_interplay(const Task& task) {
  const Options& options = task.options;
  const CheckedScene checked = checked_scenes(options.scenes).front();
  for (const Dtype dtype : kEveryDtype) {
    Subject subject{"interplay", checked.name};
    subject.dtype = name_of(dtype);
    subject.batch = kBatch;
    const auto host = run_with_writes(checked.scene, on("cpu", kBatch, dtype));
    const auto device = run_with_writes(checked.scene, on(options.device(), kBatch, dtype));
    const double limit = dtype == Dtype::kFloat64 ? tolerance::kTrajectory : tolerance::kTrajectorySingle;
    task.report.checked(subject, "difference after writes", relative_difference(host, device), "-", limit);
    const auto host_attempts = run_with_attempts(on("cpu", kBatch, dtype));
    const auto device_attempts = run_with_attempts(on(options.device(), kBatch, dtype));
    task.report.checked(subject, "difference after several attempts at a step",
                        relative_difference(host_attempts, device_attempts), "-", limit);
    const double mixed = mixes(checked.scene, on(options.device(), kBatch, dtype)) ? 1.0 : 0.0;
    task.report.checked(subject, "bits differ beside another batch", mixed, "-", 0.0);
  }
}

}  // namespace stiction::gpu_check
