// Generation in single precision: token probabilities equal those of a pass without a cache. (The
// double tests compare every token.)
#include "nn/generation/generation.hpp"

#include "tests/support/generation_cases.hpp"
#include "tests/support/naive_decoding.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

class SinglePrecisionGeneration : public TestWithParam<GenerationScheme> {};

INSTANTIATE_TEST_SUITE_P(Schemes, SinglePrecisionGeneration, ValuesIn(generation_schemes()));

TEST_P(SinglePrecisionGeneration, gives_tokens_their_recomputed_probabilities) {
  const TinyModel model(decoder_options(GetParam()), 3);
  const auto generated =
      generate_batch(model.transformer, model.store, prompts_of(model, decoding_sources),
                     {.max_tokens = 12, .context = 24, .end = -1});
  for (std::size_t i = 0; i < decoding_sources.size(); ++i) {
    const Generated& one = generated[i][0];
    double log_probability = 0;
    for (std::size_t k = 0; k < one.tokens.size(); ++k) {
      const Sentence before(one.tokens.begin(),
                            one.tokens.begin() + static_cast<std::ptrdiff_t>(k));
      const std::vector<double> next = next_log_probabilities(model, decoding_sources[i], before);
      log_probability += next[static_cast<std::size_t>(one.tokens[k])];
    }
    EXPECT_NEAR(one.log_probability / 12, log_probability / 12, 1e-5);
  }
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
