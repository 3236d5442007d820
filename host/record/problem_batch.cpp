#include "host/record/problem_batch.hpp"

#include <array>

namespace stiction {

const std::string& problem_kind_name(ProblemKind kind) {
  static const std::array<std::string, 5> names = {"contact", "delassus", "lcp", "mlcp", "qp"};
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace stiction
