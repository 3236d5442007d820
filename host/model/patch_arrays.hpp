// The contact patches of a step as arrays of the whole batch, and what kernels/model/patch_fields.inc says of each.
#pragma once

#include <vector>

#include "host/model/readout_field.hpp"

namespace stiction {

/// The lines of the list, in its order.
const std::vector<ReadoutField>& patch_fields();

/// Patches of the last step that carry force; arrays of (batch, max_patches, ...), whose names, shapes, units and
/// meanings are those of kernels/model/patch_fields.inc: std::vector<int> geom (.., 2), std::vector<double> point
/// (.., 3), and so on. Without `contact = "patch"` max_patches is 0.
struct PatchArrays {
  using Real = double;
  static constexpr EnvField kCount = EnvField::patch_count;
  int max_patches = 0;
  std::vector<int> count;  // (batch)
#define ST_PATCH(value, name, padding, unit, meaning) std::vector<NumberOf<value>> name;
#include "kernels/model/patch_fields.inc"
#undef ST_PATCH

  /// Calls see(field, array) for each line; `array` is a pointer to the member.
  template <class See>
  static void visit(See&& see) {
    auto field = patch_fields().begin();
#define ST_PATCH(value, name, padding, unit, meaning) see(*field++, &PatchArrays::name);
#include "kernels/model/patch_fields.inc"
#undef ST_PATCH
  }
};

}  // namespace stiction
