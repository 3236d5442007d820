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
  double left;         // [s]; 0: the step is over
  double end;          // time at which the step ends [s]
  int count;           // parts so far
  bool idle;           // this environment has no further part
  int iterations;      // of the solver, in the parts before
  double residual;     // largest of the parts before [-]
  std::uint32_t bits;  // kPartsOpen, if there were too many
};

}  // namespace stiction
