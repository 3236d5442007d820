// The parts of a run. Each writes its rows, and a "skipped" row for what its time did not allow.
#pragma once

#include <optional>

#include "bench/gpu_check/plan.hpp"
#include "bench/gpu_check/report.hpp"
#include "host/backend/ceilings.hpp"

namespace stiction::gpu_check {

/// Size, memory and ceilings of the machine; no ceilings in a dry run.
std::optional<Ceilings> describe_machine(const Options& options, Report& report);

/// Host against device: every dynamics, law, cone and solver, both precisions, every scene.
void check_equivalence(const Options& options, const Budget& budget, Report& report);

/// Same bits for every batch size, place in the batch and width of the solve, and again when run again.
void check_repeatability(const Options& options, const Budget& budget, Report& report);

/// Writes between steps, and batches that step in turn; a few steps of a few boxes.
void check_interplay(const Options& options, Report& report);

/// A dense factor of the system's size, by cuSOLVER and counted, beside ours.
void compare_dense_factor(const Options& options, const Budget& budget, Report& report);

/// Environment-steps a second against batch size, with what was solved and where the time went.
void measure_speed(const Options& options, const Budget& budget, const std::optional<Ceilings>& ceilings,
                   Report& report);

/// compute-sanitizer's memcheck and racecheck on the small case, where the tool is installed.
void check_memory_and_races(const Options& options, const Budget& budget, Report& report);

/// What compute-sanitizer watches: every solver, both precisions and both widths on a few boxes.
void run_small_case(const Options& options);

}  // namespace stiction::gpu_check
