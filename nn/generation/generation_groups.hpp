// Groups of samples that are generated together, and in parallel with other groups.
#pragma once

#include <vector>

#include "core/scalar.hpp"
#include "core/types.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Some samples of each of some prompts.
struct GenerationGroup {
  Index prompt;  // the first
  Index prompts;
  Index sample;  // the first
  Index samples;
};

inline constexpr Index most_together = 16;

// All samples of all prompts, in groups of at most so many sequences that keep so many threads
// busy. Of each sequence of a group a row is read at a time, so that larger groups read the weights
// less often.
std::vector<GenerationGroup> generation_groups(Index prompts, Index samples, Index threads,
                                               Index most = most_together);

// One search finds all outputs of a prompt.
std::vector<GenerationGroup> search_groups(Index prompts, Index samples, Index beam, Index threads,
                                           Index most = most_together);

}}  // namespace tapehead::TAPEHEAD_PRECISION
