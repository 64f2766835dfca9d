// The sums of each head and of pairs of heads over a split compared with sums computed from the
// recorded weights of each sentence, for plain and for composed attention. Which heads and keys are
// watched, for any number of threads.
#include "tests/support/head_means.hpp"
#include "tests/support/watched_models.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

constexpr double statistics_rounding = 1e-10;

Index offset_to(Index query, Index key) { return std::clamp<Index>(key - query, -reach, reach); }

bool is_word(TokenId token) { return token > end_mark; }

// The highest token id is the rarest (tiny_facts).
bool is_rarest(const Seen& seen, std::size_t head, Index query, Index key) {
  for (Index j = 0; j < std::ssize(seen.keys); ++j) {
    const bool before = seen.key(j) > seen.key(key) || (seen.key(j) == seen.key(key) && j < key);
    if (seen.sees(head, query, j) && is_word(seen.key(j)) && before) {
      return false;
    }
  }
  return is_word(seen.key(key));
}

// Whether this key is at the place `place` for this query.
bool is_at(std::string_view place, const Seen& seen, std::size_t head, Index query, Index key) {
  const std::map<std::string_view, bool> places{
      {"same_position", key == query},
      {"previous", key == query - 1},
      {"next", key == query + 1},
      {"first", key == 0 && seen.key_count(head, query) > 1},
      {"last", !seen.causal && key + 1 == static_cast<Index>(seen.keys.size())},
      {"punctuation", seen.key(key) == tiny_vocabulary - 2},
      {"rarest", is_rarest(seen, head, query, key)},
      {"induction", seen.self && key > 0 && key <= query &&
                        seen.key(key - 1) == seen.queries[static_cast<std::size_t>(query)]},
      {"duplicate", seen.self && key < query && seen.key(key) == seen.key(query)}};
  return places.at(place);
}

// Whether a query counts for the first or last key even if it may not attend to that key.
bool always_counts(std::string_view place, const Seen& seen, std::size_t head, Index query) {
  return (place == "first" && seen.key_count(head, query) > 1) || (place == "last" && !seen.causal);
}

void expect_places(const HeadSums& head, const std::vector<Seen>& sentences, std::size_t number) {
  for (const HeadFigureRow& row : head_figure_rows()) {
    if (!row.key.starts_with("weight_on.")) {
      continue;
    }
    SCOPED_TRACE(row.key);
    const std::string place = row.key.substr(row.key.find('.') + 1);
    double queries = 0;
    double weight = 0;
    double even = 0;
    sum_of(sentences, [&](const Seen& seen, Index i) {
      double there = 0;
      for (Index j = 0; j < std::ssize(seen.keys); ++j) {
        if (seen.sees(number, i, j) && is_at(place, seen, number, i, j)) {
          ++there;
          weight += seen.weight(number, i, j);
        }
      }
      queries += there > 0 || always_counts(place, seen, number, i) ? 1 : 0;
      even += there / static_cast<double>(seen.key_count(number, i));
      return 0;
    });
    EXPECT_EQ(mean_in(head, row.key).queries, queries);
    EXPECT_NEAR(mean_in(head, row.key).value, weight, statistics_rounding);
    EXPECT_NEAR(mean_in(head, row.key).even, even, statistics_rounding);
  }
}

void expect_offsets(const HeadSums& head, const std::vector<Seen>& sentences, std::size_t number) {
  for (Index offset = -reach; offset <= reach; ++offset) {
    SCOPED_TRACE(offset);
    double weight = 0;
    double chosen = 0;
    const double queries = sum_of(sentences, [&](const Seen& seen, Index i) {
      double any = 0;
      for (Index j = 0; j < std::ssize(seen.keys); ++j) {
        if (seen.sees(number, i, j) && offset_to(i, j) == offset) {
          any = 1;
          weight += seen.weight(number, i, j);
          chosen += j == largest_key(seen, number, i) ? 1 : 0;
        }
      }
      return any;
    });
    const auto o = static_cast<std::size_t>(offset + reach);
    EXPECT_NEAR(head.offset_weight[o], weight, statistics_rounding);
    EXPECT_EQ(head.offset_chosen[o], chosen);
    EXPECT_EQ(head.offset_queries[o], queries);
  }
}

