// Decoding in single precision: the same scores with and without a cache, except for ties, and the
// same bits alone and in a batch. (The double tests compare every token.)
#include "nn/generation/decoding.hpp"

#include "tests/support/naive_decoding.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

constexpr double tie = 1e-5;  // in log-probabilities

class SinglePrecisionDecoding : public TestWithParam<std::uint64_t> {
 protected:
  SinglePrecisionDecoding() : model_(options(), GetParam()) { model_.shake(0.05); }

  static ModelOptions options() {
    ModelOptions result = tiny_options();
    result.d_model = 32;
    result.d_head = 16;
    result.layers = 2;
    result.initializer_gain = 3;
    return result;
  }

  TinyModel model_;
};

INSTANTIATE_TEST_SUITE_P(Seeds, SinglePrecisionDecoding, testing::Range<std::uint64_t>(1, 21));

// Bit-identical: results do not depend on the other sentences of the batch.
TEST_P(SinglePrecisionDecoding, of_a_batch_equals_that_of_each_source_alone) {
  for (const Index beam : {1, 4}) {
    const DecodingOptions options{.beam = beam, .max_extra_length = 9, .best = beam};
    const auto outputs = decode_together(model_, decoding_sources, options);
    for (std::size_t i = 0; i < decoding_sources.size(); ++i) {
      const auto alone = decode_together(model_, {decoding_sources[i]}, options)[0];
      ASSERT_EQ(outputs[i].size(), alone.size());
      for (std::size_t k = 0; k < alone.size(); ++k) {
        EXPECT_EQ(outputs[i][k].tokens, alone[k].tokens);
        EXPECT_EQ(outputs[i][k].log_probability, alone[k].log_probability);
      }
    }
  }
}

TEST_P(SinglePrecisionDecoding, beam_equals_a_plain_beam_search) {
  for (const Index beam : {1, 4}) {
    const DecodingOptions options{.beam = beam, .length_penalty = 1, .max_extra_length = 9};
    const auto outputs = decode_together(model_, decoding_sources, options);
    for (std::size_t i = 0; i < decoding_sources.size(); ++i) {
      const Hypothesis expected = naive_beam(model_, decoding_sources[i], options)[0];
      const Hypothesis& found = outputs[i][0];
      EXPECT_NEAR(found.score, expected.score, found.tokens == expected.tokens ? 1e-4 : tie);
    }
  }
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
