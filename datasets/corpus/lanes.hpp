// Lanes: a text cut evenly into streams that are read side by side, window after window, by a model
// with a memory (Dai et al. 2019).
#pragma once

#include <vector>

#include "datasets/corpus/windows.hpp"

namespace tapehead {

// Successive lanes, which are read together.
struct LaneGroup {
  Index first = 0;
  Index count = 0;
};

// All lanes, in groups of so many.
std::vector<LaneGroup> lane_groups(Index lanes, Index together);

// The lanes of the first `windows` windows of a text, of `context` rows each: successive windows
// form a lane, a run of the list, in which positions count from its beginning. The first window of
// a lane has `head` rows; with `head` = `context`, they are the windows of evaluation.
WindowList lane_windows(const TokenText& text, Index windows, Index lanes, Index context,
                        Index head);

// The batches of a group in the order in which they are read: the first window of each of its
// lanes, then the second ones, and so on. Numbers of windows.
std::vector<std::vector<Index>> lane_batches(const WindowList& windows, const LaneGroup& group);

// The batches of several groups in turns, as steps need them.
std::vector<std::vector<Index>> lane_batches(const WindowList& windows,
                                             const std::vector<LaneGroup>& groups);

}  // namespace tapehead
