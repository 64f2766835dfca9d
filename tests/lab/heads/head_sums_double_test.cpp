// The figures of a head for weights with known answers.
#include "lab/heads/head_figures.hpp"

#include "datasets/corpus/windows.hpp"
#include "tests/support/head_means.hpp"
#include "tests/support/small_copy.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

constexpr double sums_rounding = 1e-12;

// Tokens 3 ... 8 are words, each rarer than its predecessor; 9 is a full stop.
const TokenFacts& facts() {
  static const TokenFacts result{
      .occurrences = {0, 0, 0, 60, 50, 40, 30, 20, 10, 99},
      .punctuation = {false, false, false, false, false, false, false, false, false, true}};
  return result;
}

AttendedSequence in_self_attention(const std::vector<TokenId>& tokens, bool causal = false) {
  static const std::array patterns{Pattern::full(), Pattern::causal()};
  return {.keys = tokens,
          .queries = tokens,
          .self = true,
          .causal = causal,
          .patterns = std::span(patterns).subspan(causal ? 1 : 0, 1),
          .key_facts = facts()};
}

// Weights (query, key) that put all of query i's weight on keys[i].
std::vector<Scalar> on(const std::vector<std::size_t>& keys) {
  std::vector<Scalar> weights(keys.size() * keys.size(), 0);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    weights[i * keys.size() + keys[i]] = 1;
  }
  return weights;
}

std::vector<Scalar> all_on(std::size_t key, std::size_t keys) {
  return on(std::vector<std::size_t>(keys, key));
}

std::vector<Scalar> even_weights(std::size_t keys, bool causal) {
  std::vector<Scalar> weights(keys * keys, 0);
  for (std::size_t i = 0; i < keys; ++i) {
    const std::size_t count = causal ? i + 1 : keys;
    for (std::size_t j = 0; j < count; ++j) {
      weights[i * keys + j] = 1 / static_cast<Scalar>(count);
    }
  }
  return weights;
}

HeadFigures figures_for(const AttendedSequence& sequence, const std::vector<Scalar>& weights) {
  HeadSums sums;
  sums.add(sequence, 0, weights);
  return figures_of(sums);
}

const std::vector<TokenId> sentence{3, 4, 5, 6, 7, 9, 2};

auto closely(double number) { return DoubleNear(number, sums_rounding); }

// The sequence with these patterns, which must outlive it.
AttendedSequence seen_by(AttendedSequence sequence, const std::vector<Pattern>& patterns) {
  sequence.patterns = patterns;
  return sequence;
}

TEST(AttendedSequence, lets_every_query_see_the_prefix_and_each_head_the_keys_of_its_own_pattern) {
  const std::vector<TokenId> tokens{3, 4, 5, 6, 7};
  AttendedSequence behind = in_self_attention(tokens, true);
  behind.prefix = 3;
  EXPECT_THAT(behind.keys_for(0, 0), ElementsAre(0, 1, 2));
  EXPECT_THAT(behind.keys_for(0, 2), ElementsAre(0, 1, 2));
  EXPECT_THAT(behind.keys_for(0, 3), ElementsAre(0, 1, 2, 3));
  const std::vector<Pattern> patterns{Pattern::window(1, 0), Pattern::blocks(2),
                                      Pattern::causal().top(1)};
  const AttendedSequence sequence = seen_by(in_self_attention(tokens), patterns);
  EXPECT_THAT(sequence.keys_for(0, 3), ElementsAre(2, 3));
  EXPECT_THAT(sequence.keys_for(1, 2), ElementsAre(2, 3));
  EXPECT_THAT(sequence.keys_for(2, 3), ElementsAre(0, 1, 2, 3)) << "the choice of one is its own";
}

// Figures by their key, without "weight_on.".
using Known = std::map<std::string, Matcher<double>>;

