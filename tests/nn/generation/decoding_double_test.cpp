// Decoding with a cache and in batches equals the naive searches of tests/support token for token,
// for models with and without an encoder.
#include "nn/generation/decoding.hpp"

#include "tests/support/naive_decoding.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

const std::vector<Sentence>& sources = decoding_sources;

void expect_same(const std::vector<Hypothesis>& found, const std::vector<Hypothesis>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].tokens, expected[i].tokens);
    EXPECT_NEAR(found[i].log_probability, expected[i].log_probability, 1e-9);
    EXPECT_NEAR(found[i].score, expected[i].score, 1e-9);
  }
}

struct Kind {
  std::uint64_t seed;
  Family family = Family::encoder_decoder;
  SourceRows prefix = SourceRows::causal;
  bool of_llama = false;  // gated blocks, no biases, rotary positions

  friend std::ostream& operator<<(std::ostream& out, const Kind& kind) {
    return out << kind.seed << (kind.family == Family::decoder ? ", a decoder" : "")
               << (kind.prefix == SourceRows::full ? " that sees whole sources" : "")
               << (kind.of_llama ? " like Llama" : "");
  }
};

// Random models with large initial weights, so that outputs differ by position.
class Decoding : public TestWithParam<Kind> {
 protected:
  Decoding() : model_(options(), GetParam().seed, tiny_vocabulary + 4) { model_.shake(0.05); }

  static ModelOptions options() {
    ModelOptions result = tiny_options();
    result.family = GetParam().family;
    result.prefix = GetParam().prefix;
    result.layers = 2;
    const bool both = result.family == Family::encoder_decoder;
    const bool pre = GetParam().seed % 2 == 0;
    result.initializer_gain = pre ? 4 : 1.5;
    result.tie_embeddings = pre ? Tying::none : both ? Tying::all : Tying::target_output;
    result.bias_output = GetParam().seed > 5;
    result.max_positions = both ? 16 : 20;
    result.norm_position = pre ? NormPosition::pre : NormPosition::post;
    result.positions = pre ? PositionKind::sinusoidal : PositionKind::learned;
    if (GetParam().of_llama) {
      result.feed_forward = FeedForwardKind::gated;
      result.activation = Activation::silu;
      result.bias_attention = result.bias_feed_forward = result.bias_norm = false;
      result.attention.positions.values = {AttentionPositions::rotary};
      result.attention.rotary_pairs.values = {RotaryPairs::interleaved};
      result.d_head = 4;
    }
    return result;
  }

  // Expects the outputs of a naive search without a cache, source by source; returns those found.
  std::vector<std::vector<Hypothesis>> expect_plain_search(const DecodingOptions& options) const {
    auto outputs = decode_together(model_, sources, options);
    EXPECT_EQ(outputs.size(), sources.size());
    for (std::size_t i = 0; i < sources.size(); ++i) {
      SCOPED_TRACE(Message() << "beam " << options.beam << ", penalty " << options.length_penalty
                             << ", best " << options.best << ", source " << i);
      expect_same(outputs.at(i), naive_beam(model_, sources[i], options));
    }
    return outputs;
  }

  TinyModel model_;
};

INSTANTIATE_TEST_SUITE_P(Seeds, Decoding, Values(Kind{4}, Kind{5}, Kind{6}, Kind{7}, Kind{8}));
INSTANTIATE_TEST_SUITE_P(OneStack, Decoding,
                         Values(Kind{12, Family::decoder}, Kind{5, Family::decoder},
                                Kind{6, Family::decoder, SourceRows::full},
                                Kind{7, Family::decoder, SourceRows::full},
                                Kind{4, Family::decoder, SourceRows::causal, true},
                                Kind{5, Family::encoder_decoder, SourceRows::causal, true},
                                Kind{8, Family::encoder_decoder, SourceRows::causal, true}));

