// The contacts of a step as arrays of the whole batch, and what kernels/model/contact_fields.inc says of each.
#pragma once

#include <cstddef>
#include <vector>

#include "host/model/env_field.hpp"
#include "kernels/model/contact_value.hpp"

namespace stiction {

/// Contacts of the last step; arrays of (batch, max_contacts, ...), whose names, shapes, units and meanings are those
/// of kernels/model/contact_fields.inc: std::vector<int> geom (.., 2), std::vector<double> gap (..), and so on.
struct ContactArrays {
  using Real = double;
  int max_contacts = 0;
  std::vector<int> count;  // (batch)
#define ST_CONTACT(value, name, padding, unit, part, meaning) std::vector<NumberOf<value>> name;
#include "kernels/model/contact_fields.inc"
#undef ST_CONTACT
};

/// The part of a step that an array belongs to.
enum class ContactPart { kName, kStart, kSolution, kShared };

/// A line of the list.
struct ContactField {
  const char* name;
  EnvField id;                     // the array in the memory of a simulator
  bool is_real;                    // or the number of a thing
  std::vector<std::size_t> shape;  // of one contact: none for a number, {3}, {3, 3}
  double padding;                  // behind the contacts of an environment
  const char *unit, *meaning;
  ContactPart part;

  int numbers() const;  // of one contact
};

/// All of them, in the order of the list.
const std::vector<ContactField>& contact_fields();

/// Calls visit(field, array) for each; `array` is the ContactArrays' member.
template <class Visit>
void visit_contact_arrays(Visit&& visit) {
  auto field = contact_fields().begin();
#define ST_CONTACT(value, name, padding, unit, part, meaning) visit(*field++, &ContactArrays::name);
#include "kernels/model/contact_fields.inc"
#undef ST_CONTACT
}

}  // namespace stiction
