// Decoding and labelling many examples gives the results of each example alone, whatever the
// batches and threads.
#include "train/evaluation/example_decoding.hpp"

#include "datasets/text/labelled_options.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/naive_decoding.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

// Sources of lengths 0 to 12, not sorted by length.
Examples sources() {
  Examples all;
  for (Index i = 0; i < 40; ++i) {
    Example example;
    for (Index k = 0; k < i * 5 % 13; ++k) {
      example.source.push_back(static_cast<TokenId>(3 + (i * 7 + k * k) % 6));
    }
    all.push_back(std::move(example));
  }
  return all;
}

// Tokens and log-probabilities, with all digits.
std::vector<std::string> hypothesis_texts(const Outputs& outputs) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (const Hypothesis& one : outputs[i]) {
      texts.push_back(fmt::format("example {}: {} {}", i, one.tokens, one.log_probability));
    }
  }
  return texts;
}

TEST(ExampleDecoding, gives_the_same_bits_whatever_the_batches_and_worker_threads) {
  TinyModel model(tiny_options());
  model.shake(0.3);
  const auto split = pair_source(sources(), {});
  for (const Index beam : {1, 3}) {
    const DecodingOptions options{.beam = beam, .max_extra_length = 3, .best = beam};
    Outputs alone;
    for (const Example& example : examples_of(*split)) {
      alone.push_back(example.source.empty()
                          ? std::vector<Hypothesis>(1)
                          : decode_together(model, {example.source}, options)[0]);
    }
    for (const Index threads : {1, 2, 3}) {
      Workers workers(threads);
      for (const Index batch_tokens : {1, 30, 100000}) {
        const auto outputs =
            decode_examples(model.transformer, model.store, *split, batch_tokens, options, workers);
        EXPECT_EQ(hypothesis_texts(outputs), hypothesis_texts(alone))
            << fmt::format("beam {}, {} threads, {} tokens", beam, threads, batch_tokens);
      }
      const auto nothing = pair_source(Examples(), {});
      EXPECT_THAT(decode_examples(model.transformer, model.store, *nothing, 100, options, workers),
                  IsEmpty());
    }
  }
}

std::vector<double> label_probabilities(const TinyModel& model, const Source& source,
                                        Index batch_tokens, Index threads) {
  Workers workers(threads);
  std::vector<double> probabilities;
  for (const auto& rows : label_examples({.transformer = model.transformer, .store = model.store},
                                         source, batch_tokens, 2, workers)) {
    for (const LikelyLabel& label : rows.at(0)) {
      probabilities.push_back(label.probability);
    }
  }
  return probabilities;
}

TEST(ExampleLabels, have_the_same_bits_whatever_the_batches_and_worker_threads) {
  ModelOptions options = tiny_options();
  options.family = Family::encoder;
  TinyModel model(options);
  model.shake(0.3);
  std::vector<ClassifiedText> texts;
  for (const Example& example : sources()) {
    texts.push_back({.tokens = example.source, .first_text = std::ssize(example.source)});
  }
  const auto source = class_source(texts, {.input = InputRows::source});
  const std::vector<double> expected = label_probabilities(model, *source, 1, 1);
  ASSERT_EQ(expected.size(), 2 * texts.size());
  for (const Index threads : {1, 2, 3}) {
    for (const Index batch_tokens : {30, 100000}) {
      EXPECT_EQ(label_probabilities(model, *source, batch_tokens, threads), expected);
    }
  }
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
