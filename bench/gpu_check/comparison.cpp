#include "bench/gpu_check/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "bench/gpu_check/batch.hpp"
#include "bench/gpu_check/course.hpp"
#include "host/model/choices.hpp"
#include "tests/support/tolerances.hpp"

namespace stiction::gpu_check {
namespace {

constexpr int kBatch = 4, kSmallBatch = 1;
constexpr double kAsMuch = 10.0;  // a step rounds more often than once a coordinate

/// The batch on the host, and how others differ from it.
class Host {
 public:
  explicit Host(const Sides& sides)
      : batch_(sides.host()), solved_(static_cast<std::size_t>(sides.environments), true) {}

  void step(int steps) {
    batch_->step(steps);
    const std::vector<double> status = batch_->read(EnvField::status);
    for (std::size_t env = 0; env < solved_.size(); ++env)
      if ((static_cast<std::uint32_t>(status[env]) & status::kFailed) != 0) solved_[env] = false;
  }

  void compare(const Backend& other, double limit, Comparison& seen) const {
    const std::vector<double> a = batch_->read(EnvField::status), b = other.read(EnvField::status);
    for (std::size_t env = 0; env < solved_.size(); ++env)
      if (a[env] != b[env]) ++seen.status_differs;
    seen.add("contacts", difference(EnvField::contact_count, other), 0.5);
    seen.add("qpos", difference(EnvField::qpos, other), limit);
  }

  const Backend& batch() const { return *batch_; }
  int unsolved() const { return static_cast<int>(std::ranges::count(solved_, false)); }

 private:
  /// As at the top; of counts the largest difference itself, relative to one.
  double difference(EnvField field, const Backend& other) const {
    const std::vector<double> a = batch_->read(field), b = other.read(field);
    const std::size_t length = a.size() / solved_.size();
    double size = field == EnvField::contact_count ? 1.0 : 0.0, apart = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (!solved_[i / length]) continue;
      if (std::isnan(a[i]) || std::isnan(b[i])) return std::numeric_limits<double>::quiet_NaN();
      if (field != EnvField::contact_count) size = std::max(size, std::fabs(a[i]));
      apart = std::max(apart, std::fabs(a[i] - b[i]));
    }
    return apart > 0.0 ? apart / size : 0.0;
  }

  std::unique_ptr<Backend> batch_;
  std::vector<bool> solved_;
};

double limit_of_a_step(Dtype dtype) {
  return dtype == Dtype::kFloat32 ? tolerance::kTrajectorySingle : tolerance::kHostAgainstCuda;
}

double limit_of_a_course(Dtype dtype) {
  return dtype == Dtype::kFloat32 ? tolerance::kTrajectorySingle : tolerance::kTrajectory;
}

/// Host and `other` from the start.
Comparison compare_course(const Sides& sides, int steps, Backend& other) {
  Host host(sides);
  Comparison seen;
  host.step(1), other.step(1);
  host.compare(other, limit_of_a_step(sides.dtype), seen);
  host.step(steps - 1), other.step(steps - 1);
  host.compare(other, limit_of_a_course(sides.dtype), seen);
  seen.environments = sides.environments;
  seen.unsolved = host.unsolved();
  return seen;
}

/// Whether a change of last places on the host does about as much as the device did, to the same quantity.
bool explains(const Comparison& own, const Comparison& of_device) {
  const bool as_far = own.worst == of_device.worst && of_device.share <= kAsMuch * own.share;
  return (of_device.share <= 1.0 || as_far) && (of_device.status_differs == 0 || own.status_differs > 0);
}

bool is_course_determined(const Sides& sides, int steps, const Comparison& of_device) {
  for (int way = 0; way < kChanges; ++way) {
    const std::unique_ptr<Backend> twin = sides.host();
    change_last_places(way, sides.environments, *twin);
    const Comparison own = compare_course(sides, steps, *twin);
    if (own.has_failed() || explains(own, of_device)) return false;
  }
  return true;
}

/// Of the step from `before`, which `host` has done.
bool is_step_determined(const Sides& sides, const States& before, const Host& host, const Comparison& of_device,
                        Backend& twin) {
  for (int way = 0; way < kChanges; ++way) {
    place(before, sides.environments, twin);
    change_last_places(way, sides.environments, twin);
    twin.step(1);
    Comparison own;
    host.compare(twin, limit_of_a_step(sides.dtype), own);
    if (explains(own, of_device)) return false;
  }
  return true;
}

/// Every step by itself, from the host's state.
Comparison compare_each_step(const Sides& sides, int steps) {
  Host host(sides);
  const std::unique_ptr<Backend> device = sides.device(), twin = sides.host();
  Comparison seen;
  for (int s = 0; s < steps; ++s) {
    const States before = read_states(host.batch(), sides.environments);
    place(before, sides.environments, *device);
    host.step(1), device->step(1);
    Comparison of_device;
    host.compare(*device, limit_of_a_step(sides.dtype), of_device);
    if (!of_device.has_failed() || is_step_determined(sides, before, host, of_device, *twin))
      seen.join(of_device);
    else
      ++seen.undetermined_steps;
  }
  seen.steps = steps;
  seen.unsolved = host.unsolved();
  return seen;
}

}  // namespace

