// What one contact or patch has in an array of its list: a number, Real, or numbers side by side, Real[3], Real[3][3].
#pragma once

#include <type_traits>

namespace stiction {

/// The type of a value's numbers.
template <class Value>
using NumberOf = std::remove_all_extents_t<Value>;

/// How many numbers a value has.
template <class Value>
constexpr int kNumbers = static_cast<int>(sizeof(Value) / sizeof(NumberOf<Value>));

}  // namespace stiction
