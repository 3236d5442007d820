// What a kernel did wrong: said on the standard error output, and counted for tests.
#pragma once

#include <string>

namespace emulated_gpu {

/// Of the kernel that runs. Work that is waited for later ends with cudaErrorLaunchFailure.
void report_fault(const std::string& what);

/// The same again.
void count_fault();

/// Faults so far, and from now on none.
int take_faults();

}  // namespace emulated_gpu
