// Where the time of a step goes: one environment on the host, phase after phase as a GPU runs them.
#pragma once

#include <array>

#include "host/scene/scene.hpp"

namespace stiction {

enum class Stage { kPrepare, kCollide, kContacts, kSolve, kJudge, kFinish };
constexpr std::size_t kStages = 6;
constexpr const char* kStageNames[kStages] = {"prepare", "collide", "contacts", "solve", "judge", "finish"};

/// Mean seconds of every stage over `steps` steps of environment 0, in double.
std::array<double, kStages> time_stages(const Scene& scene, int steps);

}  // namespace stiction
