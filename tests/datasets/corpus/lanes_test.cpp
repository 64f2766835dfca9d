// Lanes cover a text once, window after window, and are read side by side.
#include "datasets/corpus/windows.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

constexpr Index window_rows = 5;

TokenText text_of_tokens(Index tokens) {
  TokenTextWriter writer(100);
  writer.add(std::vector<TokenId>(static_cast<std::size_t>(tokens - 1), 7));
  writer.end_document();
  return writer.finish({});
}

TEST(Lanes, cover_a_text_once_wherever_their_first_windows_end) {
  const TokenText text = text_of_tokens(73);  // 15 windows, the last of 3 tokens
  for (const Index lanes : {1, 4, 15}) {
    for (Index head = 1; head <= window_rows; ++head) {
      const WindowList windows = lane_windows(text, 15, lanes, window_rows, head);
      std::vector<int> labels(73);
      for (Index i = 0; i < windows.size(); ++i) {
        const Window window = windows[i];
        EXPECT_EQ(window.unlabelled, 0);
        EXPECT_LE(window.rows, window_rows);
        EXPECT_EQ(window.opens, window.first == 0);  // other windows read the token before
        for (Index row = 0; row < window.rows; ++row) {
          ++labels[static_cast<std::size_t>(window.first + row)];
        }
      }
      EXPECT_THAT(labels, Each(1));
      EXPECT_EQ(windows.runs(), lanes);
    }
  }
}

TEST(Lanes, have_positions_of_their_own_that_go_on_from_window_to_window) {
  const WindowList windows = lane_windows(text_of_tokens(73), 15, 4, window_rows, 2);
  for (Index lane = 0; lane < windows.runs(); ++lane) {
    Index read = 0;
    for (Index i = 0; i < windows.count_of(lane); ++i) {
      const Window window = windows[windows.first_of(lane) + i];
      EXPECT_EQ(window.run, lane);
      EXPECT_EQ(window.position, read);
      read += window.rows;
    }
    EXPECT_THAT(read, AnyOf(15, 18, 20));  // 3 or 4 windows; the text's last has 3 tokens
  }
}

TEST(Lanes, whose_first_window_is_whole_have_the_windows_of_evaluation) {
  const TokenText text = text_of_tokens(73);
  const WindowList apart =
      evaluation_windows(text, {.context = window_rows, .stream = true}, window_rows);
  const WindowList windows = lane_windows(text, apart.size(), 4, window_rows, window_rows);
  ASSERT_EQ(windows.size(), apart.size());
  for (Index i = 0; i < apart.size(); ++i) {
    EXPECT_EQ(windows[i].first, apart[i].first);
    EXPECT_EQ(windows[i].rows, apart[i].rows);
  }
}

TEST(Lanes, are_read_side_by_side_in_batches_that_take_turns) {
  // Four lanes with 1, 2, 1 and 2 windows: 0 | 1 2 | 3 | 4 5.
  const WindowList windows = lane_windows(text_of_tokens(30), 6, 4, window_rows, window_rows);
  EXPECT_THAT(lane_batches(windows, lane_groups(4, 2)),
              ElementsAre(ElementsAre(0, 1), ElementsAre(3, 4), ElementsAre(2), ElementsAre(5)));
  EXPECT_THAT(lane_batches(windows, {{.first = 1, .count = 3}}),
              ElementsAre(ElementsAre(1, 3, 4), ElementsAre(2, 5)));
}

}}  // namespace tapehead
