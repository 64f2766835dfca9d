// All sums over a split, against the same computed afterwards from the weights and outputs that
// were recorded sentence by sentence, for plain attention and for composed ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "datasets/loader.hpp"
#include "lab/head_watch.hpp"
#include "tests/support/tiny_split.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

constexpr double rounding = 1e-10;

// What was recorded of one sentence in one attention.
struct Seen {
  std::vector<TokenId> keys;
  std::vector<TokenId> queries;
  bool self;
  bool causal;
  std::vector<Tensor> weights;  // by head
  std::vector<Tensor> outputs;

  Index rows() const { return static_cast<Index>(queries.size()); }
  Index key_count(Index query) const {
    return causal ? query + 1 : static_cast<Index>(keys.size());
  }
  double weight(std::size_t head, Index query, Index key) const {
    return weights[head].row(query)[key];
  }
  TokenId key(Index j) const { return keys.at(static_cast<std::size_t>(j)); }
};
using AllSeen = std::map<std::string, std::vector<Seen>>;  // by path

AllSeen record(const TinyModel& model, const Split& split) {
  AllSeen all;
  for (Index example = 0; example < static_cast<Index>(split.examples.size()); ++example) {
    const Batch batch = make_batch(split, {example});
    const std::vector<TokenId> source(batch.source.begin(), batch.source.end());
    const std::vector<TokenId> target(batch.target_input.begin(), batch.target_input.end());
    Tape tape(false);
    Pass pass(tape, model.store);
    pass.recorder = [&](const RecordedAttention& one) {
      const bool self = one.path.ends_with("self");
      const bool decoder = one.path.starts_with("decoder");
      std::vector<Seen>& list = all[std::string(one.path)];
      if (one.head == 0) {
        list.push_back({.keys = self && decoder ? target : source,
                        .queries = decoder ? target : source,
                        .self = self,
                        .causal = self && decoder,
                        .weights = {},
                        .outputs = {}});
      }
      list.back().weights.push_back(one.weights.copy());
      list.back().outputs.push_back(one.output.copy());
    };
    logits_of(model.transformer, pass, batch);
  }
  return all;
}

// Σ over sentences and their queries.
double sum_of(const std::vector<Seen>& sentences,
              const std::function<double(const Seen&, Index)>& term) {
  double sum = 0;
  for (const Seen& seen : sentences) {
    for (Index i = 0; i < seen.rows(); ++i) {
      sum += term(seen, i);
    }
  }
  return sum;
}

double entropy(const std::vector<double>& weights) {
  double sum = 0;
  for (const double weight : weights) {
    sum -= weight > 0 ? weight * std::log(weight) : 0;
  }
  return sum;
}

std::vector<double> row_of(const Seen& seen, std::size_t head, Index query) {
  const Scalar* row = seen.weights[head].row(query);
  return {row, row + seen.keys.size()};
}

Index largest_key(const Seen& seen, std::size_t head, Index query) {
  const std::vector<double> row = row_of(seen, head, query);
  return std::ranges::max_element(row) - row.begin();
}

Index offset_to(Index query, Index key) { return std::clamp<Index>(key - query, -reach, reach); }

bool is_word(TokenId token) { return token > end_mark; }

bool is_rarest(const Seen& seen, Index query, Index key) {  // the highest token: tiny_facts
  const Index count = seen.key_count(query);
  for (Index j = 0; j < count; ++j) {
    const bool before = seen.key(j) > seen.key(key) || (seen.key(j) == seen.key(key) && j < key);
    if (is_word(seen.key(j)) && before) {
      return false;
    }
  }
  return is_word(seen.key(key));
}

// Whether a key is in this place for this query.
bool is_at(KeyPlace place, const Seen& seen, Index query, Index key) {
  switch (place) {
    case KeyPlace::self:
      return key == query;
    case KeyPlace::previous:
      return key == query - 1;
    case KeyPlace::next:
      return key == query + 1;
    case KeyPlace::first:
      return key == 0;
    case KeyPlace::last:
      return !seen.causal && key + 1 == static_cast<Index>(seen.keys.size());
    case KeyPlace::punctuation:
      return seen.key(key) == tiny_vocabulary - 2;
    case KeyPlace::rarest:
      return is_rarest(seen, query, key);
    default:
      return seen.self && key > 0 && key <= query &&
             seen.key(key - 1) == seen.queries[static_cast<std::size_t>(query)];
  }
}

