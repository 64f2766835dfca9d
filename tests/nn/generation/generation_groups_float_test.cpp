#include "nn/generation/generation.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

// How many groups contain each sample of each prompt.
std::map<std::pair<Index, Index>, int> counts_of(const std::vector<GenerationGroup>& groups) {
  std::map<std::pair<Index, Index>, int> counts;
  for (const GenerationGroup& group : groups) {
    for (Index prompt = group.prompt; prompt < group.prompt + group.prompts; ++prompt) {
      for (Index sample = group.sample; sample < group.sample + group.samples; ++sample) {
        ++counts[{prompt, sample}];
      }
    }
  }
  return counts;
}

TEST(GenerationGroups, every_sample_is_in_one_of_them) {
  for (const Index threads : {1, 2, 3, 8}) {
    for (const Index prompts : {1, 2, 5, 40}) {
      for (const Index samples : {1, 3, 16, 33}) {
        for (const auto& counts : {counts_of(generation_groups(prompts, samples, threads)),
                                   counts_of(search_groups(prompts, samples, 33, threads))}) {
          EXPECT_EQ(std::ssize(counts), prompts * samples);
          for (const auto& [sample, count] : counts) {
            EXPECT_EQ(count, 1) << sample.first << " " << sample.second << ", " << threads;
          }
        }
      }
    }
  }
}

TEST(GenerationGroups, few_samples_are_shared_out) {
  EXPECT_EQ(generation_groups(16, 1, 2).size(), 2U);
  EXPECT_EQ(generation_groups(1, 16, 2).size(), 2U);
  EXPECT_EQ(generation_groups(1, 1, 2).size(), 1U);
  EXPECT_EQ(generation_groups(4, 1, 4).size(), 4U) << "one for each thread";
  EXPECT_EQ(search_groups(2, 1, 5, 2).size(), 2U);
  EXPECT_EQ(search_groups(1, 5, 5, 2).size(), 1U);  // one search finds all five
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
