// The parts of a run, in their order. Each writes its rows, and a "skipped" row for what its time did not allow.
#pragma once

#include <span>

#include "bench/gpu_check/plan.hpp"
#include "bench/gpu_check/report.hpp"

namespace stiction::gpu_check {

/// What a part is given: one piece of it has a process of its own.
struct Task {
  const Options& options;
  std::string piece;  // "all", or a scene
  Budget budget;
  Report& report;
};

struct Part {
  const char* name;
  double share, brief_share;        // of the time; 0: left out
  std::vector<const char*> pieces;  // scenes; empty: the part is one piece
  void (*run)(const Task& task);
};
std::span<const Part> every_part();

/// Size, memory, clocks and ceilings of the machine.
void describe_machine(const Task& task);

/// The piece's scene on host and device, as it is: one comparison, before everything that takes long.
void compare_at_first(const Task& task);

/// Environment-steps a second of the piece's scene in the largest batch, and against batch size, width and precision;
/// with what was solved and where the time went. The rows of both are of the part "speed".
void measure_largest(const Task& task);
void measure_speed(const Task& task);

/// Environment-steps a second against the number of contacts.
void measure_families(const Task& task);

/// Resets, the way of a control from the host and back, and a step of a single environment.
void measure_latency(const Task& task);

/// What the runtime says about the kernels of a step: registers, and how many blocks a multiprocessor holds.
void report_occupancy(const Task& task);

/// The solve kernel's seconds against its iterations, with cold caches and on the same problems again.
void time_iterations(const Task& task);

/// MuJoCo Warp from the states of our timed steps, where a Python has it.
void time_mujoco_warp(const Task& task);

/// The constants of bench/gpu_model.py.
void calibrate(const Task& task);

/// Writes between steps, and batches that step in turn; a few steps of a few boxes.
void check_interplay(const Task& task);

/// Host against device: every dynamics, law, cone and solver, both precisions, on the piece's scene.
void check_equivalence(const Task& task);

/// Same bits for every batch size, place in the batch and width of the solve, and again when run again.
void check_repeatability(const Task& task);

/// compute-sanitizer's memcheck and racecheck on the small case, where the tool is installed.
void check_memory_and_races(const Task& task);

/// ncu's figures of one launch of the kernel for warm starts, where the tool is installed.
void profile_solve(const Task& task);

/// A dense factor of the system's size, by cuSOLVER and counted, beside ours.
void compare_dense_factor(const Task& task);

/// What compute-sanitizer watches: every width of the default solver in both precisions, then of the others, on a few
/// boxes; as much as `options.seconds` allow, if they are given. Prints "7 of 30 cases".
void run_small_case(const Options& options);
inline constexpr const char* kSmallCaseDone = " cases";

/// What ncu watches: steps of many iiwa_stack.
void run_profiled_case(const Options& options);

}  // namespace stiction::gpu_check
