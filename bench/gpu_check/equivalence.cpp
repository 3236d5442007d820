// Claim: host and device give the same steps but for the rounding of library functions. The host solves as a GPU does:
// the ways that only one lane goes end elsewhere within the tolerance.
//
//   difference(a, b) = max_i |a_i - b_i| / max_i |a_i|        over the environments that the host solved in every step
//
// A step that is not solved returns its best iterate, and of two that are nearly as good either side may keep another;
// such environments count, but only their status is compared. Limits: tests/support/tolerances.hpp.
#include <algorithm>
#include <cmath>
#include <limits>

#include "bench/gpu_check/batch.hpp"
#include "bench/gpu_check/parts.hpp"
#include "host/model/choices.hpp"
#include "tests/support/tolerances.hpp"

namespace stiction::gpu_check {
namespace {

constexpr int kBatch = 4;
constexpr int kDryBatch = 1, kDrySteps = 2;

/// What one combination, or a group of them, showed.
struct Comparison {
  double share = 0.0;  // largest difference over its limit
  std::string worst;   // the quantity with that share
  int environments = 0, unsolved = 0, status_differs = 0;

  void add(const char* quantity, double difference, double limit) {
    const double found = std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference / limit;
    if (found > share) share = found, worst = quantity;
  }
  void join(const Comparison& other) {
    if (other.share > share) share = other.share, worst = other.worst;
    environments += other.environments;
    unsolved += other.unsolved;
    status_differs += other.status_differs;
  }
};

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

/// One step, then the rest of `steps`.
Comparison compare(const Scene& scene, const Options& options, int steps, Dtype dtype) {
  const int batch = options.dry_run ? kDryBatch : kBatch;
  Pair pair(scene, on("cpu", batch, dtype), on(options.device(), batch, dtype));
  const bool single = dtype == Dtype::kFloat32;
  Comparison seen;
  pair.step(1, single ? tolerance::kTrajectorySingle : tolerance::kHostAgainstCuda, seen);
  pair.step(steps - 1, single ? tolerance::kTrajectorySingle : tolerance::kTrajectory, seen);
  seen.environments = batch;
  seen.unsolved = pair.unsolved();
  return seen;
}

Subject subject_of(const CheckedScene& checked, const Choices& c, Dtype dtype, int batch) {
  return {"equivalence",
          checked.name,
          choice_name(dynamics_choice(), c.dynamics),
          choice_name(law_choice(), c.law),
          choice_name(cone_choice(), c.cone),
          choice_name(solver_choice(), c.solver),
          name_of(c.factor),
          name_of(dtype),
          0,
          batch};
}

void report_comparison(const Subject& subject, const Comparison& seen, Report& report) {
  report.checked(subject, "difference over its tolerance", seen.share, "-", 1.0, seen.worst);
  report.checked(subject, "environments whose status differs", seen.status_differs, "-", 0.0);
}

/// Combinations of one solver and precision of its factor on one scene: a row for those that fail, then one for all.
class Group {
 public:
  Group(const CheckedScene& checked, const Options& options, Dtype dtype, Report& report)
      : checked_(checked), options_(options), dtype_(dtype), report_(report) {}

  void run(const Choices& choices, const Budget& budget) {
    subject_ = subject_of(checked_, choices, dtype_, options_.dry_run ? kDryBatch : kBatch);
    if (budget.over()) {
      ++skipped_;
      return;
    }
    try {
      const int steps = options_.dry_run ? kDrySteps : checked_.steps;
      const Comparison seen = compare(with(checked_.scene, choices), options_, steps, dtype_);
      if (seen.share > 1.0 || seen.status_differs > 0) report_comparison(subject_, seen, report_);
      all_.join(seen);
      ++compared_;
    } catch (const InputError& error) {
      report_.skipped(subject_, "difference over its tolerance", error.what());
    }
  }

  void finish() {
    subject_.dynamics = subject_.law = subject_.cone = "all";
    if (compared_ > 0) {
      report_comparison(subject_, all_, report_);
      report_.measured(subject_, "combinations", compared_, "-");
      report_.measured(subject_, "environments", all_.environments, "-");
      report_.measured(subject_, "environments that the host did not solve", all_.unsolved, "-");
    }
    if (skipped_ > 0)
      report_.skipped(subject_, "difference over its tolerance",
                      std::to_string(skipped_) + " combinations: out of time");
  }

 private:
  const CheckedScene& checked_;
  const Options& options_;
  Dtype dtype_;
  Report& report_;
  Subject subject_;
  Comparison all_;
  int compared_ = 0, skipped_ = 0;
};

/// A dry run leaves the other dynamics, laws and cones to the small scenes.
bool is_wanted(const CheckedScene& checked, const Choices& c, const Options& options) {
  const PhysicsConfig& own = checked.scene.physics;
  return !options.dry_run || checked.every_law ||
         (c.dynamics == own.dynamics && c.law == own.law && c.cone == own.cone);
}

}  // namespace

void check_equivalence(const Options& options, const Budget& budget, Report& report) {
  const std::vector<Choices> choices = every_choice();
  for (const CheckedScene& checked : checked_scenes(options.scenes))
    for (const Dtype dtype : kEveryDtype)
      for (auto first = choices.begin(); first != choices.end();) {
        const auto [solver, factor] = std::pair(first->solver, first->factor);
        Group group(checked, options, dtype, report);
        for (; first != choices.end() && first->solver == solver && first->factor == factor; ++first)
          if (is_wanted(checked, *first, options)) group.run(*first, budget);
        group.finish();
      }
}

}  // namespace stiction::gpu_check
