// The nearest valid name.
#include "tests/support/testing.hpp"
#include "train/config/rows.hpp"

namespace tapehead { namespace {

TEST(Nearest, edit_distance_counts_single_edits_and_swaps) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("heads", ""), 5);
  EXPECT_EQ(edit_distance("heads", "heads"), 0);
  EXPECT_EQ(edit_distance("hedas", "heads"), 1);
  EXPECT_EQ(edit_distance("head", "heads"), 1);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);  // textbook example of the Levenshtein distance
  EXPECT_EQ(edit_distance("ca", "abc"), 3);          // 2 if substrings were edited twice
}

TEST(Nearest, close_names_are_found_and_far_ones_are_not) {
  constexpr std::array<std::string_view, 4> names{"heads", "d_head", "layers", "learning_rate"};
  EXPECT_EQ(nearest("hedas", names), "heads");
  EXPECT_EQ(nearest("Learning-Rate", names), "learning_rate");
  EXPECT_EQ(nearest("layer", names), "layers");
  EXPECT_EQ(nearest("lr", names), std::nullopt);
  EXPECT_EQ(nearest("width", names), std::nullopt);
  EXPECT_EQ(nearest("", names), std::nullopt);
}

TEST(Nearest, the_first_of_equals_wins) {
  constexpr std::array<std::string_view, 2> names{"beta1", "beta2"};
  EXPECT_EQ(nearest("beta", names), "beta1");
}

}}  // namespace tapehead
