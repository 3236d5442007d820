#include "bench/gpu_check/parts.hpp"

namespace stiction::gpu_check {
namespace {

const std::vector<const char*> kChecked = {"pushed_boxes",   "gripper2d",    "planar_pick",
                                           "fence_particle", "iiwa_stack_1", "iiwa_stack"};
const std::vector<const char*> kTimed = {"iiwa_stack", "hand_cube", "gripper2d"};

// what is worth most comes first; the shares are seconds of a run of 8 minutes, and of one, without what is kept for
// processes that are killed (run_parts.cpp). A part that finds no tool or no Python leaves its time to those after it.
const Part kParts[] = {
    {"machine", 14, 6, {}, describe_machine},
    {"first", 24, 12, {"gripper2d", "hand_cube", "iiwa_stack"}, compare_at_first},
    {"largest", 76, 39, kTimed, measure_largest},
    {"occupancy", 8, 0, {}, report_occupancy},
    {"iterations", 16, 0, {}, time_iterations},
    {"speed", 94, 0, kTimed, measure_speed},
    {"calibration", 16, 0, {}, calibrate},
    {"families", 28, 0, {}, measure_families},
    {"latency", 13, 0, {}, measure_latency},
    {"mujoco_warp", 54, 0, {}, time_mujoco_warp},
    {"interplay", 7, 0, {}, check_interplay},
    {"equivalence", 42, 0, kChecked, check_equivalence},
    {"repeatability", 28, 0, kChecked, check_repeatability},
    {"profile", 12, 0, {}, profile_solve},
    {"sanitizer", 14, 0, {}, check_memory_and_races},
    {"dense_factor", 10, 0, {}, compare_dense_factor},
};

}  // namespace

std::span<const Part> every_part() { return kParts; }

}  // namespace stiction::gpu_check
