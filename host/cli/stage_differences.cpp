#include "host/cli/stage_differences.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "host/cli/contact_matching.hpp"

namespace stiction {
namespace {

/// The part of a (batch, length) array that belongs to one environment.
std::span<const double> part_of(const std::vector<double>& values, int env, std::size_t batch) {
  const std::size_t length = values.size() / batch;
  return std::span(values).subspan(static_cast<std::size_t>(env) * length, length);
}

/// The `width` entries of each contact in `places`, one after the other.
std::vector<double> gather(const std::vector<double>& values, const std::vector<int>& places, std::size_t width) {
  std::vector<double> gathered;
  for (const int place : places) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(place) * width);
    gathered.insert(gathered.end(), begin, begin + static_cast<std::ptrdiff_t>(width));
  }
  return gathered;
}

}  // namespace

StepReadout read_step(const Simulator& simulator) {
  const auto status = simulator.status();
  return {simulator.qpos(), simulator.qvel(), simulator.contacts(), simulator.stats(), {status.begin(), status.end()}};
}

void StageDifferences::add(std::int64_t step, const StepReadout& a, const StepReadout& b) {
  const std::size_t batch = a.status.size();
  for (int env = 0; env < static_cast<int>(batch); ++env) {
    const auto compare = [&](Quantity quantity, const std::vector<double>& of_a, const std::vector<double>& of_b) {
      largest(quantity).add(step, env, part_of(of_a, env, batch), part_of(of_b, env, batch));
    };
    compare(Quantity::kVelocity, a.qvel, b.qvel);
    compare(Quantity::kResidual, a.stats.residual, b.stats.residual);
    compare(Quantity::kQpos, a.qpos, b.qpos);
    add_contacts(step, env, a.contacts, b.contacts);
    const auto index = static_cast<std::size_t>(env);
    status_differs_ += a.status[index] != b.status[index];
  }
}

void StageDifferences::add_contacts(std::int64_t step, int env, const ContactArrays& a, const ContactArrays& b) {
  const auto count = [&](const ContactArrays& contacts) {
    return std::vector<double>{static_cast<double>(contacts.count[static_cast<std::size_t>(env)])};
  };
  largest(Quantity::kCount).add(step, env, count(a), count(b));
  const ContactMatching matching = match_contacts(a, b, env);
  const auto compare = [&](Quantity quantity, const std::vector<double>& of_a, const std::vector<double>& of_b,
                           std::size_t width) {
    largest(quantity).add(step, env, gather(of_a, matching.a, width), gather(of_b, matching.b, width));
  };
  compare(Quantity::kGap, a.gap, b.gap, 1);
  compare(Quantity::kPosition, a.position, b.position, 3);
  compare(Quantity::kFrame, a.frame, b.frame, 9);
  compare(Quantity::kGapNext, a.gap_next, b.gap_next, 1);
  const PairForces forces = sum_normal_forces(a, b, env), torsion = sum_torsion(a, b, env);
  largest(Quantity::kForce).add(step, env, forces.a, forces.b);
  largest(Quantity::kTorsion).add(step, env, torsion.a, torsion.b);
  most_unmatched_ = std::max(most_unmatched_, matching.only_a.size() + matching.only_b.size());
  note_gaps(a, matching.only_a);
  note_gaps(b, matching.only_b);
}

void StageDifferences::note_gaps(const ContactArrays& contacts, const std::vector<int>& places) {
  for (const double gap : gather(contacts.gap, places, 1)) unmatched_gap_ = std::fmin(unmatched_gap_, gap);
}

}  // namespace stiction
