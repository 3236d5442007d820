// Whole numbers from the command line.
#pragma once

namespace stiction {

/// The value as int if it is at least `least`; else an InputError that names the option (without its dashes).
int checked_int(const char* option, long long value, int least);

/// The value of --solve-threads, if it is 0, for a choice by `what`, or a number of threads that may share a solve.
int checked_solve_threads(long long value, const char* what);

}  // namespace stiction
