// Datasets that do not change over a run.
#pragma once

#include <vector>

#include "host/record/hdf5_handle.hpp"
#include "host/record/recorder.hpp"

namespace stiction {

/// Writes /model, and /geom_friction of the environments `envs`, if they are given. Throws an InputError that begins
/// with `what`.
void write_constants(hid_t file, const RecordingConstants& constants, const RecordingLayout& layout,
                     const std::vector<int>& envs, const std::string& what);

}  // namespace stiction
