// Windows cover a text once, stay within documents, and are cut at other places in each epoch.
// Lanes cover a text once, window after window, and are read side by side.
#include "datasets/corpus/windows.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

constexpr Index window_length = 5;

// A text of documents with these lengths, without end marks.
TokenText text_of(const std::vector<std::size_t>& lengths) {
  std::vector<std::vector<TokenId>> documents;
  for (const std::size_t length : lengths) {
    documents.emplace_back(length, 7);
  }
  return text_of_documents(documents);
}

std::vector<Window> all_of(const WindowList& list) {
  std::vector<Window> windows;
  for (Index i = 0; i < list.size(); ++i) {
    windows.push_back(list[i]);
  }
  return windows;
}

std::vector<Index> numbers_of(const WindowList& list, Index Window::* member) {
  std::vector<Index> numbers;
  std::ranges::transform(all_of(list), std::back_inserter(numbers), member);
  return numbers;
}

void expect_each_label_once(const TokenText& text, const std::vector<Window>& windows) {
  std::vector<int> labels(static_cast<std::size_t>(text.size()));
  for (const Window& window : windows) {
    EXPECT_LE(window.rows, window_length);
    for (Index row = window.unlabelled; row < window.rows; ++row) {
      ++labels[static_cast<std::size_t>(window.first + row)];
    }
  }
  EXPECT_THAT(labels, Each(1));
}

TEST(Windows, label_each_token_once_in_every_epoch_and_with_any_stride) {
  const TokenText text = text_of({11, 2, 0, 30, 4});
  for (const bool stream : {false, true}) {
    const Windowing windowing{.context = window_length, .stream = stream};
    std::vector<WindowList> lists;
    for (Index epoch = 0; epoch < 20; ++epoch) {
      lists.push_back(training_windows(text, windowing, 1, epoch));
    }
    for (Index stride = 1; stride <= window_length; ++stride) {
      lists.push_back(evaluation_windows(text, windowing, stride));
    }
    for (const WindowList& list : lists) {
      const auto windows = all_of(list);
      expect_each_label_once(text, windows);
      EXPECT_TRUE(windows.front().opens);
      EXPECT_EQ(std::ranges::count(windows, true, &Window::opens), stream ? 1 : text.documents());
      for (const Window& window : windows) {
        for (Index document = 0; !stream && document < text.documents(); ++document) {
          const Index begin = text.begin_of(document);
          EXPECT_FALSE(window.first < begin && begin < window.first + window.rows);
          EXPECT_TRUE(window.opens || window.first != begin) << "without its begin mark";
        }
      }
    }
  }
}

// The first token of a document is read but not predicted.
TEST(Windows, without_a_begin_mark_or_for_evaluation_read_what_they_do_not_label) {
  const TokenText text = text_of({11, 0, 30});  // documents of 12, 1 and 31 tokens
  const Windowing windowing{.context = window_length, .begin_mark = false};
  for (const WindowList& list : {training_windows(text, windowing, 1, 3),
                                 evaluation_windows(text, windowing, window_length)}) {
    Index labels = 0;
    for (const Window& window : all_of(list)) {
      EXPECT_FALSE(window.opens);
      labels += window.rows - window.unlabelled;
    }
    EXPECT_EQ(labels, text.size() - text.documents());
    EXPECT_THAT(numbers_of(list, &Window::first),
                AllOf(Contains(1), Contains(14), Each(AllOf(Ne(0), Ne(12), Ne(13)))))
        << "the second tokens are labels";
  }
  // All windows but the first start with window_length - stride rows that are only read.
  const WindowList windows = evaluation_windows(text_of({30}), {.context = window_length}, 2);
  for (Index i = 1; i < windows.size(); ++i) {
    EXPECT_EQ(windows[i].unlabelled, window_length - 2);
    EXPECT_EQ(windows[i].first, windows[i - 1].first + 2);
  }
  EXPECT_EQ(windows[0].unlabelled, 0);
}

// A document of 30 tokens can be cut at five different places.
TEST(Windows, are_cut_at_every_place_in_some_epoch_and_by_address) {
  const TokenText text = text_of({2, 30});
  std::set<Index> places;
  for (Index epoch = 0; epoch < 60; ++epoch) {
    const WindowList windows = training_windows(text, {.context = window_length}, 1, epoch);
    places.insert(windows[2].first % window_length);
    EXPECT_EQ(windows[2].first,
              training_windows(text, {.context = window_length}, 1, epoch)[2].first);
  }
  EXPECT_THAT(places, ElementsAre(0, 1, 2, 3, 4));
}