void expect_places(const HeadSums& head, const std::vector<Seen>& sentences, std::size_t number) {
  for (std::size_t p = 0; p < place_names.size(); ++p) {
    SCOPED_TRACE(place_names[p]);
    double queries = 0;
    double weight = 0;
    double even = 0;
    sum_of(sentences, [&](const Seen& seen, Index i) {
      double there = 0;
      for (Index j = 0; j < seen.key_count(i); ++j) {
        if (is_at(static_cast<KeyPlace>(p), seen, i, j)) {
          ++there;
          weight += seen.weight(number, i, j);
        }
      }
      queries += there > 0 ? 1 : 0;
      even += there / static_cast<double>(seen.key_count(i));
      return 0;
    });
    EXPECT_EQ(head.places[p].queries, queries);
    EXPECT_NEAR(head.places[p].weight, weight, rounding);
    EXPECT_NEAR(head.places[p].even, even, rounding);
  }
}

void expect_offsets(const HeadSums& head, const std::vector<Seen>& sentences, std::size_t number) {
  for (Index offset = -reach; offset <= reach; ++offset) {
    SCOPED_TRACE(offset);
    const auto o = static_cast<std::size_t>(offset + reach);
    const auto sum_where = [&](const auto& term) {
      return sum_of(sentences, [&](const Seen& seen, Index i) {
        double sum = 0;
        for (Index j = 0; j < seen.key_count(i); ++j) {
          sum += offset_to(i, j) == offset ? term(seen, i, j) : 0;
        }
        return sum;
      });
    };
    EXPECT_NEAR(head.offset_weight[o], sum_where([&](const Seen& seen, Index i, Index j) {
                  return seen.weight(number, i, j);
                }),
                rounding);
    EXPECT_EQ(head.offset_chosen[o], sum_where([&](const Seen& seen, Index i, Index j) {
                return j == largest_key(seen, number, i) ? 1.0 : 0.0;
              }));
    EXPECT_EQ(head.offset_queries[o], sum_of(sentences, [&](const Seen& seen, Index i) {
                bool any = false;
                for (Index j = 0; j < seen.key_count(i); ++j) {
                  any = any || offset_to(i, j) == offset;
                }
                return any ? 1.0 : 0.0;
              }));
  }
}

void expect_head(const HeadSums& head, const std::vector<Seen>& sentences, std::size_t number) {
  EXPECT_EQ(head.queries, sum_of(sentences, [](const Seen&, Index) { return 1.0; }));
  EXPECT_NEAR(head.entropy,
              sum_of(sentences,
                     [&](const Seen& seen, Index i) { return entropy(row_of(seen, number, i)); }),
              rounding);
  EXPECT_NEAR(
      head.even_entropy,
      sum_of(sentences, [](const Seen& seen,
                           Index i) { return std::log(static_cast<double>(seen.key_count(i))); }),
      rounding);
  EXPECT_NEAR(head.largest,
              sum_of(sentences,
                     [&](const Seen& seen, Index i) {
                       return seen.weight(number, i, largest_key(seen, number, i));
                     }),
              rounding);
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
  for (const NamedParameter& parameter : model.store.parameters()) {
    if (parameter.name == path + ".output.weight") {
      const Tensor weight = model.store.value(parameter);
      for (std::size_t c = 0; c < D; ++c) {
        for (std::size_t k = 0; k < d_v; ++k) {
          sums[c] += weight.row(static_cast<Index>(c))[head * d_v + k] * output[k];
        }
      }
    }
  }
  return sums;
}

double cosine(const std::vector<double>& a, const std::vector<double>& b) {
  double ab = 0;
  double aa = 0;
  double bb = 0;
  for (std::size_t c = 0; c < a.size(); ++c) {
    ab += a[c] * b[c];
    aa += a[c] * a[c];
    bb += b[c] * b[c];
  }
  return ab / std::sqrt(aa * bb);
}

struct StatisticsCase {
  std::string name;
  std::function<void(ModelOptions&)> set;

  friend std::ostream& operator<<(std::ostream& out, const StatisticsCase& c) {
    return out << c.name;
  }
};

ByHead<AttentionPattern> patterns(std::initializer_list<const char*> texts) {
  ByHead<AttentionPattern> result;
  result.values.clear();
  for (const char* text : texts) {
    result.values.emplace_back(text);
  }
  return result;
}

