// The processor features that the compiler was allowed to use, by the names of GCC.
#pragma once

namespace stiction {

extern const char* const kCompiledFeatures[];  // ends with null

}  // namespace stiction
