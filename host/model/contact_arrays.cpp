#include "host/model/contact_arrays.hpp"

#include <cmath>
#include <functional>
#include <numeric>
#include <type_traits>

namespace stiction {
namespace {

template <class Value>
std::vector<std::size_t> shape_of() {
  if constexpr (std::rank_v<Value> == 0) {
    return {};
  } else {
    std::vector<std::size_t> shape = shape_of<std::remove_extent_t<Value>>();
    shape.insert(shape.begin(), std::extent_v<Value>);
    return shape;
  }
}

}  // namespace

int ContactField::numbers() const {
  return static_cast<int>(std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>()));
}

const std::vector<ContactField>& contact_fields() {
  using Real = double;
  static const std::vector<ContactField> fields = {
#define ST_CONTACT(value, name, padding, unit, part, meaning)                                                      \
  {#name,   EnvField::contact_##name, std::is_floating_point_v<NumberOf<value>>, shape_of<value>(), padding, unit, \
   meaning, ContactPart::part},
#include "kernels/model/contact_fields.inc"
#undef ST_CONTACT
  };
  return fields;
}

}  // namespace stiction
