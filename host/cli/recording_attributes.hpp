// The attributes of a recording: names, choices, texts, versions.
#pragma once

#include <vector>

#include "host/api/simulator.hpp"
#include "host/cli/run_options.hpp"
#include "host/record/recorder.hpp"
#include "host/scene/scene_sources.hpp"

namespace stiction {

std::vector<RecordingAttribute> recording_attributes(const Simulator& simulator, const RecordingPlan& plan,
                                                     const SceneSources& sources);

}  // namespace stiction