HeadFigures expect_known(const std::string& name, const AttendedSequence& sequence,
                         const std::vector<Scalar>& weights, const Matcher<Role>& role,
                         const Known& values = {}, const Known& of_even_spread = {}) {
  SCOPED_TRACE(name);
  HeadFigures head = figures_for(sequence, weights);
  const auto figure = [&](const std::string& key) {
    return head.at(key == "entropy" || key == "confidence" ? key : "weight_on." + key);
  };
  EXPECT_THAT(head.role, role);
  for (const auto& [key, value] : values) {
    EXPECT_THAT(figure(key).value, Optional(value)) << key;
  }
  for (const auto& [key, even] : of_even_spread) {
    EXPECT_THAT(figure(key).even, Optional(even)) << key;
  }
  return head;
}

TEST(HeadFigures, of_a_head_that_looks_at_one_offset) {
  // The first of seven queries looks five positions ahead.
  const HeadFigures previous =
      expect_known("previous", in_self_attention(sentence), on({5, 0, 1, 2, 3, 4, 5}),
                   Role::previous, {{"previous", 1}, {"entropy", 0}, {"confidence", 1}},
                   {{"previous", closely(1.0 / 7)}, {"entropy", closely(std::log(7))}});
  EXPECT_EQ(previous.offset, -1);
  EXPECT_EQ(previous.offset_share, 1);  // for queries that have a previous token
  EXPECT_THAT(previous.distance_profile[reach - 1], Optional(closely(6.0 / 7)));
  EXPECT_THAT(previous.distance_profile[reach + 5], Optional(closely(1.0 / 7)));
  expect_known("next", in_self_attention(sentence), on({1, 2, 3, 4, 5, 6, 0}), Role::next);
  // Three behind: queries 3 to 6 have such a key.
  for (const bool causal : {false, true}) {
    expect_known("one behind", in_self_attention(sentence, causal), on({0, 0, 1, 2, 3, 4, 5}),
                 Role::previous);
    const HeadFigures three = expect_known("three behind", in_self_attention(sentence, causal),
                                           on({0, 0, 0, 0, 1, 2, 3}), Role::positional);
    EXPECT_EQ(three.offset, -3);
    EXPECT_EQ(three.offset_share, 1);
  }
  const HeadFigures two = expect_known("two ahead", in_self_attention(sentence),
                                       on({2, 3, 4, 5, 6, 0, 0}), Role::positional);
  EXPECT_EQ(two.offset, 2);
  const HeadFigures own = expect_known("same position", in_self_attention({3, 9, 3, 9}, true),
                                       on({0, 1, 2, 3}), _, {{"previous", 0}, {"entropy", 0}});
  EXPECT_EQ(own.distance_profile[reach - 1], 0);
  EXPECT_EQ(own.distance_profile[reach + 1], std::nullopt) << "there is no such key";
  // Query i may attend only to key 5 - i: offsets 5, 3, 1, -1, -3, -5, one query each, without a
  // choice.
  const HeadFigures mirrored =
      expect_known("mirrored",
                   seen_by(in_self_attention({3, 4, 5, 6, 7, 8}),
                           {Pattern::by([](Index query, Index key) { return key == 5 - query; })}),
                   on({5, 4, 3, 2, 1, 0}), Role::none, {{"entropy", 0}});
  EXPECT_EQ(mirrored.offset, std::nullopt);
  EXPECT_EQ(mirrored.offset_share, std::nullopt);
}

