// Windows cover a text once, stay within documents, and are cut at other places in each epoch.
#include "datasets/corpus/windows.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

constexpr Index context = 5;

class Windows : public Test {
 protected:
  // A text of documents with these lengths, without end marks.
  const TokenText& text_of(const std::vector<Index>& lengths) {
    TokenTextWriter writer(100);
    for (const Index length : lengths) {
      writer.add(std::vector<TokenId>(static_cast<std::size_t>(length), 7));
      writer.end_document();
    }
    return text_.emplace(writer.finish({}));
  }

  std::optional<TokenText> text_;
};

std::vector<Window> all_of(const WindowList& list) {
  std::vector<Window> windows;
  for (Index i = 0; i < list.size(); ++i) {
    windows.push_back(list[i]);
  }
  return windows;
}

void expect_each_label_once(const TokenText& text, const std::vector<Window>& windows) {
  std::vector<int> labels(static_cast<std::size_t>(text.size()));
  for (const Window& window : windows) {
    EXPECT_LE(window.rows, context);
    for (Index row = window.unlabelled; row < window.rows; ++row) {
      ++labels[static_cast<std::size_t>(window.first + row)];
    }
  }
  EXPECT_THAT(labels, Each(1));
}

void expect_within_documents(const TokenText& text, const std::vector<Window>& windows) {
  for (const Window& window : windows) {
    for (Index document = 0; document < text.documents(); ++document) {
      const Index begin = text.begin_of(document);
      const bool opens = window.first == begin;
      EXPECT_FALSE(window.first < begin && begin < window.first + window.rows);
      EXPECT_TRUE(window.opens || !opens) << "a document without its begin mark";
    }
  }
}

TEST_F(Windows, cover_a_stream_once_in_every_epoch) {
  const TokenText& text = text_of({11, 2, 0, 30});
  for (Index epoch = 0; epoch < 20; ++epoch) {
    const auto windows =
        all_of(training_windows(text, {.context = context, .stream = true}, 1, epoch));
    expect_each_label_once(text, windows);
    EXPECT_TRUE(windows.front().opens);
    EXPECT_EQ(std::ranges::count(windows, true, &Window::opens), 1);
  }
}

TEST_F(Windows, cover_documents_once_and_stay_within_them) {
  const TokenText& text = text_of({11, 2, 0, 30, 4});
  for (Index epoch = 0; epoch < 20; ++epoch) {
    const auto windows = all_of(training_windows(text, {.context = context}, 1, epoch));
    expect_each_label_once(text, windows);
    expect_within_documents(text, windows);
    EXPECT_EQ(std::ranges::count(windows, true, &Window::opens), text.documents());
  }
}

// The first token of a document is read but not predicted.
TEST_F(Windows, without_a_begin_mark_begin_with_the_first_token_of_a_document) {
  const TokenText& text = text_of({11, 0, 30});  // documents of 12, 1 and 31 tokens
  const Windowing windowing{.context = context, .begin_mark = false};
  for (const WindowList& list :
       {training_windows(text, windowing, 1, 3), evaluation_windows(text, windowing, context)}) {
    const auto windows = all_of(list);
    EXPECT_EQ(std::ranges::count(windows, true, &Window::opens), 0);
    Index labels = 0;
    std::set<Index> places;
    for (const Window& window : windows) {
      labels += window.rows - window.unlabelled;
      places.insert(window.first);
    }
    EXPECT_EQ(labels, text.size() - text.documents());
    EXPECT_TRUE(places.contains(1) && places.contains(14)) << "the second tokens are labels";
    EXPECT_FALSE(places.contains(0) || places.contains(12) || places.contains(13));
  }
}

// A document of 30 tokens can be cut at five different places.
TEST_F(Windows, are_cut_at_every_place_in_some_epoch_and_by_address) {
  const TokenText& text = text_of({2, 30});
  std::set<Index> places;
  for (Index epoch = 0; epoch < 60; ++epoch) {
    const auto windows = all_of(training_windows(text, {.context = context}, 1, epoch));
    places.insert(windows[2].first % context);
    EXPECT_EQ(windows[2].first, training_windows(text, {.context = context}, 1, epoch)[2].first);
  }
  EXPECT_EQ(places.size(), static_cast<std::size_t>(context));
}

