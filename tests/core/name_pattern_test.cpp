// Name patterns, and the edit distance between a name and a pattern.
#include "core/text.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

TEST(NamePatterns, match_the_whole_name) {
  EXPECT_TRUE(matches("output.weight", "output.weight"));
  EXPECT_FALSE(matches("output", "output.weight"));
  EXPECT_FALSE(matches("weight", "output.weight"));
  EXPECT_TRUE(matches("", ""));
  EXPECT_FALSE(matches("", "a"));
}

TEST(NamePatterns, have_a_star_for_any_characters_and_for_none) {
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("*", "encoder.layers.0.self.key.weight"));
  EXPECT_TRUE(matches("*.weight", "output.weight"));
  EXPECT_TRUE(matches("output*", "output"));
  EXPECT_TRUE(matches("decoder.layers.*.self.*.weight", "decoder.layers.11.self.key.weight"));
  EXPECT_FALSE(matches("decoder.layers.*.cross.*.weight", "decoder.layers.11.self.key.weight"));
  EXPECT_FALSE(matches("*a*a*", "a"));
  EXPECT_TRUE(matches("*a*a*", "banana"));
}

// Worked out by hand: the insertions, deletions and replacements in the name.
TEST(NamePatterns, are_some_edits_away_from_a_name) {
  EXPECT_EQ(pattern_distance("layer", "layers"), 1);
  EXPECT_EQ(pattern_distance("layers", "layer"), 1);
  EXPECT_EQ(pattern_distance("key", "kay"), 1);
  EXPECT_EQ(pattern_distance("*.key", "self.kay"), 1);
  EXPECT_EQ(pattern_distance("a*", "bcd"), 1);
  EXPECT_EQ(pattern_distance("abc", ""), 3);
}

}}  // namespace tapehead
