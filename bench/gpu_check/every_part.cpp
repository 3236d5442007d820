#include "bench/gpu_check/parts.hpp"

namespace stiction::gpu_check {
namespace {

const std::vector<const char*> kChecked = {"pushed_boxes",   "gripper2d",    "patch_bodies", "planar_pick",
                                           "fence_particle", "iiwa_stack_1", "iiwa_stack"};
const std::vector<const char*> kTimed = {"iiwa_stack", "hand_cube", "gripper2d"};

// what takes seconds comes before what takes all it gets, then what is worth most; the shares are seconds of a run of 8
// minutes, and of one, without what is kept for processes that are killed (run_parts.cpp). A part that finds no tool or
// no Python leaves its time to those after it.
const Part kParts[] = {
    {"machine", 10, 6, {}, describe_machine},
    {"first", 14, 12, {"gripper2d", "hand_cube", "iiwa_stack"}, compare_at_first},
    {"occupancy", 6, 0, {}, report_occupancy},
    {"calibration", 10, 0, {}, calibrate},
    {"iterations", 12, 0, {}, time_iterations},
    {"largest", 84, 39, kTimed, measure_largest},
    {"speed", 84, 0, kTimed, measure_speed},
    {"families", 16, 0, {}, measure_families},
    {"latency", 12, 0, {}, measure_latency},
    {"mujoco_warp", 54, 0, {}, time_mujoco_warp},
    {"interplay", 5, 0, {}, check_interplay},
    {"equivalence", 54, 0, kChecked, check_equivalence},
    {"repeatability", 18, 0, kChecked, check_repeatability},
    {"dense_factor", 12, 0, {}, compare_dense_factor},
    {"profile", 25, 0, {}, profile_solve},
    {"sanitizer", 40, 0, {}, check_memory_and_races},
};

}  // namespace

std::span<const Part> every_part() { return kParts; }

}  // namespace stiction::gpu_check
