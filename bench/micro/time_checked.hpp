// How every benchmark here is timed: its result is checked first, and a wrong one is an error in place of a time.
#pragma once

#include <benchmark/benchmark.h>

namespace stiction::bench {

/// Times run(). find_fault() says what is wrong with the result of a run; null: nothing.
template <class Run, class FindFault>
void time_checked(benchmark::State& state, Run run, FindFault find_fault) {
  run();
  if (const char* fault = find_fault()) return state.SkipWithError(fault);
  for ([[maybe_unused]] auto _ : state) {
    run();
    benchmark::ClobberMemory();
  }
}

}  // namespace stiction::bench
