// The contacts of a step as arrays of the whole batch, and what kernels/model/contact_fields.inc says of each.
#pragma once

#include <vector>

#include "host/model/readout_field.hpp"

namespace stiction {

/// The part of a step that an array belongs to.
enum class ContactPart { kName, kStart, kSolution, kShared };

/// A line of the list.
struct ContactField : ReadoutField {
  ContactPart part;
};

/// All of them, in the order of the list.
const std::vector<ContactField>& contact_fields();

/// Contacts of the last step; arrays of (batch, max_contacts, ...), whose names, shapes, units and meanings are those
/// of kernels/model/contact_fields.inc: std::vector<int> geom (.., 2), std::vector<double> gap (..), and so on.
struct ContactArrays {
  using Real = double;
  static constexpr EnvField kCount = EnvField::contact_count;
  int max_contacts = 0;
  std::vector<int> count;  // (batch)
#define ST_CONTACT(value, name, padding, unit, part, meaning) std::vector<NumberOf<value>> name;
#include "kernels/model/contact_fields.inc"
#undef ST_CONTACT

  /// Calls see(field, array) for each line; `array` is a pointer to the member.
  template <class See>
  static void visit(See&& see) {
    auto field = contact_fields().begin();
#define ST_CONTACT(value, name, padding, unit, part, meaning) see(*field++, &ContactArrays::name);
#include "kernels/model/contact_fields.inc"
#undef ST_CONTACT
  }
};

}  // namespace stiction
