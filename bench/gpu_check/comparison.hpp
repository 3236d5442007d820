// A claim: host and device give the same steps but for the rounding of library functions. The host solves as a GPU
// does: the ways that only one lane goes end elsewhere within the tolerance.
//
//   difference(a, b) = max_i |a_i - b_i| / max_i |a_i|        over the environments that the host solved in every step
//
// A step that is not solved returns its best iterate, and of two that are nearly as good either side may keep another;
// such environments count, but only their status is compared. Limits: tests/support/tolerances.hpp.
//
// Some steps double what is small: a solver of first order stops one iteration later, Coulomb's law lets a contact
// stick or slip. Where the course of the host itself leaves the limits when the last places of its coordinates change
// at the start, the course says nothing about the device, and every step is compared by itself, from the host's state
// before it. A step that comes out as differently on the host when the last places change is *not determined*; it is
// counted.
#pragma once

#include <functional>
#include <memory>

#include "bench/gpu_check/plan.hpp"
#include "bench/gpu_check/report.hpp"
#include "host/backend/backend.hpp"

namespace stiction::gpu_check {

/// What one combination, or a group of them, showed.
struct Comparison {
  double share = 0.0;  // largest difference over its limit
  std::string worst;   // the quantity with that share
  int environments = 0, unsolved = 0, status_differs = 0;

  // of courses that are not determined; their share and status are those of the steps that are, one by one
  int undetermined = 0;             // such courses
  double undetermined_share = 0.0;  // as `share`, of all of the course
  int steps = 0, undetermined_steps = 0;

  void add(const char* quantity, double difference, double limit);
  void join(const Comparison& other);
  bool has_failed() const { return share > 1.0 || status_differs > 0; }
};

/// Environments of a comparison.
int compared_batch(const Options& options);

/// Two ways to start the same `environments`.
struct Sides {
  std::function<std::unique_ptr<Backend>()> host, device;
  int environments;
  Dtype dtype;
};

/// One step, then the rest of `steps` >= 2, on both sides; one by one where that is not determined.
Comparison compare(const Sides& sides, int steps);
/// The same of a scene, on the host and on the device.
Comparison compare(const Scene& scene, const Options& options, int steps, Dtype dtype);

/// Changes the last place of every coordinate of `batch`, up or down; in one of `kChanges` ways.
constexpr int kChanges = 32;
void change_last_places(int way, int environments, Backend& batch);

/// The subject of a comparison of `scene` with these choices.
Subject comparison_subject(const char* part, const CheckedScene& scene, const Choices& choices, Dtype dtype,
                           const Options& options);

void report_comparison(const Subject& subject, const Comparison& seen, Report& report);

}  // namespace stiction::gpu_check
