// Many steps in pieces, between which Ctrl-C is heard.
#pragma once

#include <functional>

#include "host/api/simulator.hpp"

namespace stiction::python {

/// Advances every environment by `steps` in pieces of about 50 ms, each of whole steps of the whole batch, and calls
/// `between` after every piece but the last. Bits are those of one call: the status is OR-ed over all pieces, and
/// kConverged stands only if every step converged. What `between` throws leaves the batch after a whole step, with the
/// status of the steps that were done.
void step_in_pieces(Simulator& simulator, int steps, const std::function<void()>& between);

}  // namespace stiction::python
