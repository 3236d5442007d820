// The processor features that the compiler was allowed to use, by the names of __builtin_cpu_supports.
#pragma once

namespace stiction {

extern const char* const kCompiledFeatures[];  // ends with null

}  // namespace stiction
