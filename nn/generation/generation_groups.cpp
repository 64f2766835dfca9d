#include "nn/generation/generation_groups.hpp"

#include <algorithm>

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// What each thread has to write, but at most `most`.
Index sequences_together(Index sequences, Index threads, Index most) {
  return std::clamp<Index>((sequences + threads - 1) / threads, 1, most);
}

std::vector<GenerationGroup> groups_of(Index prompts, Index samples, Index prompts_together,
                                       Index samples_together) {
  std::vector<GenerationGroup> groups;
  for (Index prompt = 0; prompt < prompts; prompt += prompts_together) {
    for (Index sample = 0; sample < samples; sample += samples_together) {
      groups.push_back({.prompt = prompt,
                        .prompts = std::min(prompts_together, prompts - prompt),
                        .sample = sample,
                        .samples = std::min(samples_together, samples - sample)});
    }
  }
  return groups;
}

}  // namespace

std::vector<GenerationGroup> generation_groups(Index prompts, Index samples, Index threads,
                                               Index most) {
  const Index together = sequences_together(prompts * samples, threads, most);
  const Index samples_together = std::min(samples, together);
  return groups_of(prompts, samples, together / samples_together, samples_together);
}

std::vector<GenerationGroup> search_groups(Index prompts, Index samples, Index beam, Index threads,
                                           Index most) {
  const Index together = sequences_together(prompts * beam, threads, most);
  return groups_of(prompts, samples, std::max<Index>(1, together / beam), samples);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