// The search for a window starts at its place if all runs had equal lengths.
TEST(WindowRuns, are_found_among_runs_of_any_lengths) {
  std::vector<std::vector<Index>> cases(6, std::vector<Index>(40, 1));
  cases[1].front() = cases[2].back() = cases[3][20] = 500;
  for (std::size_t i = 0; i < 40; ++i) {
    cases[4][i] = static_cast<Index>(i * i);  // the first run is empty
    cases[5][i] = i % 3 == 0 ? 0 : 7;
  }
  for (const std::vector<Index>& lengths : cases) {
    WindowList list(window_length);
    std::vector<Index> run_of;
    Index begin = 0;
    for (const Index length : lengths) {
      const WindowRun added{begin, begin + length, window_length, window_length};
      run_of.insert(run_of.end(), static_cast<std::size_t>(added.count()), list.runs());
      list.add(added);
      begin = added.end;
    }
    EXPECT_EQ(numbers_of(list, &Window::run), run_of);
  }
}

// The last window of the documents of 5 and 10 tokens holds only the end mark.
TEST(Windows, can_be_chosen_by_their_numbers_and_by_what_can_be_masked) {
  const TokenText text = text_of({5, 2, 10, 4});
  const WindowList all = evaluation_windows(text, {.context = window_length}, window_length);
  ASSERT_EQ(all.size(), 7);
  EXPECT_THAT(numbers_of(all.with({4, 0, 6}), &Window::first),
              ElementsAre(all[4].first, all[0].first, all[6].first));
  const WindowList some = maskable_windows(text, all);
  EXPECT_THAT(numbers_of(some, &Window::first),
              ElementsAre(all[0].first, all[2].first, all[3].first, all[4].first, all[6].first));
  EXPECT_EQ(maskable_windows(text, some).size(), some.size());
  // In windows of one token, each end mark has its own window.
  const TokenText stream = text_of({2, 1, 3});
  const Windowing windowing{.context = 1, .stream = true};
  EXPECT_EQ(maskable_windows(stream, evaluation_windows(stream, windowing, 1)).size(), 6);
}

struct LaneCase {
  Index lanes;
  std::vector<Index> tokens;  // how many a lane may have: the text's last window has only 3
};

TEST(Lanes, cover_a_text_once_and_are_read_side_by_side_in_batches_that_take_turns) {
  const TokenText text = text_of({72});  // 15 windows
  for (const auto& [lanes, tokens] : {LaneCase{1, {73}}, {4, {15, 18, 20}}, {15, {3, 5}}}) {
    for (Index head = 1; head <= window_length; ++head) {
      const WindowList windows = lane_windows(text, 15, lanes, window_length, head);
      expect_each_label_once(text, all_of(windows));
      EXPECT_EQ(windows.runs(), lanes);
      for (Index lane = 0; lane < windows.runs(); ++lane) {
        Index read = 0;
        for (Index i = 0; i < windows.count_of(lane); ++i) {
          const Window window = windows[windows.first_of(lane) + i];
          EXPECT_EQ(window.run, lane);
          EXPECT_EQ(window.position, read) << "positions go on from window to window";
          EXPECT_EQ(window.unlabelled, 0);
          EXPECT_EQ(window.opens, window.first == 0);  // other windows read the token before
          read += window.rows;
        }
        EXPECT_THAT(tokens, Contains(read));
      }
    }
  }
  // Those whose first window is whole have the windows of evaluation.
  const WindowList apart =
      evaluation_windows(text, {.context = window_length, .stream = true}, window_length);
  const WindowList windows = lane_windows(text, apart.size(), 4, window_length, window_length);
  for (const auto member : {&Window::first, &Window::rows}) {
    EXPECT_EQ(numbers_of(windows, member), numbers_of(apart, member));
  }
  // Four lanes with 1, 2, 1 and 2 windows: 0 | 1 2 | 3 | 4 5.
  const WindowList four = lane_windows(text_of({29}), 6, 4, window_length, window_length);
  EXPECT_THAT(lane_batches(four, lane_groups(4, 2)),
              ElementsAre(ElementsAre(0, 1), ElementsAre(3, 4), ElementsAre(2), ElementsAre(5)));
  EXPECT_THAT(lane_batches(four, {{.first = 1, .count = 3}}),
              ElementsAre(ElementsAre(1, 3, 4), ElementsAre(2, 5)));
}

constexpr TokenId mask = 100;

