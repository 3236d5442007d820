// Where a step is whose bodies move first, part by part (move_first.hpp). Other steps have one part.
#pragma once

#include <cstdint>

namespace stiction {

/// How a step, or a part of it, begins.
enum class Entry : int {
  kCall,   // the first step of a call
  kStep,   // another step
  kPart,   // another part of a step
  kMoved,  // the bodies of this part have moved
};

/// What is left of a step whose bodies move first.
struct PartsOfStep {
  double left = 0.0;       // [s]; 0: the step is over
  double end = 0.0;        // time at which the step ends [s]
  int count = 0;           // parts so far
  bool idle = false;       // this environment has no further part
  int iterations = 0;      // of the solver, in the parts before
  double residual = 0.0;   // largest of the parts before [-]
  std::uint32_t bits = 0;  // kPartsOpen, if there were too many
  double tried = 0.0;      // how long the bodies move in this part, as far as is known [s]
  int tries = 0;           // how often that was shortened
  bool seeks = false;      // it is not settled yet
};

}  // namespace stiction
