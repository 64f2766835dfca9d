// The figures of a head for weights with known answers.
#include "lab/heads/head_figures.hpp"

#include "core/ops/attention/attention.hpp"
#include "core/sequence/batch.hpp"
#include "datasets/corpus/windows.hpp"
#include "tests/support/head_means.hpp"
#include "tests/support/random_tensor.hpp"
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

// Weights that put all of each query's weight on one key.
template <class KeyOf>
std::vector<Scalar> all_on(std::size_t keys, const KeyOf& key_of) {
  std::vector<Scalar> weights(keys * keys, 0);
  for (std::size_t i = 0; i < keys; ++i) {
    weights[i * keys + key_of(i)] = 1;
  }
  return weights;
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

void expect_even_places(const HeadFigures& head) {
  for (const auto& [key, figure] : head.means) {
    if (key.starts_with("weight_on.")) {
      EXPECT_NEAR(*figure.value, *figure.even, sums_rounding) << key;
    }
  }
}

const std::vector<TokenId> sentence{3, 4, 5, 6, 7, 9, 2};

TEST(AttendedSequence, lets_every_query_see_the_prefix) {
  const std::vector<TokenId> tokens{3, 4, 5, 6, 7};
  AttendedSequence sequence = in_self_attention(tokens, true);
  sequence.prefix = 3;
  EXPECT_THAT(sequence.keys_for(0, 0), ElementsAre(0, 1, 2));
  EXPECT_THAT(sequence.keys_for(0, 2), ElementsAre(0, 1, 2));
  EXPECT_THAT(sequence.keys_for(0, 3), ElementsAre(0, 1, 2, 3));
}

TEST(AttendedSequence, lets_each_head_see_the_keys_of_its_own_pattern) {
  const std::vector<TokenId> tokens{3, 4, 5, 6, 7};
  const std::vector<Pattern> patterns{Pattern::window(1, 0), Pattern::blocks(2),
                                      Pattern::causal().top(1)};
  AttendedSequence sequence = in_self_attention(tokens);
  sequence.patterns = patterns;
  EXPECT_THAT(sequence.keys_for(0, 3), ElementsAre(2, 3));
  EXPECT_THAT(sequence.keys_for(1, 2), ElementsAre(2, 3));
  EXPECT_THAT(sequence.keys_for(2, 3), ElementsAre(0, 1, 2, 3)) << "the choice of one is its own";
}

TEST(HeadFigures, of_a_head_that_looks_at_the_previous_token) {
  const HeadFigures head =
      figures_for(in_self_attention(sentence),
                  all_on(sentence.size(), [](std::size_t i) { return i == 0 ? 5 : i - 1; }));
  EXPECT_EQ(head.role, Role::previous);
  EXPECT_EQ(head.offset, -1);
  EXPECT_EQ(head.offset_share, 1);  // for queries that have a previous token
  EXPECT_EQ(head.at("weight_on.previous").value, 1);
  EXPECT_NEAR(*head.at("weight_on.previous").even, 1.0 / 7, sums_rounding);
  EXPECT_EQ(head.at("entropy").value, 0);
  EXPECT_EQ(head.at("confidence").value, 1);
  EXPECT_NEAR(*head.at("entropy").even, std::log(7), sums_rounding);
  // Six of seven queries; the first query looks five positions ahead.
  EXPECT_NEAR(*head.distance_profile[reach - 1], 6.0 / 7, sums_rounding);
  EXPECT_NEAR(*head.distance_profile[reach + 5], 1.0 / 7, sums_rounding);
}

TEST(HeadFigures, tell_the_next_token_and_other_offsets) {
  const std::size_t n = sentence.size();
  EXPECT_EQ(figures_for(in_self_attention(sentence),
                        all_on(n, [&](std::size_t i) { return i + 1 < n ? i + 1 : 0; }))
                .role,
            Role::next);
  const HeadFigures two = figures_for(
      in_self_attention(sentence), all_on(n, [&](std::size_t i) { return i + 2 < n ? i + 2 : 0; }));
  EXPECT_EQ(two.role, Role::positional);
  EXPECT_EQ(two.offset, 2);
}

TEST(HeadFigures, of_even_attention_are_the_even_ones) {
  for (const bool causal : {false, true}) {
    const HeadFigures head =
        figures_for(in_self_attention(sentence, causal), even_weights(sentence.size(), causal));
    EXPECT_EQ(head.role, Role::none);
    EXPECT_NEAR(*head.at("entropy").value, *head.at("entropy").even, sums_rounding);
    expect_even_places(head);
  }
}

TEST(HeadFigures, of_a_heads_even_spread_over_its_pattern_are_the_even_ones) {
  const std::size_t n = sentence.size();
  const std::vector<Pattern> patterns{Pattern::window(1, 0), Pattern::window(1, 1),
                                      Pattern::blocks(3), Pattern::full().top(2)};
  AttendedSequence sequence = in_self_attention(sentence);
  sequence.patterns = patterns;
  // The number of keys for the seven queries: 1, then 2 six times; 2 at both ends, else 3; blocks
  // of 3, 3 and 1; all 7, for any 2 keys that the head chooses.
  const std::vector<double> even_entropies{6 * std::log(2) / 7,
                                           (2 * std::log(2) + 5 * std::log(3)) / 7,
                                           6 * std::log(3) / 7, std::log(7)};
  for (std::size_t head = 0; head < patterns.size(); ++head) {
    SCOPED_TRACE(head);
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
    EXPECT_NEAR(*figures.at("entropy").even, even_entropies[head], sums_rounding);
    EXPECT_NEAR(*figures.at("entropy").value, *figures.at("entropy").even, sums_rounding);
    expect_even_places(figures);
    EXPECT_NE(figures.role, Role::content);
    EXPECT_NE(figures.role, Role::idle);
  }
}

TEST(HeadFigures, count_only_queries_that_may_attend_to_a_place) {
  const std::vector<Pattern> patterns{Pattern::blocks(2)};
  const std::vector<TokenId> tokens{3, 4, 5, 6};
  AttendedSequence sequence = in_self_attention(tokens);
  sequence.patterns = patterns;
  const HeadFigures head =
      figures_for(sequence, {0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0});  // the other of two
  // Queries 1 and 3 have a previous key, queries 0 and 2 a next key.
  EXPECT_EQ(head.at("weight_on.previous").value, 1);
  EXPECT_EQ(head.at("weight_on.previous").even, 0.5);
  EXPECT_EQ(head.at("weight_on.next").value, 1);
  // All four queries have a choice, and one looks at the first key.
  EXPECT_EQ(head.at("weight_on.first").value, 0.25);
  EXPECT_EQ(head.at("weight_on.first").even, 0.25);
}

TEST(HeadFigures, of_queries_that_may_attend_to_nothing_are_left_out) {
  const std::vector<Pattern> patterns{Pattern::by([](Index query, Index) { return query > 0; })};
  const std::vector<TokenId> tokens{3, 4};
  AttendedSequence sequence = in_self_attention(tokens);
  sequence.patterns = patterns;
  HeadSums sums;
  sums.add(sequence, 0, std::vector<Scalar>{0, 0, 0.5, 0.5});
  EXPECT_EQ(sums.queries, 1);
  EXPECT_NEAR(mean_in(sums, "entropy").even, std::log(2), sums_rounding);
}

TEST(TokenFacts, tell_marks_and_the_mask_from_words_and_punctuation) {
  const SmallCopy copy;
  const ReadFacts facts = token_facts(copy.task);
  for (const TokenFacts& side : {facts.context, facts.input}) {
    EXPECT_TRUE(side.is_mark(unknown_id));
    EXPECT_TRUE(side.is_mark(begin_id));
    EXPECT_TRUE(side.is_mark(end_id));
    EXPECT_FALSE(side.is_mark(mark_count));
    const TokenId mask = mask_id(*copy.task.source_tokenizer);  // equal on both sides
    EXPECT_TRUE(side.is_mark(mask));
    for (const TokenId mark : {unknown_id, begin_id, end_id, mask}) {
      EXPECT_FALSE(side.is_punctuation(mark));
    }
  }
}

TEST(HeadFigures, never_take_a_mark_for_the_rarest_token) {
  // Only word 3 counts: the unknown, begin and end marks and the mask 9 do not, although they are
  // rarer in the training data.
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
  const auto on_word = all_on(tokens.size(), [](std::size_t) { return 4; });
  EXPECT_EQ(figures_for(sequence, on_word).at("weight_on.rarest").value, 1);
}

TEST(HeadFigures, tell_the_rarest_token) {
  // 7 is the rarest word; the end mark is not a word and has no count.
  const HeadFigures head = figures_for(in_self_attention(sentence),
                                       all_on(sentence.size(), [](std::size_t) { return 4; }));
  EXPECT_EQ(head.at("weight_on.rarest").value, 1);
  EXPECT_EQ(head.role, Role::rare);
}

TEST(HeadFigures, tell_punctuation_and_marks) {
  const HeadFigures stop = figures_for(in_self_attention(sentence),
                                       all_on(sentence.size(), [](std::size_t) { return 5; }));
  EXPECT_EQ(stop.at("weight_on.punctuation").value, 1);
  EXPECT_EQ(stop.role, Role::content);
  const HeadFigures end = figures_for(in_self_attention(sentence),
                                      all_on(sentence.size(), [](std::size_t) { return 6; }));
  EXPECT_EQ(end.at("weight_on.last").value, 1);
  EXPECT_EQ(end.role, Role::idle);
}

TEST(HeadFigures, tell_induction) {
  // Each repeated token looks at the token after an earlier occurrence, at various distances.
  const std::vector<TokenId> repeated{3, 4, 5, 4, 3, 4, 5, 3};
  const std::vector<std::size_t> keys{0, 0, 0, 2, 1, 4, 3, 5};
  const HeadFigures head =
      figures_for(in_self_attention(repeated, true),
                  all_on(repeated.size(), [&](std::size_t i) { return keys[i]; }));
  EXPECT_EQ(head.at("weight_on.induction").value, 1);
  EXPECT_EQ(head.role, Role::induction);
}

TEST(HeadFigures, tell_duplicate_tokens) {
  // 4, 3, 4 and 3 have earlier occurrences: at 1, at 0, at 1 and 3, at 0 and 4.
  const std::vector<TokenId> repeated{3, 4, 5, 4, 3, 4, 6, 3};
  const std::vector<std::size_t> keys{0, 0, 0, 1, 0, 3, 5, 4};
  const HeadFigures head =
      figures_for(in_self_attention(repeated, true),
                  all_on(repeated.size(), [&](std::size_t i) { return keys[i]; }));
  EXPECT_EQ(head.at("weight_on.duplicate").value, 1);
  // An even spread: one of 4 keys, one of 5, two of 6 and two of 8.
  EXPECT_NEAR(*head.at("weight_on.duplicate").even, (1.0 / 4 + 1.0 / 5 + 2.0 / 6 + 2.0 / 8) / 4,
              sums_rounding);
  EXPECT_EQ(head.role, Role::duplicate);
  // The query's own position is not an earlier occurrence; another sentence has none.
  AttendedSequence sequence = in_self_attention(repeated, true);
  const auto own = all_on(repeated.size(), [](std::size_t i) { return i; });
  EXPECT_EQ(figures_for(sequence, own).at("weight_on.duplicate").value, 0);
  sequence.self = false;
  EXPECT_EQ(figures_for(sequence, own).at("weight_on.duplicate").value, std::nullopt);
}

TEST(HeadFigures, tell_duplicate_tokens_from_an_even_spread) {
  // Two alternating tokens: an even spread puts 1/3 to 1/2 of its weight on earlier occurrences, so
  // a head with 0.6 has less than twice as much.
  const std::vector<TokenId> turns{3, 4, 3, 4, 3, 4, 3, 4, 3};
  const std::size_t n = turns.size();
  std::vector<Scalar> weights = even_weights(n, true);
  for (std::size_t i = 2; i < n; ++i) {
    const std::size_t selves = i / 2;
    for (std::size_t j = 0; j <= i; ++j) {
      const bool self = j < i && turns[j] == turns[i];
      weights[i * n + j] =
          self ? 0.6 / static_cast<Scalar>(selves) : 0.4 / static_cast<Scalar>(i + 1 - selves);
    }
  }
  const HeadFigures head = figures_for(in_self_attention(turns, true), weights);
  EXPECT_NEAR(*head.at("weight_on.duplicate").value, 0.6, sums_rounding);
  EXPECT_NE(head.role, Role::duplicate);
}

TEST(HeadFigures, tell_the_first_token) {
  const std::size_t n = sentence.size();
  const auto first = all_on(n, [](std::size_t) { return 0; });
  for (const bool causal : {false, true}) {
    const HeadFigures head = figures_for(in_self_attention(sentence, causal), first);
    EXPECT_EQ(head.at("weight_on.first").value, 1);
    EXPECT_EQ(head.role, Role::first);
  }
}

TEST(HeadFigures, count_the_first_token_where_there_is_a_choice) {
  // A quarter of the weight on the first key, the rest on the query's own key; the first query has
  // only the first key. An even spread has the mean of 1/2, 1/3, 1/4 on the first key.
  const std::vector<TokenId> tokens{3, 4, 5, 6};
  std::vector<Scalar> weights = all_on(4, [](std::size_t i) { return i; });
  for (std::size_t i = 1; i < 4; ++i) {
    weights[i * 4] = 0.25;
    weights[i * 4 + i] = 0.75;
  }
  const HeadFigures head = figures_for(in_self_attention(tokens, true), weights);
  EXPECT_NEAR(*head.at("weight_on.first").value, 0.25, sums_rounding);
  EXPECT_NEAR(*head.at("weight_on.first").even, 13.0 / 36, sums_rounding);
}

TEST(HeadFigures, tell_the_first_token_from_an_even_spread) {
  // Two of three queries have a choice. An even spread has the mean of 1/2 and 1/3 on the first
  // key; 3/4 is less than twice as much.
  const std::vector<Scalar> weights{1, 0, 0, 0.75, 0.25, 0, 0.75, 0, 0.25};
  const HeadFigures head = figures_for(in_self_attention({3, 4, 5}, true), weights);
  EXPECT_NEAR(*head.at("weight_on.first").value, 0.75, sums_rounding);
  EXPECT_NE(head.role, Role::first);
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

TEST(HeadFigures, of_nothing_are_absent) {
  const HeadFigures head = figures_of(HeadSums{});
  EXPECT_EQ(head.at("entropy").value, std::nullopt);
  EXPECT_EQ(head.at("entropy").even, std::nullopt);
  EXPECT_EQ(head.at("confidence").value, std::nullopt);
  EXPECT_EQ(head.offset, std::nullopt);
  EXPECT_EQ(head.offset_share, std::nullopt);
  EXPECT_THAT(head.distance_profile, Each(Eq(std::nullopt)));
  EXPECT_EQ(absent_places(head).size(), 9U);
  EXPECT_EQ(head.role, Role::none);
}

// Three different words without punctuation.
TEST(HeadFigures, of_places_are_absent_where_no_query_may_attend_to_them) {
  const std::vector<TokenId> words{3, 4, 5};
  const std::vector<TokenId> twice{3, 3, 4};
  const std::vector<TokenId> alone{end_id};
  const auto absent = [](const std::vector<TokenId>& tokens, bool self, bool causal) {
    AttendedSequence sequence = in_self_attention(tokens, causal);
    sequence.self = self;
    return absent_places(figures_for(sequence, even_weights(tokens.size(), causal)));
  };
  EXPECT_THAT(absent(words, true, false), ElementsAre("punctuation", "induction", "duplicate"));
  EXPECT_THAT(absent(words, true, true),
              ElementsAre("next", "last", "punctuation", "induction", "duplicate"));
  EXPECT_THAT(absent(twice, true, true), ElementsAre("next", "last", "punctuation"));
  EXPECT_THAT(absent(twice, false, false), ElementsAre("punctuation", "induction", "duplicate"));
  EXPECT_THAT(absent(alone, true, true),
              ElementsAre("previous", "next", "first", "last", "punctuation", "rarest", "induction",
                          "duplicate"));
}

// Causality would allow the last key, but the pattern shows it to no query.
TEST(HeadFigures, of_an_end_that_the_pattern_shows_to_no_query_are_absent) {
  const std::vector<TokenId> tokens{3, 4, 5};
  const std::vector<Pattern> patterns{Pattern::by([](Index, Index key) { return key < 2; })};
  AttendedSequence sequence = in_self_attention(tokens);
  sequence.patterns = patterns;
  const HeadFigures head = figures_for(sequence, {1, 0, 0, 1, 0, 0, 1, 0, 0});
  EXPECT_EQ(head.at("weight_on.last").value, std::nullopt);
  EXPECT_EQ(head.at("weight_on.first").value, 1);
  EXPECT_EQ(head.role, Role::first);
}

TEST(HeadFigures, that_are_zero_are_there) {
  const std::vector<TokenId> tokens{3, 9, 3, 9};
  const HeadFigures head =
      figures_for(in_self_attention(tokens, true), all_on(4, [](std::size_t i) { return i; }));
  EXPECT_EQ(head.at("weight_on.previous").value, 0);
  EXPECT_EQ(head.at("entropy").value, 0);
  EXPECT_EQ(head.distance_profile[reach - 1], 0);
  EXPECT_EQ(head.distance_profile[reach + 1], std::nullopt) << "there is no such key";
}

// Query i may attend only to key 5 - i.
TEST(HeadFigures, of_offsets_are_absent_where_too_few_queries_have_one) {
  const std::vector<TokenId> tokens{3, 4, 5, 6, 7, 8};
  const std::vector<Pattern> patterns{
      Pattern::by([](Index query, Index key) { return key == 5 - query; })};
  AttendedSequence sequence = in_self_attention(tokens);
  sequence.patterns = patterns;  // offsets 5, 3, 1, -1, -3, -5: one query each
  const HeadFigures head = figures_for(sequence, all_on(6, [](std::size_t i) { return 5 - i; }));
  EXPECT_EQ(head.offset, std::nullopt);
  EXPECT_EQ(head.offset_share, std::nullopt);
  // Each query has one key, so there is no choice.
  EXPECT_EQ(head.at("entropy").value, 0);
  EXPECT_EQ(head.role, Role::none);
}

// Hand-made queries and keys: q_i = 20 e_{i + offset}, k_j = 20 e_j, so softmax is sharp. If key i
// + offset does not exist, all scores are equal.
Tensor hand_made_weights(Index offset, const Pattern& pattern) {
  constexpr Index n = 7;
  Tape tape;
  Tensor query = Tensor::zeros({n, n});
  Tensor key = Tensor::zeros({n, n});
  for (Index i = 0; i < n; ++i) {
    key.row(i)[i] = 20;
    if (0 <= i + offset && i + offset < n) {
      query.row(i)[i + offset] = 20;
    }
  }
  const Segments segments = segments_of({n});
  const AttentionOptions options{.heads = 1, .d_key = n, .d_value = n, .patterns = {pattern}};
  return head_attention({tape.constant(query), 0}, {tape.constant(key), 0}, segments, segments,
                        options, 0, 0)
      .weights;
}

TEST(HeadFigures, of_hand_made_queries_and_keys_tell_their_offset) {
  const std::vector<std::pair<Index, Role>> roles{
      {-3, Role::positional}, {-1, Role::previous}, {1, Role::next}, {2, Role::positional}};
  for (const auto& [offset, role] : roles) {
    for (const bool causal : {false, true}) {
      if (causal && offset > 0) {
        continue;
      }
      SCOPED_TRACE(offset);
      const Tensor weights =
          hand_made_weights(offset, causal ? Pattern::causal() : Pattern::full());
      HeadSums sums;
      sums.add(in_self_attention(sentence, causal), 0, weights.values());
      const HeadFigures head = figures_of(sums);
      EXPECT_EQ(head.offset, offset);
      EXPECT_EQ(head.offset_share, 1);
      EXPECT_EQ(head.role, role);
    }
  }
}

TEST(AttentionSums, tell_how_far_heads_are_apart) {
  const std::size_t n = sentence.size();
  const auto first = all_on(n, [](std::size_t) { return 0; });
  const auto last = all_on(n, [](std::size_t) { return 6; });
  AttentionSums sums;
  sums.add(in_self_attention(sentence), {first, last, first, even_weights(n, false)});
  const double apart = 7 * std::log(2);  // no common key: log 2 for each of seven queries
  // One key against seven: H of (4/7, 6 x 1/14) - log(7) / 2.
  const double half_apart =
      7 * (-4.0 / 7 * std::log(4.0 / 7) - 6.0 / 14 * std::log(1.0 / 14) - std::log(7) / 2);
  EXPECT_THAT(sums.divergence,
              Pointwise(DoubleNear(sums_rounding),
                        {0.0, apart, 0.0, half_apart, apart, 0.0, apart, half_apart, 0.0, apart,
                         0.0, half_apart, half_apart, half_apart, half_apart, 0.0}));
}

TEST(AttentionSums, of_parts_add_up) {
  const std::vector<TokenId> other{8, 8, 4};
  const auto weights = even_weights(3, false);
  const auto sharp = all_on(7, [](std::size_t i) { return i; });
  AttentionSums both;
  both.add(in_self_attention(sentence), {sharp, sharp});
  both.add(in_self_attention(other), {weights, weights});
  AttentionSums sum;
  AttentionSums part;
  part.add(in_self_attention(sentence), {sharp, sharp});
  sum += part;
  AttentionSums rest;
  rest.add(in_self_attention(other), {weights, weights});
  sum += rest;
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
