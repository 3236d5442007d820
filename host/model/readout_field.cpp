#include "host/model/readout_field.hpp"

#include <functional>
#include <numeric>

namespace stiction {

int ReadoutField::numbers() const {
  return static_cast<int>(std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>()));
}

}  // namespace stiction
