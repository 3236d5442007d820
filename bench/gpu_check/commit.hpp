// The commit that was built; defined in a file that write_commit.cmake writes.
#pragma once

namespace stiction::gpu_check {

extern const char* const kCommit;

}  // namespace stiction::gpu_check
