// The attributes of a recording.
#pragma once

#include <string>

#include "host/record/hdf5_handle.hpp"
#include "host/record/recorder.hpp"

namespace stiction {

/// Writes one attribute of `object`. Throws InputError that begins with `what`.
void write_attribute(hid_t object, const RecordingAttribute& attribute, const std::string& what);

}  // namespace stiction