// Grouped and tied keys, positions, patterns and scores by head, and layers unlike each other.
void compose(ModelOptions& options) {
  using enum AttentionPositions;
  options.d_head = 4;
  options.encoder_self.heads.values = {4, 2};
  options.encoder_self.kv_heads.values = {2, 1};
  options.encoder_self.positions.values = {rotary, relative};
  options.encoder_self.pattern.values = {patterns({"full", "window 1", "strided 2", "top_k 2"}),
                                         patterns({"blocks 2"})};
  options.decoder_self.heads.values = {2, 3};
  options.decoder_self.positions.values = {t5, alibi};
  options.decoder_self.score.values = {{{Score::bilinear, Score::cosine}}, {{Score::dot}}};
  options.cross.heads.values = {3, 2};
  options.cross.combine.values = {Combine::mean, Combine::output};
  options.cross.head_weights.values = {HeadWeights::tied, HeadWeights::own};
  options.cross.score.values = {{{Score::dot, Score::cosine, Score::bilinear}}, {{Score::dot}}};
}

class HeadStatistics : public ::testing::TestWithParam<StatisticsCase> {
 protected:
  HeadStatistics() : model_(options()), seen_(record_all()) {}

  static ModelOptions options() {
    ModelOptions result = tiny_options();
    result.layers = 2;
    GetParam().set(result);
    return result;
  }
  AllSeen record_all() {
    model_.shake(0.5);
    return record(model_, tiny_split());
  }
  // Batches of several sentences, on several threads.
  std::vector<AttentionSums> watch() const {
    Workers workers(2);
    return watch_heads(model_.transformer, model_.store, tiny_split(), tiny_facts(), 7, workers);
  }
  const AttentionSpec& spec_of(const std::string& path) const {
    for (const MultiHeadAttention* attention : model_.transformer.attentions()) {
      if (attention->module.path() == path) {
        return attention->spec;
      }
    }
    throw std::logic_error(path);
  }

  // In the order of the split; batches come longest first, which makes no difference to sums.
  TinyModel model_;
  AllSeen seen_;
};

INSTANTIATE_TEST_SUITE_P(Models, HeadStatistics,
                         ::testing::Values(StatisticsCase{"plain", [](ModelOptions&) {}},
                                           StatisticsCase{"composed", compose}),
                         [](const auto& test) { return test.param.name; });

TEST_P(HeadStatistics, OfEachHeadAreThoseOfItsWeights) {
  const auto watched = watch();
  ASSERT_EQ(watched.size(), seen_.size());
  for (const AttentionSums& attention : watched) {
    const std::vector<Seen>& sentences = seen_.at(attention.path);
    ASSERT_EQ(attention.heads.size(), sentences[0].weights.size());
    for (std::size_t head = 0; head < attention.heads.size(); ++head) {
      SCOPED_TRACE(attention.path + " " + std::to_string(head));
      expect_head(attention.heads[head], sentences, head);
    }
  }
}

TEST_P(HeadStatistics, OfPairsAreThoseOfTheirWeightsAndOutputs) {
  for (const AttentionSums& attention : watch()) {
    SCOPED_TRACE(attention.path);
    const std::vector<Seen>& sentences = seen_.at(attention.path);
    const AttentionSpec& spec = spec_of(attention.path);
    const std::size_t count = attention.heads.size();
    for (std::size_t a = 0; a < count; ++a) {
      for (std::size_t b = 0; b < count; ++b) {
        EXPECT_NEAR(attention.divergence[a * count + b], divergence(sentences, a, sentences, b),
                    rounding);
        const double apart = sum_of(sentences, [&](const Seen& seen, Index i) {
          return 1 - cosine(written(model_, spec, attention.path, seen, a, i),
                            written(model_, spec, attention.path, seen, b, i));
        });
        EXPECT_NEAR(attention.output_distance[a * count + b], apart, rounding);
      }
    }
  }
}

TEST_P(HeadStatistics, OfPairsInTwoLayersAreThoseOfTheirWeights) {
  std::size_t pairs = 0;
  for (const AttentionSums& attention : watch()) {
    for (const EarlierSums& earlier : attention.earlier) {
      SCOPED_TRACE(attention.path + " and " + earlier.path);
      ++pairs;
      const std::vector<Seen>& here = seen_.at(attention.path);
      const std::vector<Seen>& there = seen_.at(earlier.path);
      const std::size_t heads = here[0].weights.size();
      const std::size_t others = there[0].weights.size();
      ASSERT_EQ(earlier.divergence.size(), heads * others);
      for (std::size_t a = 0; a < heads; ++a) {
        for (std::size_t b = 0; b < others; ++b) {
          EXPECT_NEAR(earlier.divergence[a * others + b], divergence(here, a, there, b), rounding);
        }
      }
    }
  }
  EXPECT_EQ(pairs, 3U);  // the second layer of each kind with the first
}

}  // namespace

}  // namespace tapehead::inline TAPEHEAD_PRECISION
