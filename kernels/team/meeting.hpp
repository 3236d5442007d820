// Places of an iteration where the teams of a GPU's block wait for one another, so that they run through the same code
// at the same time: what one of them has fetched the others find near (docs/adr/0226-environments-in-step.md). The k-th
// meeting of a block is at place k % kMeetings, and a team passes by the meetings of places where it is not.
#pragma once

namespace stiction {

enum class Meeting { kEvaluate, kJudge, kFactor, kSubstitute };
constexpr int kMeetings = 4;

}  // namespace stiction