TEST(HeadFigures, of_a_head_that_looks_at_one_kind_of_token) {
  // 7 is the rarest word; the end mark is not a word and has no count.
  expect_known("rarest", in_self_attention(sentence), all_on(4, 7), Role::rare, {{"rarest", 1}});
  expect_known("full stop", in_self_attention(sentence), all_on(5, 7), Role::content,
               {{"punctuation", 1}});
  expect_known("end mark", in_self_attention(sentence), all_on(6, 7), Role::idle, {{"last", 1}});
  // Each repeated token looks at the token after an earlier occurrence, at various distances.
  expect_known("induction", in_self_attention({3, 4, 5, 4, 3, 4, 5, 3}, true),
               on({0, 0, 0, 2, 1, 4, 3, 5}), Role::induction, {{"induction", 1}});
  // 4, 3, 4 and 3 have earlier occurrences: at 1, at 0, at 1 and 3, at 0 and 4. An even spread: one
  // of 4 keys, one of 5, two of 6 and two of 8.
  const std::vector<TokenId> repeated{3, 4, 5, 4, 3, 4, 6, 3};
  expect_known("duplicate", in_self_attention(repeated, true), on({0, 0, 0, 1, 0, 3, 5, 4}),
               Role::duplicate, {{"duplicate", 1}},
               {{"duplicate", closely((1.0 / 4 + 1.0 / 5 + 2.0 / 6 + 2.0 / 8) / 4)}});
  expect_known("the query's own position", in_self_attention(repeated, true),
               on({0, 1, 2, 3, 4, 5, 6, 7}), _, {{"duplicate", 0}});
  // Two alternating tokens: an even spread puts 1/3 to 1/2 of its weight on earlier occurrences, so
  // a head with 0.6 has less than twice as much.
  const std::vector<TokenId> turns{3, 4, 3, 4, 3, 4, 3, 4, 3};
  const std::size_t n = turns.size();
  std::vector<Scalar> weights = even_weights(n, true);
  for (std::size_t i = 2; i < n; ++i) {
    const std::size_t earlier = i / 2;
    for (std::size_t j = 0; j <= i; ++j) {
      const bool self = j < i && turns[j] == turns[i];
      weights[i * n + j] =
          self ? 0.6 / static_cast<Scalar>(earlier) : 0.4 / static_cast<Scalar>(i + 1 - earlier);
    }
  }
  expect_known("turns", in_self_attention(turns, true), weights, Ne(Role::duplicate),
               {{"duplicate", closely(0.6)}});
}

// Only queries with a choice count.
TEST(HeadFigures, of_a_head_that_looks_at_the_first_token) {
  for (const bool causal : {false, true}) {
    expect_known("first", in_self_attention(sentence, causal), all_on(0, 7), Role::first,
                 {{"first", 1}});
  }
  // A quarter of the weight on the first key, the rest on the query's own key; the first query has
  // only the first key. An even spread has the mean of 1/2, 1/3, 1/4 on the first key.
  expect_known("a quarter", in_self_attention({3, 4, 5, 6}, true),
               {1, 0, 0, 0, 0.25, 0.75, 0, 0, 0.25, 0, 0.75, 0, 0.25, 0, 0, 0.75}, _,
               {{"first", closely(0.25)}}, {{"first", closely(13.0 / 36)}});
  // An even spread has the mean of 1/2 and 1/3 on the first key; 3/4 is less than twice as much.
  expect_known("three quarters", in_self_attention({3, 4, 5}, true),
               {1, 0, 0, 0.75, 0.25, 0, 0.75, 0, 0.25}, Ne(Role::first),
               {{"first", closely(0.75)}});
  // Queries 1 and 3 have a previous key, queries 0 and 2 a next key. All four have a choice, and
  // one looks at the first key.
  expect_known("the other of two", seen_by(in_self_attention({3, 4, 5, 6}), {Pattern::blocks(2)}),
               on({1, 0, 3, 2}), _, {{"previous", 1}, {"next", 1}, {"first", 0.25}},
               {{"previous", 0.5}, {"first", 0.25}});
  HeadSums sums;
  sums.add(seen_by(in_self_attention({3, 4}),
                   {Pattern::by([](Index query, Index) { return query > 0; })}),
           0, std::vector<Scalar>{0, 0, 0.5, 0.5});
  EXPECT_EQ(sums.queries, 1);
  EXPECT_NEAR(mean_in(sums, "entropy").even, std::log(2), sums_rounding);
}

