// The attributes of a recording: names, choices, texts, versions.
#pragma once

#include <vector>

#include "host/api/simulator.hpp"
#include "host/cli/run_options.hpp"
#include "host/record/recorder.hpp"
#include "host/scene/scene_sources.hpp"

namespace stiction {

/// The attributes of every file that a run writes: the scene's text, its choices, its names, the run, the versions.
std::vector<RecordingAttribute> run_attributes(const Simulator& simulator, std::int64_t every);

/// The same, and the tables of the scene.
std::vector<RecordingAttribute> recording_attributes(const Simulator& simulator, const RecordingPlan& plan,
                                                     const SceneSources& sources);

}  // namespace stiction
