// An array of a state, constant where the state is.
//
// A state is a struct of pointers into scratch. With bare pointers a `const State&` could still be written through, and
// a signature would not say what a function changes. An Array is such a pointer whose constness goes with the struct's:
//
//   void read(const State& x)   x.v[j], x.v + j, const Real* v = x.v     read only
//   void write(State& x)        the same, and x.v[j] = 0, Real* v = x.v
//
// It owns nothing and costs nothing; an array of one is used like a pointer, x.progress->rho. A copy of a state is as
// writable as its type says, as a copied pointer would be: states are passed by reference.
#pragma once

#include <cstddef>

#include "kernels/team/config.hpp"

namespace stiction {

template <class T>
class Array {
 public:
  Array() = default;  // not initialised, as a pointer is not; null in a value-initialised state
  ST_FN constexpr Array(T* data) : data_(data) {}

  // An array that its problem does not need is not taken, and nobody reads it; the analyzer can not know that.
  // NOLINTBEGIN(clang-analyzer-core.uninitialized.UndefReturn)
  ST_FN T& operator[](std::ptrdiff_t i) { return data_[i]; }
  ST_FN const T& operator[](std::ptrdiff_t i) const { return data_[i]; }
  // NOLINTEND(clang-analyzer-core.uninitialized.UndefReturn)

  ST_FN T* operator+(std::ptrdiff_t i) { return data_ + i; }
  ST_FN const T* operator+(std::ptrdiff_t i) const { return data_ + i; }

  ST_FN T& operator*() { return *data_; }
  ST_FN const T& operator*() const { return *data_; }

  ST_FN T* operator->() { return data_; }
  ST_FN const T* operator->() const { return data_; }

  ST_FN T* data() { return data_; }
  ST_FN const T* data() const { return data_; }

  ST_FN operator T*() { return data_; }
  ST_FN operator const T*() const { return data_; }

 private:
  T* data_;
};

namespace array_detail {

template <class T>
struct Same {
  using Type = T;
};

}  // namespace array_detail

/// T* in the signature of a function template that learns T from its other parameters: it then takes an Array as it is,
/// where a plain T* parameter would ask for data().
template <class T>
using Pointer = typename array_detail::Same<T>::Type*;

}  // namespace stiction
