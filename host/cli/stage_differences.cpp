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
template <class T>
std::vector<double> gather(const std::vector<T>& values, const std::vector<int>& places, int width) {
  std::vector<double> gathered;
  for (const int place : places) {
    const auto begin = values.begin() + std::ptrdiff_t{place} * width;
    gathered.insert(gathered.end(), begin, begin + width);
  }
  return gathered;
}

std::string with_unit(const std::string& words, const std::string& unit) {
  return unit.empty() ? words : words + " [" + unit + "]";
}

/// The label of what is compared of a contact array.
std::string label_of(const ContactField& field) {
  const std::string name = field.name;
  if (field.part != ContactPart::kShared) return with_unit(name, field.unit);
  return with_unit((field.shape.empty() ? name : "normal " + name) + " of a pair", field.unit);
}

void append_contact_fields(ContactPart part, const std::string& stage, std::vector<Quantity>& all) {
  for (const ContactField& field : contact_fields())
    if (field.part == part) all.push_back({field.name, stage, label_of(field)});
}

std::vector<Quantity> list_quantities() {
  std::vector<Quantity> all = {{"count", "contacts", "count"}};
  append_contact_fields(ContactPart::kStart, "contacts", all);
  all.push_back({"velocity", "solution", "velocity [m/s, rad/s]"});
  append_contact_fields(ContactPart::kSolution, "solution", all);
  append_contact_fields(ContactPart::kShared, "solution", all);
  all.push_back({"residual", "solution", "residual"});
  all.push_back({"qpos", "integration", "qpos [m, rad]"});
  return all;
}

}  // namespace

const std::vector<Quantity>& quantities() {
  static const std::vector<Quantity> all = list_quantities();
  return all;
}

StageDifferences::StageDifferences() {
  for (const Quantity& quantity : quantities()) largest_[quantity.name];
}

StepReadout read_step(const Simulator& simulator) {
  const auto status = simulator.status();
  return {simulator.qpos(), simulator.qvel(), simulator.contacts(), simulator.stats(), {status.begin(), status.end()}};
}

void StageDifferences::add(std::int64_t step, const StepReadout& a, const StepReadout& b) {
  const std::size_t batch = a.status.size();
  for (int env = 0; env < static_cast<int>(batch); ++env) {
    const auto compare = [&](const char* name, const std::vector<double>& of_a, const std::vector<double>& of_b) {
      largest_.at(name).add(step, env, part_of(of_a, env, batch), part_of(of_b, env, batch));
    };
    compare("velocity", a.qvel, b.qvel);
    compare("residual", a.stats.residual, b.stats.residual);
    compare("qpos", a.qpos, b.qpos);
    add_contacts(step, env, a.contacts, b.contacts);
    const auto index = static_cast<std::size_t>(env);
    status_differs_ += a.status[index] != b.status[index];
  }
}

void StageDifferences::add_contacts(std::int64_t step, int env, const ContactArrays& a, const ContactArrays& b) {
  const auto count = [&](const ContactArrays& contacts) {
    return std::vector<double>{static_cast<double>(contacts.count[static_cast<std::size_t>(env)])};
  };
  largest_.at("count").add(step, env, count(a), count(b));
  const ContactMatching matching = match_contacts(a, b, env);
  ContactArrays::visit([&](const ContactField& field, auto array) {
    if (field.part == ContactPart::kName) return;
    const int width = field.numbers();
    if (field.part == ContactPart::kShared) {
      const PairSums sums = sum_over_pairs(a, b, env, [&](const ContactArrays& contacts, std::size_t i) {
        return static_cast<double>((contacts.*array)[i * static_cast<std::size_t>(width)]);
      });
      largest_.at(field.name).add(step, env, sums.a, sums.b);
      return;
    }
    largest_.at(field.name).add(step, env, gather(a.*array, matching.a, width), gather(b.*array, matching.b, width));
  });
  most_unmatched_ = std::max(most_unmatched_, matching.only_a.size() + matching.only_b.size());
  note_gaps(a, matching.only_a);
  note_gaps(b, matching.only_b);
}

void StageDifferences::note_gaps(const ContactArrays& contacts, const std::vector<int>& places) {
  for (const double gap : gather(contacts.gap, places, 1)) unmatched_gap_ = std::fmin(unmatched_gap_, gap);
}

}  // namespace stiction