Masking masking(double share, Index epoch = 0) {
  return {.share = share, .mask = mask, .words = nullptr, .draws = Draws(1, "masking", epoch)};
}

std::vector<TokenId> tokens_of(Index count) {
  std::vector<TokenId> tokens;
  for (Index i = 0; i < count; ++i) {
    tokens.push_back(entry_id(i % (mask - mark_count)));
  }
  return tokens;
}

// The rows that are hidden in a window at this place of the text.
std::vector<Index> rows_of(const Masking& by, const std::vector<TokenId>& tokens, Index first = 0) {
  std::vector<Index> rows;
  std::ranges::transform(by.of(tokens, {.first = first, .rows = std::ssize(tokens)}),
                         std::back_inserter(rows), &MaskedToken::row);
  return rows;
}

TEST(Masking, hides_its_share_of_the_tokens_by_epoch_and_place_but_never_marks) {
  EXPECT_EQ(rows_of(masking(0.15), tokens_of(100)).size(), 15U);
  EXPECT_EQ(rows_of(masking(0.15), tokens_of(3)).size(), 1U);
  EXPECT_EQ(rows_of(masking(1), tokens_of(7)).size(), 7U);
  EXPECT_THAT(rows_of(masking(1), {begin_id, 5, end_id, end_id}), ElementsAre(1));
  EXPECT_THAT(rows_of(masking(1), {end_id}), IsEmpty());
  const auto tokens = tokens_of(200);
  const auto rows = rows_of(masking(0.15), tokens, 50);
  EXPECT_EQ(rows_of(masking(0.15), tokens, 50), rows);
  EXPECT_NE(rows_of(masking(0.15, 1), tokens, 50), rows);
  EXPECT_NE(rows_of(masking(0.15), tokens, 51), rows);
}

// 80, 10 and 10 % (Devlin et al. 2019, section 3.1), within five deviations of 20,000 draws. A
// random token equals the original once in 97.
TEST(Masking, replaces_most_by_the_mask_some_by_others_and_leaves_some) {
  constexpr Index count = 20000;
  const auto tokens = tokens_of(count);
  Index masks = 0;
  Index same = 0;
  for (const MaskedToken& one : masking(1).of(tokens, {.first = 0, .rows = count})) {
    masks += one.read == mask ? 1 : 0;
    same += one.read == tokens[static_cast<std::size_t>(one.row)] ? 1 : 0;
    EXPECT_THAT(one.read, AllOf(Ge(mark_count), Le(mask)));
  }
  EXPECT_NEAR(static_cast<double>(masks), 0.8 * count, 5 * 57);              // √(20000 .8 .2)
  EXPECT_NEAR(static_cast<double>(same), (0.1 + 0.1 / 97) * count, 5 * 43);  // √(20000 .1 .9)
}

// Words of one to three tokens; a token below 50 starts a word.
TEST(Masking, of_words_hides_all_tokens_of_a_word_or_none) {
  auto begins = std::make_shared<std::vector<bool>>(mask, false);
  std::fill_n(begins->begin(), 50, true);
  Masking words = masking(0.3);
  words.words = begins;
  const std::vector<TokenId> tokens{10, 60, 61, 11, 12, 62, end_id, 13, 14, 63, 64, 15, 16, 17};
  const std::vector<std::vector<Index>> all{{0, 1, 2},  {3},  {4, 5}, {7},
                                            {8, 9, 10}, {11}, {12},   {13}};
  std::set<std::vector<Index>> seen;
  for (Index first = 0; first < 200; ++first) {
    const auto rows = rows_of(words, tokens, first);
    EXPECT_EQ(rows.size(), 4U);  // 0.3 of 13 tokens
    for (const auto& word : all) {
      const auto hidden = std::ranges::count_if(
          word, [&](Index row) { return std::ranges::binary_search(rows, row); });
      EXPECT_THAT(hidden, AnyOf(0, std::ssize(word)));
    }
    seen.insert(rows);
  }
  EXPECT_GT(seen.size(), 10U);

  Masking lines = masking(0.2);
  lines.words = std::make_shared<std::vector<bool>>(mask, false);
  lines.line_end = 70;  // it separates words even without a space
  for (Index first = 0; first < 50; ++first) {
    EXPECT_THAT(rows_of(lines, {60, 61, 70, 62, 63}, first),
                AnyOf(ElementsAre(0, 1), ElementsAre(2), ElementsAre(3, 4)));
  }
}

}}  // namespace tapehead