void Comparison::add(const char* quantity, double difference, double limit) {
  const double found = std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference / limit;
  if (found > share) share = found, worst = quantity;
}

void Comparison::join(const Comparison& other) {
  if (other.share > share) share = other.share, worst = other.worst;
  environments += other.environments;
  unsolved += other.unsolved;
  status_differs += other.status_differs;
  undetermined += other.undetermined;
  undetermined_share = std::max(undetermined_share, other.undetermined_share);
  steps += other.steps;
  undetermined_steps += other.undetermined_steps;
}

void change_last_places(int way, int environments, Backend& batch) {
  const bool single = batch.memory(EnvField::qpos).type == ValueType::kFloat32;
  std::vector<double> qpos = batch.read(EnvField::qpos);
  std::mt19937 random(static_cast<unsigned>(way));
  for (double& q : qpos) {
    const double towards = random() % 2 == 0 ? HUGE_VAL : -HUGE_VAL;
    q = single ? std::nextafter(static_cast<float>(q), static_cast<float>(towards)) : std::nextafter(q, towards);
  }
  std::vector<int> ids(static_cast<std::size_t>(environments));
  std::iota(ids.begin(), ids.end(), 0);
  const FieldRows rows{EnvField::qpos, qpos};
  batch.write(ids, {&rows, 1});
}

int compared_batch(const Options& options) { return options.has_small_sizes() ? kSmallBatch : kBatch; }

Comparison compare(const Sides& sides, int steps) {
  Comparison course = compare_course(sides, steps, *sides.device());
  if (!course.has_failed() || is_course_determined(sides, steps, course)) return course;
  Comparison seen = compare_each_step(sides, steps);
  seen.environments = sides.environments;
  seen.undetermined = 1;
  seen.undetermined_share = course.share;
  return seen;
}

Comparison compare(const Scene& scene, const Options& options, int steps, Dtype dtype) {
  const int batch = compared_batch(options);
  return compare({[&] { return start_batch(scene, on("cpu", batch, dtype)); },
                  [&] { return start_batch(scene, on(options.device(), batch, dtype)); }, batch, dtype},
                 steps);
}

Subject comparison_subject(const char* part, const CheckedScene& checked, const Choices& c, Dtype dtype,
                           const Options& options) {
  return {part,
          checked.name,
          choice_name(dynamics_choice(), c.dynamics),
          choice_name(law_choice(), c.law),
          choice_name(cone_choice(), c.cone),
          choice_name(solver_choice(), c.solver),
          name_of(c.factor),
          name_of(dtype),
          0,
          compared_batch(options)};
}

void report_comparison(const Subject& subject, const Comparison& seen, Report& report) {
  report.checked(subject, "difference over its tolerance", seen.share, "-", 1.0, seen.worst);
  report.checked(subject, "environments whose status differs", seen.status_differs, "-", 0.0);
  if (seen.undetermined == 0) return;
  report.measured(subject, "courses that are not determined", seen.undetermined, "-",
                  "the host comes out about as far apart when the last places of its coordinates change at the start; "
                  "compared step by step");
  report.measured(subject, "difference over its tolerance in courses that are not determined", seen.undetermined_share,
                  "-");
  report.measured(subject, "steps of these", seen.steps, "-");
  report.measured(subject, "steps of these that are not determined either", seen.undetermined_steps, "-");
}

}  // namespace stiction::gpu_check
