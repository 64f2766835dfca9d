// Decoding and labelling of many examples: the results of each alone, whatever the batches and the
// threads.
#include "train/evaluation/example_decoding.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/support/naive_decoding.hpp"
#include "train/evaluation/example_labels.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

// Sources of lengths 0 to 12, in no order of length.
Split split_of_sources() {
  Split split;
  for (Index i = 0; i < 40; ++i) {
    Example example;
    for (Index k = 0; k < i * 5 % 13; ++k) {
      example.source.push_back(static_cast<TokenId>(3 + (i * 7 + k * k) % 6));
    }
    split.examples.push_back(std::move(example));
  }
  return split;
}

TEST(ExampleDecoding, gives_the_same_bits_whatever_the_batches_and_worker_threads) {
  TinyModel model(tiny_options());
  model.shake(0.3);
  const Split split = split_of_sources();
  for (const Index beam : {1, 3}) {
    const DecodingOptions options{.beam = beam, .max_extra_length = 3, .best = beam};
    for (const Index threads : {1, 2, 3}) {
      Workers workers(threads);
      for (const Index batch_tokens : {1, 30, 100000}) {
        SCOPED_TRACE(fmt::format("beam {}, {} threads, {} tokens", beam, threads, batch_tokens));
        const auto outputs =
            decode_examples(model.transformer, model.store, split, batch_tokens, options, workers);
        ASSERT_EQ(outputs.size(), split.examples.size());
        for (std::size_t i = 0; i < outputs.size(); ++i) {
          const std::vector<TokenId>& source = split.examples[i].source;
          const std::vector<Hypothesis> alone = source.empty()
                                                    ? std::vector<Hypothesis>(1)
                                                    : decode_together(model, {source}, options)[0];
          ASSERT_EQ(outputs[i].size(), alone.size());
          for (std::size_t k = 0; k < alone.size(); ++k) {
            EXPECT_EQ(outputs[i][k].tokens, alone[k].tokens) << "example " << i;
            EXPECT_EQ(outputs[i][k].log_probability, alone[k].log_probability) << "example " << i;
          }
        }
      }
    }
  }
}

TEST(ExampleDecoding, of_nothing_is_nothing) {
  const TinyModel model(tiny_options());
  Workers workers(2);
  EXPECT_TRUE(decode_examples(model.transformer, model.store, {}, 100, {}, workers).empty());
}

std::vector<double> label_probabilities(const TinyModel& model, const Split& split,
                                        Index batch_tokens, Index threads) {
  Workers workers(threads);
  std::vector<double> probabilities;
  for (const auto& rows :
       label_examples(model.transformer, model.store, split, batch_tokens, 2, workers)) {
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
  Split split = split_of_sources();
  split.classes = true;
  for (Example& example : split.examples) {
    example.target = {1};
  }
  const std::vector<double> expected = label_probabilities(model, split, 1, 1);
  ASSERT_EQ(expected.size(), 2 * split.examples.size());
  for (const Index threads : {1, 2, 3}) {
    for (const Index batch_tokens : {30, 100000}) {
      EXPECT_EQ(label_probabilities(model, split, batch_tokens, threads), expected);
    }
  }
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
