#include "host/model/patch_arrays.hpp"

#include <cmath>

namespace stiction {

const std::vector<ReadoutField>& patch_fields() {
  using Real = double;
  static const std::vector<ReadoutField> fields = {
#define ST_PATCH(value, name, padding, unit, meaning) \
  make_readout_field<value>(#name, EnvField::patch_##name, padding, unit, meaning),
#include "kernels/model/patch_fields.inc"
#undef ST_PATCH
  };
  return fields;
}

}  // namespace stiction
