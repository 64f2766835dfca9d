// Masking: how many and which tokens of a window are hidden, and what replaces them.
#include "datasets/corpus/windows.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

constexpr TokenId mask = 100;

Masking masking(double share, Index epoch = 0) {
  return {.share = share, .mask = mask, .words = nullptr, .draws = Draws(1, "masking", epoch)};
}

std::vector<TokenId> tokens_of(Index count) {
  std::vector<TokenId> tokens;
  for (Index i = 0; i < count; ++i) {
    tokens.push_back(static_cast<TokenId>(mark_count + i % (mask - mark_count)));
  }
  return tokens;
}

std::vector<Index> rows_of(const std::vector<MaskedToken>& masked) {
  std::vector<Index> rows;
  std::ranges::transform(masked, std::back_inserter(rows), &MaskedToken::row);
  return rows;
}

TEST(Masking, hides_its_share_of_the_tokens_and_one_at_least) {
  EXPECT_EQ(masking(0.15).of(tokens_of(100), {.first = 0, .rows = 100}).size(), 15U);
  EXPECT_EQ(masking(0.15).of(tokens_of(3), {.first = 0, .rows = 3}).size(), 1U);
  EXPECT_EQ(masking(1).of(tokens_of(7), {.first = 0, .rows = 7}).size(), 7U);
}

TEST(Masking, never_hides_marks) {
  const std::vector<TokenId> tokens{begin_id, 5, end_id, end_id};
  EXPECT_THAT(rows_of(masking(1).of(tokens, {.first = 0, .rows = 4})), ElementsAre(1));
  EXPECT_THAT(masking(1).of({end_id}, {.first = 0, .rows = 1}), IsEmpty());
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
    EXPECT_GE(one.read, mark_count);
    EXPECT_LE(one.read, mask);
  }
  EXPECT_NEAR(static_cast<double>(masks), 0.8 * count, 5 * 57);              // √(20000 .8 .2)
  EXPECT_NEAR(static_cast<double>(same), (0.1 + 0.1 / 97) * count, 5 * 43);  // √(20000 .1 .9)
}

TEST(Masking, is_a_function_of_the_epoch_and_the_place_in_the_text) {
  const auto tokens = tokens_of(200);
  const Window window{.first = 50, .rows = 200};
  const auto rows = rows_of(masking(0.15).of(tokens, window));
  EXPECT_EQ(rows_of(masking(0.15).of(tokens, window)), rows);
  EXPECT_NE(rows_of(masking(0.15, 1).of(tokens, window)), rows);
  EXPECT_NE(rows_of(masking(0.15).of(tokens, {.first = 51, .rows = 200})), rows);
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
    const auto rows = rows_of(words.of(tokens, {.first = first, .rows = std::ssize(tokens)}));
    EXPECT_EQ(rows.size(), 4U);  // 0.3 of 13 tokens
    for (const auto& word : all) {
      const auto hidden = std::ranges::count_if(
          word, [&](Index row) { return std::ranges::find(rows, row) != rows.end(); });
      EXPECT_TRUE(hidden == 0 || hidden == std::ssize(word));
    }
    seen.insert(rows);
  }
  EXPECT_GT(seen.size(), 10U);
}

// Token 70 is a line end: it separates words even without a space.
TEST(Masking, of_words_goes_past_no_line_end) {
  Masking words = masking(0.2);
  words.words = std::make_shared<std::vector<bool>>(mask, false);
  words.line_end = 70;
  for (Index first = 0; first < 50; ++first) {
    const auto rows = rows_of(words.of({60, 61, 70, 62, 63}, {.first = first, .rows = 5}));
    EXPECT_TRUE(rows == std::vector<Index>({0, 1}) || rows == std::vector<Index>({2}) ||
                rows == std::vector<Index>({3, 4}));
  }
}

}}  // namespace tapehead
