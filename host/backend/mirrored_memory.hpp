// A piece of host memory and a piece of GPU memory, laid out alike: structs of pointers are built on the host with the
// addresses that their arrays have on the GPU, and then copied in one piece.
#pragma once

#include <algorithm>

#include "kernels/model/arena.hpp"

namespace stiction {

/// An array on the host and its copy on the GPU; both null while measuring.
template <class T>
struct Mirrored {
  T* here;
  T* there;

  void set(std::size_t i, const T& value) const {
    if (here) here[i] = value;
  }
};

class MirroredMemory {
 public:
  /// Measures how many bytes a layout needs.
  MirroredMemory() = default;
  /// Both pieces are aligned to 64 bytes.
  MirroredMemory(char* here, char* there) : here_(here), layout_(there) {}

  template <class T>
  Mirrored<T> take(std::size_t count) {
    T* here = here_ ? reinterpret_cast<T*>(here_ + layout_.used()) : nullptr;
    return {here, layout_.take<T>(count)};
  }

  /// Copies `count` values into the next array.
  template <class T>
  Mirrored<T> copy(const T* from, std::size_t count) {
    const Mirrored<T> to = take<T>(count);
    if (to.here) std::copy_n(from, count, to.here);
    return to;
  }

  std::size_t used() const { return layout_.used(); }

 private:
  char* here_ = nullptr;
  Arena layout_;
};

}  // namespace stiction
