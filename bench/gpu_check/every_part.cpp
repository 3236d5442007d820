#include "bench/gpu_check/parts.hpp"

namespace stiction::gpu_check {
namespace {

const std::vector<const char*> kChecked = {"pushed_boxes",   "gripper2d",    "planar_pick",
                                           "fence_particle", "iiwa_stack_1", "iiwa_stack"};
const std::vector<const char*> kTimed = {"iiwa_stack", "hand_cube", "gripper2d"};

// what is worth most comes first; the shares are seconds of a run of 8 minutes, and of one
const Part kParts[] = {
    {"machine", 14, 6, {}, describe_machine},
    {"first", 24, 12, {"gripper2d", "hand_cube", "iiwa_stack"}, compare_at_first},
    {"largest", 80, 38, kTimed, measure_largest},
    {"speed", 115, 0, kTimed, measure_speed},
    {"calibration", 20, 0, {}, calibrate},
    {"families", 35, 0, {}, measure_families},
    {"latency", 15, 0, {}, measure_latency},
    {"interplay", 8, 0, {}, check_interplay},
    {"equivalence", 60, 0, kChecked, check_equivalence},
    {"repeatability", 40, 0, kChecked, check_repeatability},
    {"profile", 15, 0, {}, profile_solve},
    {"sanitizer", 25, 0, {}, check_memory_and_races},
    {"dense_factor", 20, 0, {}, compare_dense_factor},
};

}  // namespace

std::span<const Part> every_part() { return kParts; }

}  // namespace stiction::gpu_check