void expect_head(const HeadSums& head, const std::vector<Seen>& sentences, std::size_t number) {
  double entropies = 0;
  double even = 0;
  double confidence = 0;
  const double queries = sum_of(sentences, [&](const Seen& seen, Index i) {
    entropies += entropy(row_of(seen, number, i));
    even += std::log(static_cast<double>(seen.key_count(number, i)));
    confidence += seen.weight(number, i, largest_key(seen, number, i));
    return 1;
  });
  EXPECT_EQ(head.queries, queries);
  EXPECT_NEAR(mean_in(head, "entropy").value, entropies, statistics_rounding);
  EXPECT_NEAR(mean_in(head, "entropy").even, even, statistics_rounding);
  EXPECT_NEAR(mean_in(head, "confidence").value, confidence, statistics_rounding);
  expect_places(head, sentences, number);
  expect_offsets(head, sentences, number);
}

// Σ_queries H((p + q) / 2) - (H(p) + H(q)) / 2.
double divergence(const std::vector<Seen>& a, std::size_t head, const std::vector<Seen>& b,
                  std::size_t other) {
  double sum = 0;
  for (std::size_t s = 0; s < a.size(); ++s) {
    for (Index i = 0; i < a[s].rows(); ++i) {
      const std::vector<double> p = row_of(a[s], head, i);
      const std::vector<double> q = row_of(b[s], other, i);
      std::vector<double> middle(p.size());
      std::ranges::transform(p, q, middle.begin(), [](double x, double y) { return (x + y) / 2; });
      sum += entropy(middle) - (entropy(p) + entropy(q)) / 2;
    }
  }
  return sum;
}

// What a head adds to row `query` of its attention's output, before the bias.
std::vector<double> written(const TinyModel& model, const AttentionSpec& spec,
                            const std::string& path, const Seen& seen, std::size_t head,
                            Index query) {
  const auto D = static_cast<std::size_t>(spec.d_model);
  const auto d_v = static_cast<std::size_t>(spec.d_v);
  const Scalar* output = seen.outputs[head].row(query);
  std::vector<double> sums(D);
  if (spec.combine == Combine::mean) {
    std::ranges::transform(output, output + D, sums.begin(),
                           [&](double x) { return x / static_cast<double>(spec.heads); });
    return sums;
  }
  const Tensor weight = values_of(model.store, path + ".output.weight");
  for (std::size_t c = 0; c < D; ++c) {
    const Scalar* row = weight.row(static_cast<Index>(c)) + head * d_v;
    sums[c] = std::inner_product(row, row + d_v, output, 0.0);
  }
  return sums;
}

double cosine(const std::vector<double>& a, const std::vector<double>& b) {
  const auto dot = [](const std::vector<double>& x, const std::vector<double>& y) {
    return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
  };
  return dot(a, b) / std::sqrt(dot(a, a) * dot(b, b));
}

using HeadStatistics = WatchedModel;

INSTANTIATE_TEST_SUITE_P(Models, HeadStatistics, ValuesIn(watched_cases()),
                         [](const auto& test) { return test.param.name; });

TEST_P(HeadStatistics, of_heads_and_pairs_are_those_of_their_weights_and_outputs) {
  std::size_t pairs = 0;
  const auto watched = watch();
  ASSERT_EQ(watched.size(), seen_.size());
  for (const AttentionSums& attention : watched) {
    const std::string site = attention.site.text();
    SCOPED_TRACE(site);
    const std::vector<Seen>& here = seen_.at(site);
    const AttentionSpec& spec = spec_of(site);
    const std::size_t heads = attention.heads.size();
    ASSERT_EQ(heads, here[0].weights.size());
    for (std::size_t a = 0; a < heads; ++a) {
      SCOPED_TRACE(a);
      expect_head(attention.heads[a], here, a);
      for (std::size_t b = 0; b < heads; ++b) {
        EXPECT_NEAR(attention.divergence[a * heads + b], divergence(here, a, here, b),
                    statistics_rounding);
        const double apart = sum_of(here, [&](const Seen& seen, Index i) {
          return 1 - cosine(written(model_, spec, site, seen, a, i),
                            written(model_, spec, site, seen, b, i));
        });
        EXPECT_NEAR(attention.output_distance[a * heads + b], apart, statistics_rounding);
      }
    }
    for (const auto& [earlier, sums] : attention.earlier) {
      SCOPED_TRACE("and " + earlier.text());
      ++pairs;
      const std::vector<Seen>& there = seen_.at(earlier.text());
      const std::size_t others = there[0].weights.size();
      ASSERT_EQ(sums.size(), heads * others);
      for (std::size_t a = 0; a < heads; ++a) {
        for (std::size_t b = 0; b < others; ++b) {
          EXPECT_NEAR(sums[a * others + b], divergence(here, a, there, b), statistics_rounding);
        }
      }
    }
  }
  EXPECT_EQ(pairs, 3U);  // for each kind, layer 1 with layer 0
}

