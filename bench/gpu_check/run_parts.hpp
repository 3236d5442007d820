// A run: every part in processes of its own, one after the other, with a time limit each.
#pragma once

#include "bench/gpu_check/parts.hpp"

namespace stiction::gpu_check {

/// Runs the parts that `options` ask for. What ends a process of a part early is a failed row of that part; the others
/// run all the same.
void run_parts(const Options& options, Report& report);

/// Runs one piece of a part in this process, as options.part says. Returns false if an exception ended it, which is a
/// row then.
bool run_piece(const Options& options, Report& report);

}  // namespace stiction::gpu_check