// The other tests would prove little if the models always wrote the same.
TEST_P(Decoding, of_these_models_is_not_degenerate) {
  std::set<std::vector<TokenId>> different;
  std::set<TokenId> tokens;
  EXPECT_TRUE(decode_together(model_, {}, {}).empty());
  for (const auto& output : decode_together(model_, sources, {.max_extra_length = 4})) {
    ASSERT_EQ(output.size(), 1U);
    different.insert(output[0].tokens);
    tokens.insert(output[0].tokens.begin(), output[0].tokens.end());
  }
  EXPECT_GE(different.size(), 3U);
  EXPECT_GE(tokens.size(), 3U);
}

// Beam 12 exceeds the vocabulary, so the first step has fewer continuations than the beam.
TEST_P(Decoding, beam_equals_a_plain_beam_search) {
  for (const Index beam : {1, 2, 3, 5, 12}) {
    for (const double penalty : {0.0, 0.6, 1.0}) {
      for (const Index best : {Index{1}, (beam + 1) / 2, beam}) {
        expect_plain_search(
            {.beam = beam, .length_penalty = penalty, .max_extra_length = 4, .best = best});
      }
    }
  }
}

// `never` holds: nothing; the unknown and begin marks; those and the end mark; two other tokens.
TEST_P(Decoding, without_tokens_that_are_never_written_equals_plain_searches) {
  for (const std::vector<TokenId>& never :
       std::vector<std::vector<TokenId>>{{}, {0, 1}, {0, 1, end_mark}, {1, 7, 4}}) {
    SCOPED_TRACE(never.size());
    for (const Index beam : {1, 3, 12}) {
      expect_plain_search({.beam = beam, .max_extra_length = 4, .best = beam, .never = never});
    }
  }
}

// The cache starts with 8 rows per hypothesis and grows as needed; the models' limit is 16 rows.
TEST_P(Decoding, of_long_outputs_equals_full_recomputation) {
  std::size_t longest = 0;
  for (const auto& output :
       expect_plain_search({.beam = 2, .length_penalty = 1, .max_extra_length = 16, .best = 2})) {
    longest = std::max(longest, output[0].tokens.size());
  }
  EXPECT_GT(longest, 8U) << "so none made the cache grow";
}

TEST_P(Decoding, keeps_to_lengths_and_leaves_marks_out) {
  const auto expect_lengths = [&](const DecodingOptions& options) {
    const auto outputs = decode_together(model_, sources, options);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      for (const Hypothesis& hypothesis : outputs[i]) {
        EXPECT_LE(std::ssize(hypothesis.tokens),
                  std::min(longest_output(model_, sources[i], options), options.max_length));
        EXPECT_THAT(hypothesis.tokens,
                    Each(AllOf(Ne(begin_mark), Ne(end_mark), Ge(0), Lt(tiny_vocabulary))));
      }
    }
  };
  for (const Index extra : {0, 1, 50}) {  // source + 50 exceeds max_positions
    expect_lengths({.beam = 3, .max_extra_length = extra, .best = 3});
  }
  for (const Index beam : {1, 3}) {
    for (const Index most : {1, 4}) {  // one length for all sources
      expect_lengths({.beam = beam, .max_length = most, .best = beam});
    }
    // Without an end mark every output has the longest length.
    for (const auto& output :
         decode_together(model_, sources, {.beam = beam, .max_length = 6, .end = -1})) {
      EXPECT_EQ(output.at(0).tokens.size(), 6U);
    }
  }
}

TEST_P(Decoding, without_scores_finds_the_same) {
  for (const Index beam : {1, 3}) {
    DecodingOptions options{.beam = beam, .max_extra_length = 6};
    options.never = {0, begin_mark};
    const auto scored = decode_together(model_, sources, options);
    options.scores = false;
    const auto unscored = decode_together(model_, sources, options);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      EXPECT_EQ(unscored[i].at(0).tokens, scored[i].at(0).tokens);
      EXPECT_EQ(unscored[i].at(0).score, beam == 1 ? 0 : scored[i].at(0).score);
    }
  }
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
