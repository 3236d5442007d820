// Differences of two runs, stage by stage, over the steps that they share: everything that can be read about contacts,
// solution and integration. Only what a step determines uniquely is compared, so no single contact forces. Where
// friction acts on patches, these are compared and not their points.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "host/api/simulator.hpp"
#include "host/cli/largest_difference.hpp"

namespace stiction {

/// The readout of one step of a batch.
struct StepReadout {
  std::vector<double> qpos, qvel;  // (batch, nq), (batch, nv)
  ContactArrays contacts;
  PatchArrays patches;
  StepStats stats;
  std::vector<std::uint32_t> status;  // (batch)
};

StepReadout read_step(const Simulator& simulator);

/// A line of the table.
struct Quantity {
  std::string name;   // what `StageDifferences::of` calls it: "force"
  std::string stage;  // "solution"
  std::string label;  // "normal force of a pair [N]"
};

/// The quantities of the table, in its order; they include the arrays of kernels/model/contact_fields.inc, or those of
/// patch_fields.inc.
const std::vector<Quantity>& quantities(ContactModel contact);

class StageDifferences {
 public:
  explicit StageDifferences(ContactModel contact = ContactModel::kPoints);

  /// Takes one step of every environment.
  void add(std::int64_t step, const StepReadout& a, const StepReadout& b);

  ContactModel contact() const { return contact_; }
  const LargestDifference& of(const std::string& name) const { return largest_.at(name); }
  std::int64_t status_differs() const { return status_differs_; }  // environment-steps with different status bits
  /// Contacts or patches that only one side has: the most in an environment-step, and of all of them the smallest gap
  /// of contacts [m] and the largest normal force of patches [N].
  std::size_t most_unmatched() const { return most_unmatched_; }
  double unmatched_gap() const { return unmatched_gap_; }  // infinite: there was none
  double unmatched_force() const { return unmatched_force_; }

 private:
  void add_contacts(std::int64_t step, int env, const ContactArrays& a, const ContactArrays& b);
  void add_patches(std::int64_t step, int env, const PatchArrays& a, const PatchArrays& b);
  void note_gaps(const ContactArrays& contacts, const std::vector<int>& places);

  ContactModel contact_;
  std::map<std::string, LargestDifference> largest_;  // by name, of all quantities
  std::int64_t status_differs_ = 0;
  std::size_t most_unmatched_ = 0;
  double unmatched_gap_ = std::numeric_limits<double>::infinity();
  double unmatched_force_ = 0.0;
};

}  // namespace stiction
