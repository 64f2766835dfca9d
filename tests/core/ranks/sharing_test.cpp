// Data that ranks share; each rank is a thread.
#include "core/ranks/ranks.hpp"

#include "tests/support/testing.hpp"
#include "tests/support/thread_ranks.hpp"

namespace tapehead { namespace {

TEST(RankSharing, each_rank_gets_the_parts_of_all_ranks) {
  run_ranks(3, [](Ranks& ranks) {
    const std::vector<std::size_t> begins{0, 2, 2, 5};  // rank 1 has no items
    std::vector<std::byte> all(5, std::byte{9});
    const auto mine = static_cast<std::size_t>(ranks.rank());
    for (std::size_t i = begins[mine]; i < begins[mine + 1]; ++i) {
      all[i] = static_cast<std::byte>(10 * mine + i);
    }
    share_parts(ranks, all, begins);
    EXPECT_THAT(
        all, ElementsAre(std::byte{0}, std::byte{1}, std::byte{22}, std::byte{23}, std::byte{24}));
  });
}

TEST(RankSharing, texts_and_values_come_by_rank) {
  run_ranks(3, [](Ranks& ranks) {
    const std::string mine(static_cast<std::size_t>(ranks.rank()), 'a');
    EXPECT_THAT(share_texts(ranks, mine), ElementsAre("", "a", "aa"));
    EXPECT_THAT(share_values(ranks, 0.5 * static_cast<double>(ranks.rank())),
                ElementsAre(0.0, 0.5, 1.0));
  });
}

TEST(RankSharing, the_first_rank_decides) {
  run_ranks(3, [](Ranks& ranks) {
    EXPECT_EQ(value_of_first(ranks, 7 + ranks.rank()), 7);
    EXPECT_EQ(text_of_first(ranks, ranks.first() ? "long enough" : "short"), "long enough");
    EXPECT_EQ(text_of_first(ranks, ranks.first() ? "" : "not mine"), "");
  });
}

TEST(RankSharing, a_process_alone_has_what_it_has) {
  EXPECT_THAT(share_texts(alone(), "text"), ElementsAre("text"));
  EXPECT_THAT(share_values(alone(), 3), ElementsAre(3));
  EXPECT_EQ(value_of_first(alone(), 4), 4);
  EXPECT_EQ(text_of_first(alone(), "mine"), "mine");
}

}}  // namespace tapehead
