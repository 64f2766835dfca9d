// The sums of head pairs over a split compared with sums computed from the recorded weights and
// outputs of each sentence, for plain and for composed attention.
#include "tests/support/testing.hpp"
#include "tests/support/watched_models.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

constexpr double pair_rounding = 1e-10;

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

using PairStatistics = WatchedModel;

INSTANTIATE_TEST_SUITE_P(Models, PairStatistics, ValuesIn(watched_cases()),
                         [](const auto& test) { return test.param.name; });

TEST_P(PairStatistics, of_pairs_are_those_of_their_weights_and_outputs) {
  for (const AttentionSums& attention : watch()) {
    SCOPED_TRACE(attention.site.text());
    const std::vector<Seen>& sentences = seen_.at(attention.site.text());
    const AttentionSpec& spec = spec_of(attention.site.text());
    const std::size_t count = attention.heads.size();
    for (std::size_t a = 0; a < count; ++a) {
      for (std::size_t b = 0; b < count; ++b) {
        EXPECT_NEAR(attention.divergence[a * count + b], divergence(sentences, a, sentences, b),
                    pair_rounding);
        const double apart = sum_of(sentences, [&](const Seen& seen, Index i) {
          return 1 - cosine(written(model_, spec, attention.site.text(), seen, a, i),
                            written(model_, spec, attention.site.text(), seen, b, i));
        });
        EXPECT_NEAR(attention.output_distance[a * count + b], apart, pair_rounding);
      }
    }
  }
}

TEST_P(PairStatistics, of_pairs_in_two_layers_are_those_of_their_weights) {
  std::size_t pairs = 0;
  for (const AttentionSums& attention : watch()) {
    for (const auto& [earlier, sums] : attention.earlier) {
      SCOPED_TRACE(attention.site.text() + " and " + earlier.text());
      ++pairs;
      const std::vector<Seen>& here = seen_.at(attention.site.text());
      const std::vector<Seen>& there = seen_.at(earlier.text());
      const std::size_t heads = here[0].weights.size();
      const std::size_t others = there[0].weights.size();
      ASSERT_EQ(sums.size(), heads * others);
      for (std::size_t a = 0; a < heads; ++a) {
        for (std::size_t b = 0; b < others; ++b) {
          EXPECT_NEAR(sums[a * others + b], divergence(here, a, there, b), pair_rounding);
        }
      }
    }
  }
  EXPECT_EQ(pairs, 3U);  // for each kind, layer 1 with layer 0
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
