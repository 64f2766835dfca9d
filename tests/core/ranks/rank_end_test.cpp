// The final messages of ranks when some or all have failed.
#include "core/ranks/ranks.hpp"

#include "tests/support/testing.hpp"
#include "tests/support/thread_ranks.hpp"

namespace tapehead { namespace {

using Ends = std::vector<std::optional<RankEnd>>;

RankEnd end_of(const Ends& ends) {
  Mail mail;
  return end_of_all(ThreadRanks(mail, 0, static_cast<Index>(ends.size())), ends);
}

const RankEnd good{};
const RankEnd config_error{.exit_code = 2, .message = "no such file"};
const RankEnd io_error{.exit_code = 1, .message = "no space"};
const RankEnd heard{.exit_code = 1, .message = "rank 1: no space", .by_others = true};

TEST(RankEnd, without_an_error_has_no_message) {
  EXPECT_EQ(end_of({good, good}).exit_code, 0);
  EXPECT_EQ(end_of({good, good}).message, "");
  const RankEnd stopped{.exit_code = 143};
  EXPECT_EQ(end_of({stopped, stopped}).exit_code, 143);
  EXPECT_EQ(error_line(end_of({stopped, stopped})), "");
}

TEST(RankEnd, has_the_message_of_all_ranks_once) {
  const RankEnd end = end_of({config_error, config_error, config_error});
  EXPECT_EQ(end.exit_code, 2);
  EXPECT_EQ(error_line(end), "error: no such file\n");
}

TEST(RankEnd, names_the_ranks_that_failed_unless_the_first_one_did) {
  EXPECT_EQ(end_of({good, io_error, io_error}).message, "rank 1, rank 2: no space");
  EXPECT_EQ(end_of({io_error, good, good}).message, "no space");
  EXPECT_EQ(error_line(end_of({config_error, io_error, config_error})),
            "error: no such file\nerror: rank 1: no space\n");
}

TEST(RankEnd, has_what_ranks_say_about_others_only_if_these_say_nothing) {
  EXPECT_EQ(end_of({heard, io_error, heard}).message, "rank 1: no space");
  EXPECT_EQ(end_of({heard, {}, heard}).message, "rank 1: no space");
  EXPECT_EQ(end_of({heard, config_error, heard}).exit_code, 2);
}

TEST(RankEnd, keeps_what_would_act_on_a_terminal_from_it) {
  EXPECT_EQ(error_line({.exit_code = 1, .message = "\x1b[31m"}), "error: \\x1b[31m\n");
}

}}  // namespace tapehead