TEST(HeadFigures, of_a_heads_even_spread_over_its_pattern_are_the_even_ones) {
  // The number of keys for the seven queries: all; 1 to 7; 1, then 2 six times; 2 at both ends,
  // else 3; blocks of 3, 3 and 1; all 7, for any 2 keys that the head chooses.
  const std::vector<std::pair<Pattern, double>> spreads{
      {Pattern::full(), std::log(7)},
      {Pattern::causal(), std::log(2 * 3 * 4 * 5 * 6 * 7) / 7},
      {Pattern::window(1, 0), 6 * std::log(2) / 7},
      {Pattern::window(1, 1), (2 * std::log(2) + 5 * std::log(3)) / 7},
      {Pattern::blocks(3), 6 * std::log(3) / 7},
      {Pattern::full().top(2), std::log(7)}};
  std::vector<Pattern> patterns;
  for (const auto& [pattern, entropy] : spreads) {
    patterns.push_back(pattern);
  }
  const std::size_t n = sentence.size();
  for (std::size_t head = 0; head < spreads.size(); ++head) {
    SCOPED_TRACE(head);
    AttendedSequence sequence = in_self_attention(sentence, head == 1);
    sequence.patterns = patterns;
    std::vector<Scalar> weights(n * n, 0);
    for (std::size_t i = 0; i < n; ++i) {
      const std::vector<Index> keys = sequence.keys_for(head, static_cast<Index>(i));
      for (const Index j : keys) {
        weights[i * n + static_cast<std::size_t>(j)] = 1 / static_cast<Scalar>(keys.size());
      }
    }
    HeadSums sums;
    sums.add(sequence, head, weights);
    const HeadFigures figures = figures_of(sums);
    EXPECT_THAT(figures.at("entropy").even, Optional(closely(spreads[head].second)));
    EXPECT_THAT(figures.role, AllOf(Ne(Role::content), Ne(Role::idle)));
    EXPECT_TRUE(head > 1 || figures.role == Role::none);
    for (const auto& [key, figure] : figures.means) {
      if (key == "entropy" || key.starts_with("weight_on.")) {
        EXPECT_NEAR(*figure.value, *figure.even, sums_rounding) << key;
      }
    }
  }
}

TEST(TokenFacts, tell_marks_and_the_mask_from_words_and_punctuation) {
  const SmallCopy copy;
  const ReadFacts facts = token_facts(copy.task);
  const TokenId mask = mask_id(*copy.task.source_tokenizer);  // equal on both sides
  for (const TokenFacts& side : {facts.context, facts.input}) {
    for (const TokenId mark : {unknown_id, begin_id, end_id, mask}) {
      EXPECT_TRUE(side.is_mark(mark));
      EXPECT_FALSE(side.is_punctuation(mark));
    }
    EXPECT_FALSE(side.is_mark(mark_count));
  }
}

// Only word 3 counts: the unknown, begin and end marks and the mask 9 do not, although they are
// rarer in the training data.
TEST(HeadFigures, never_take_a_mark_for_the_rarest_token) {
  TokenFacts with_mask = facts();
  with_mask.mask = 9;
  with_mask.occurrences[9] = 0;
  const std::vector<TokenId> tokens{0, 1, 2, 9, 3};
  const std::vector<Pattern> patterns{Pattern::full()};
  const AttendedSequence sequence{.keys = tokens,
                                  .queries = tokens,
                                  .self = true,
                                  .causal = false,
                                  .patterns = patterns,
                                  .key_facts = with_mask};
  EXPECT_EQ(figures_for(sequence, all_on(4, 5)).at("weight_on.rarest").value, 1);
}

// The rows of weight shares that the head lacks, without "weight_on.".
std::vector<std::string> absent_places(const HeadFigures& head) {
  std::vector<std::string> absent;
  for (const HeadFigureRow& row : head_figure_rows()) {
    if (row.key.starts_with("weight_on.") && !head.at(row.key).value) {
      EXPECT_FALSE(head.at(row.key).even);
      absent.push_back(row.key.substr(row.key.find('.') + 1));
    }
  }
  return absent;
}

