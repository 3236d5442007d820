#include "host/model/contact_arrays.hpp"

#include <cmath>

namespace stiction {

const std::vector<ContactField>& contact_fields() {
  using Real = double;
  static const std::vector<ContactField> fields = {
#define ST_CONTACT(value, name, padding, unit, part, meaning) \
  {make_readout_field<value>(#name, EnvField::contact_##name, padding, unit, meaning), ContactPart::part},
#include "kernels/model/contact_fields.inc"
#undef ST_CONTACT
  };
  return fields;
}

}  // namespace stiction
