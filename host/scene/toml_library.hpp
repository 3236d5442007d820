// Includes toml++ and turns its assertions into exceptions.
//
// Version 3.3 asserts on some malformed keys (the table header "[#", say) instead of reporting them, and in release
// builds tells the compiler that they cannot happen. A scene file may hold anything, so here a failed assertion throws
// in every build.
#pragma once

#include <stdexcept>

namespace stiction {

/// Malformed text that toml++ did not foresee.
class TomlAssertion : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] inline void throw_toml_assertion(const char* condition) { throw TomlAssertion(condition); }

}  // namespace stiction

// without streams, whose locales other libraries of a process may break
#define TOML_INT_CHARCONV 1
#define TOML_FLOAT_CHARCONV 1
#define TOML_ASSERT(condition) (static_cast<bool>(condition) ? void(0) : ::stiction::throw_toml_assertion(#condition))
#pragma push_macro("NDEBUG")
#undef NDEBUG
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")