TEST(HeadFigures, of_nothing_are_absent_and_of_places_where_no_query_may_attend_to_them) {
  using Places = std::vector<std::string>;
  const auto absent = [](const std::vector<TokenId>& tokens, bool self, bool causal) {
    AttendedSequence sequence = in_self_attention(tokens, causal);
    sequence.self = self;
    return absent_places(figures_for(sequence, even_weights(tokens.size(), causal)));
  };
  EXPECT_EQ(absent({3, 4, 5}, true, false), (Places{"punctuation", "induction", "duplicate"}));
  EXPECT_EQ(absent({3, 4, 5}, true, true),
            (Places{"next", "last", "punctuation", "induction", "duplicate"}));
  EXPECT_EQ(absent({3, 3, 4}, true, true), (Places{"next", "last", "punctuation"}));
  EXPECT_EQ(absent({3, 3, 4}, false, false), (Places{"punctuation", "induction", "duplicate"}));
  EXPECT_EQ(absent({end_id}, true, true),
            (Places{"previous", "next", "first", "last", "punctuation", "rarest", "induction",
                    "duplicate"}));
  // Causality would allow the last key, but the pattern shows it to no query.
  const HeadFigures head =
      expect_known("unseen end",
                   seen_by(in_self_attention({3, 4, 5}),
                           {Pattern::by([](Index, Index key) { return key < 2; })}),
                   all_on(0, 3), Role::first, {{"first", 1}});
  EXPECT_EQ(head.at("weight_on.last").value, std::nullopt);
  const HeadFigures nothing = figures_of(HeadSums{});
  EXPECT_EQ(nothing.at("entropy").value, std::nullopt);
  EXPECT_EQ(nothing.at("entropy").even, std::nullopt);
  EXPECT_EQ(nothing.at("confidence").value, std::nullopt);
  EXPECT_EQ(nothing.offset, std::nullopt);
  EXPECT_EQ(nothing.offset_share, std::nullopt);
  EXPECT_THAT(nothing.distance_profile, Each(Eq(std::nullopt)));
  EXPECT_EQ(absent_places(nothing).size(), 9U);
  EXPECT_EQ(nothing.role, Role::none);
}

TEST(AttentionSums, tell_how_far_heads_are_apart_and_add_up) {
  AttentionSums sums;
  sums.add(in_self_attention(sentence),
           {all_on(0, 7), all_on(6, 7), all_on(0, 7), even_weights(7, false)});
  const double apart = 7 * std::log(2);  // no common key: log 2 for each of seven queries
  // One key against seven: H of (4/7, 6 x 1/14) - log(7) / 2.
  const double half =
      7 * (-4.0 / 7 * std::log(4.0 / 7) - 6.0 / 14 * std::log(1.0 / 14) - std::log(7) / 2);
  EXPECT_THAT(sums.divergence, Pointwise(DoubleNear(sums_rounding), {0.0, apart, 0.0, half,    //
                                                                     apart, 0.0, apart, half,  //
                                                                     0.0, apart, 0.0, half,    //
                                                                     half, half, half, 0.0}));
  const std::vector<std::pair<std::vector<TokenId>, std::vector<Scalar>>> parts{
      {sentence, on({0, 1, 2, 3, 4, 5, 6})}, {{8, 8, 4}, even_weights(3, false)}};
  AttentionSums both;
  AttentionSums sum;
  for (const auto& [tokens, weights] : parts) {
    both.add(in_self_attention(tokens), {weights, weights});
    AttentionSums part;
    part.add(in_self_attention(tokens), {weights, weights});
    sum += part;
  }
  EXPECT_EQ(sum.queries, 10);
  EXPECT_THAT(sum.divergence, Pointwise(DoubleNear(sums_rounding), both.divergence));
  ASSERT_EQ(sum.heads.size(), 2U);
  for (std::size_t i = 0; i < head_figure_rows().size(); ++i) {
    EXPECT_NEAR(sum.heads[1].means[i].value, both.heads[1].means[i].value, sums_rounding);
    EXPECT_EQ(sum.heads[1].means[i].queries, both.heads[1].means[i].queries);
  }
  EXPECT_THAT(sum.heads[1].offset_weight,
              Pointwise(DoubleNear(sums_rounding), both.heads[1].offset_weight));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
