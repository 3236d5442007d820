#include "bench/gpu_check/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bench/gpu_check/batch.hpp"
#include "host/model/choices.hpp"
#include "tests/support/tolerances.hpp"

namespace stiction::gpu_check {
namespace {

constexpr int kBatch = 4, kSmallBatch = 1;

class Pair {
 public:
  Pair(const Scene& scene, const SimulatorOptions& host, const SimulatorOptions& device)
      : host_(start_batch(scene, host)),
        device_(start_batch(scene, device)),
        solved_(static_cast<std::size_t>(host.batch), true) {}

  /// Steps both and compares.
  void step(int steps, double limit, Comparison& seen) {
    host_->step(steps);
    device_->step(steps);
    compare_status(seen);
    seen.add("contacts", difference(EnvField::contact_count), 0.5);
    seen.add("qpos", difference(EnvField::qpos), limit);
  }

  int unsolved() const { return static_cast<int>(std::ranges::count(solved_, false)); }

 private:
  void compare_status(Comparison& seen) {
    const std::vector<double> a = host_->read(EnvField::status), b = device_->read(EnvField::status);
    for (std::size_t env = 0; env < solved_.size(); ++env) {
      if ((static_cast<std::uint32_t>(a[env]) & status::kFailed) != 0) solved_[env] = false;
      if (a[env] != b[env]) ++seen.status_differs;
    }
  }

  /// As at the top; of counts the largest difference itself, relative to one.
  double difference(EnvField field) const {
    const std::vector<double> a = host_->read(field), b = device_->read(field);
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

  std::unique_ptr<Backend> host_, device_;
  std::vector<bool> solved_;
};

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
}

int compared_batch(const Options& options) { return options.has_small_sizes() ? kSmallBatch : kBatch; }

Comparison compare(const Scene& scene, const Options& options, int steps, Dtype dtype) {
  const int batch = compared_batch(options);
  Pair pair(scene, on("cpu", batch, dtype), on(options.device(), batch, dtype));
  const bool single = dtype == Dtype::kFloat32;
  Comparison seen;
  pair.step(1, single ? tolerance::kTrajectorySingle : tolerance::kHostAgainstCuda, seen);
  pair.step(steps - 1, single ? tolerance::kTrajectorySingle : tolerance::kTrajectory, seen);
  seen.environments = batch;
  seen.unsolved = pair.unsolved();
  return seen;
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
}

}  // namespace stiction::gpu_check
