#include "host/cli/stage_differences.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <type_traits>
#include <utility>

#include "host/cli/contact_matching.hpp"

namespace stiction {
namespace {

/// The part of a (batch, length) array that belongs to one environment.
std::span<const double> part_of(const std::vector<double>& values, int env, std::size_t batch) {
  const std::size_t length = values.size() / batch;
  return std::span(values).subspan(static_cast<std::size_t>(env) * length, length);
}

std::vector<double> part_of_count(const std::vector<int>& count, int env) {
  return {static_cast<double>(count[static_cast<std::size_t>(env)])};
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

std::vector<Quantity> list_patch_quantities() {
  std::vector<Quantity> all = {{"count", "patches", "count"}};
  std::vector<Quantity> loads;
  for (const ReadoutField& field : patch_fields()) {
    const std::string name = field.name;
    if (!field.is_real) continue;
    const bool is_load = name == "force" || name == "torsion";
    (is_load ? loads : all)
        .push_back(
            {name, is_load ? "solution" : "patches", with_unit(is_load ? name + " of a patch" : name, field.unit)});
  }
  all.push_back({"velocity", "solution", "velocity [m/s, rad/s]"});
  all.insert(all.end(), loads.begin(), loads.end());
  all.push_back({"residual", "solution", "residual"});
  all.push_back({"qpos", "integration", "qpos [m, rad]"});
  return all;
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

const std::vector<Quantity>& quantities(ContactModel contact) {
  static const std::vector<Quantity> of_points = list_quantities(), of_patches = list_patch_quantities();
  return contact == ContactModel::kPatch ? of_patches : of_points;
}

StageDifferences::StageDifferences(ContactModel contact) : contact_(contact) {
  for (const Quantity& quantity : quantities(contact)) largest_[quantity.name];
}

StepReadout read_step(const Simulator& simulator) {
  const auto status = simulator.status();
  return {simulator.qpos(),    simulator.qvel(),  simulator.contacts(),
          simulator.patches(), simulator.stats(), {status.begin(), status.end()}};
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
    if (contact_ == ContactModel::kPatch)
      add_patches(step, env, a.patches, b.patches);
    else
      add_contacts(step, env, a.contacts, b.contacts);
    const auto index = static_cast<std::size_t>(env);
    status_differs_ += a.status[index] != b.status[index];
  }
}

void StageDifferences::add_contacts(std::int64_t step, int env, const ContactArrays& a, const ContactArrays& b) {
  largest_.at("count").add(step, env, part_of_count(a.count, env), part_of_count(b.count, env));
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

void StageDifferences::add_patches(std::int64_t step, int env, const PatchArrays& a, const PatchArrays& b) {
  largest_.at("count").add(step, env, part_of_count(a.count, env), part_of_count(b.count, env));
  const ContactMatching matching = match_patches(a, b, env);
  PatchArrays::visit([&](const ReadoutField& field, auto array) {
    if constexpr (std::is_same_v<decltype(array), std::vector<double> PatchArrays::*>) {
      const int width = field.numbers();
      largest_.at(field.name).add(step, env, gather(a.*array, matching.a, width), gather(b.*array, matching.b, width));
    }
  });
  most_unmatched_ = std::max(most_unmatched_, matching.only_a.size() + matching.only_b.size());
  for (const auto& [patches, places] : {std::pair(&a, &matching.only_a), std::pair(&b, &matching.only_b)})
    for (const int place : *places)
      unmatched_force_ = std::fmax(unmatched_force_, patches->force[3 * static_cast<std::size_t>(place)]);
}

void StageDifferences::note_gaps(const ContactArrays& contacts, const std::vector<int>& places) {
  for (const double gap : gather(contacts.gap, places, 1)) unmatched_gap_ = std::fmin(unmatched_gap_, gap);
}

}  // namespace stiction
