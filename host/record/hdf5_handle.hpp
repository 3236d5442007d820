// Owned HDF5 identifiers, and HDF5's error stack as one line.
#pragma once

#include <hdf5.h>

#include <string>
#include <utility>

#include "host/model/error.hpp"

namespace stiction {

/// An HDF5 identifier that is closed once; a negative identifier holds nothing.
class Hdf5Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Hdf5Handle() = default;
  Hdf5Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Hdf5Handle() { close(); }

  hid_t get() const { return id_; }
  /// Returns a negative value if closing failed. In either case nothing is held afterwards.
  herr_t close() { return id_ < 0 ? 0 : close_(release()); }
  /// Gives up the identifier, which is then not closed.
  hid_t release() { return std::exchange(id_, -1); }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// Keeps HDF5 from printing, and from running after main(), so that it does not write a file again that could not be
/// written. To be called before any other function of HDF5.
void silence_hdf5();

/// Closes an HDF5 file without another change to it: data that HDF5 still buffers are lost. Its datasets must be
/// closed.
void abandon_file(Hdf5Handle& file) noexcept;

/// Version of the HDF5 library that is loaded.
std::string hdf5_version();

/// The operating system's reason in HDF5's current error stack, or if it has none, the innermost message; clears the
/// stack.
std::string take_hdf5_error();

/// Throws InputError "`what`: reason" if an HDF5 call returned a negative value.
template <class Result>
Result check_hdf5(Result result, const std::string& what) {
  if (result < 0) throw InputError(what + ": " + take_hdf5_error());
  return result;
}

}  // namespace stiction