TEST_F(Windows, for_evaluation_label_each_token_once_with_any_stride) {
  const TokenText& text = text_of({11, 2, 0, 30, 4});
  for (Index stride = 1; stride <= context; ++stride) {
    for (const bool stream : {false, true}) {
      const Windowing windowing{.context = context, .stream = stream};
      const auto windows = all_of(evaluation_windows(text, windowing, stride));
      expect_each_label_once(text, windows);
      if (!stream) {
        expect_within_documents(text, windows);
      }
    }
  }
}

// All windows but the first start with context - stride rows that are only read.
TEST_F(Windows, for_evaluation_read_before_they_label) {
  const TokenText& text = text_of({30});
  const auto windows = all_of(evaluation_windows(text, {.context = context}, 2));
  EXPECT_EQ(windows[0].unlabelled, 0);
  for (std::size_t i = 1; i < windows.size(); ++i) {
    EXPECT_EQ(windows[i].unlabelled, context - 2);
    EXPECT_EQ(windows[i].first, windows[i - 1].first + 2);
  }
}

// The search for a window starts at its place if all runs had equal lengths.
TEST(WindowRuns, are_found_among_runs_of_any_lengths) {
  std::vector<std::vector<Index>> cases(6, std::vector<Index>(40, 1));
  cases[1].front() = 500;
  cases[2].back() = 500;
  cases[3][20] = 500;
  for (std::size_t i = 0; i < 40; ++i) {
    cases[4][i] = static_cast<Index>(i * i);  // the first run is empty
    cases[5][i] = i % 3 == 0 ? 0 : 7;
  }
  for (const std::vector<Index>& lengths : cases) {
    WindowList list(context);
    std::vector<Index> run_of;
    Index begin = 0;
    for (std::size_t run = 0; run < lengths.size(); ++run) {
      const WindowRun added{begin, begin + lengths[run], context, context};
      list.add(added);
      run_of.insert(run_of.end(), static_cast<std::size_t>(added.count()), static_cast<Index>(run));
      begin = added.end;
    }
    ASSERT_EQ(list.size(), std::ssize(run_of));
    for (Index i = 0; i < list.size(); ++i) {
      EXPECT_EQ(list[i].run, run_of[static_cast<std::size_t>(i)]) << i;
    }
  }
}

TEST_F(Windows, can_be_chosen_by_their_numbers) {
  const TokenText& text = text_of({11, 2, 0, 30, 4});
  const WindowList all = evaluation_windows(text, {.context = context}, 3);
  const WindowList some = all.with({7, 0, 4}).with({2, 1, 0});
  ASSERT_EQ(some.size(), 3);
  EXPECT_EQ(some[0].first, all[4].first);
  EXPECT_EQ(some[1].first, all[0].first);
  EXPECT_EQ(some[2].first, all[7].first);
}

// The last window of the documents of 5 and 10 tokens holds only the end mark.
TEST_F(Windows, in_which_nothing_can_be_masked_can_be_left_out) {
  const TokenText& text = text_of({5, 2, 10, 4});
  const WindowList all = evaluation_windows(text, {.context = context}, context);
  ASSERT_EQ(all.size(), 7);
  const WindowList some = maskable_windows(text, all);
  ASSERT_EQ(some.size(), 5);
  const std::vector<Index> kept{0, 2, 3, 4, 6};
  for (Index i = 0; i < some.size(); ++i) {
    EXPECT_EQ(some[i].first, all[kept[static_cast<std::size_t>(i)]].first);
  }
  EXPECT_EQ(maskable_windows(text, some).size(), some.size());
}

// Windows of one token: each end mark has its own window.
TEST_F(Windows, of_a_stream_in_which_nothing_can_be_masked_can_be_left_out) {
  const TokenText& text = text_of({2, 1, 3});
  const Windowing windowing{.context = 1, .stream = true};
  EXPECT_EQ(maskable_windows(text, evaluation_windows(text, windowing, 1)).size(), 6);
}

}}  // namespace tapehead