class HeadWatch : public Test {
 protected:
  HeadWatch() : model_(options()) { model_.shake(0.5); }

  static ModelOptions options() {
    ModelOptions result = tiny_options();
    result.layers = 2;
    return result;
  }

  std::vector<AttentionSums> watch(Index batch_tokens, Index threads) const {
    Workers workers(threads);
    return watch_heads(model_.transformer, model_.store, *tiny_split().source, tiny_facts(),
                       batch_tokens, workers);
  }

  TinyModel model_;
};

// Only decoder self-attention is causal, and cross-attention has no earlier occurrence of a token.
TEST_F(HeadWatch, sees_every_attention_in_the_models_order_with_its_keys) {
  std::vector<std::string> paths;
  for (const AttentionSums& attention : watch(100, 1)) {
    paths.push_back(attention.site.text());
    SCOPED_TRACE(paths.back());
    ASSERT_EQ(attention.heads.size(), 2U);
    const HeadSums& head = attention.heads[0];
    const bool causal = attention.site.kind == AttentionKind::decoder_self;
    EXPECT_EQ(mean_in(head, "weight_on.next").queries == 0, causal);
    EXPECT_EQ(mean_in(head, "weight_on.last").queries == 0, causal);
    EXPECT_EQ(mean_in(head, "weight_on.induction").queries == 0, !attention.site.is_self());
  }
  EXPECT_THAT(paths, ElementsAre("encoder.layers.0.self", "encoder.layers.1.self",
                                 "decoder.layers.0.self", "decoder.layers.0.cross",
                                 "decoder.layers.1.self", "decoder.layers.1.cross"));
}

// The largest weight in the last row, taken from each sentence's own weights.
TEST_F(HeadWatch, compares_every_sentence_with_its_own_relations) {
  std::map<std::string, double> expected;
  const Split split = tiny_split();
  for (Index example = 0; example < split.size(); ++example) {
    Tape tape(false);
    Pass pass(tape, model_.store);
    pass.recorder = [&](const RecordedAttention& seen) {
      const Scalar* row = seen.weights.row(seen.weights.dim(0) - 1);
      const Scalar* largest = std::max_element(row, row + seen.weights.dim(1));
      const bool any = !seen.site.is_self();
      expected[seen.site.text()] += seen.head == 0 && (any || largest == row) ? 1 : 0;
    };
    logits_of(model_.transformer, pass, pack(*split.source, {example}));
  }
  for (const AttentionSums& attention : watch(7, 2)) {
    SCOPED_TRACE(attention.site.text());
    ASSERT_EQ(attention.relations.size(), 1U);
    EXPECT_EQ(attention.relations[0].queries, static_cast<double>(split.size()));
    EXPECT_EQ(attention.relations[0].agreeing[0], expected.at(attention.site.text()));
  }
}

TEST_F(HeadWatch, says_the_same_at_any_number_of_threads) {
  const auto one = watch(7, 1);
  const auto three = watch(7, 3);
  ASSERT_EQ(one.size(), three.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].divergence, three[i].divergence);
    EXPECT_EQ(one[i].output_distance, three[i].output_distance);
    EXPECT_EQ(one[i].earlier, three[i].earlier);
    EXPECT_EQ(one[i].heads[0].offset_weight, three[i].heads[0].offset_weight);
    EXPECT_EQ(one[i].relations[0].agreeing, three[i].relations[0].agreeing);
  }
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
