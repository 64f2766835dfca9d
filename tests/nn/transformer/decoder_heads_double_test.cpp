// Head options of all kinds in a decoder-only model: gradients, and outputs generated with a cache.
#include "core/gradcheck/model/model.hpp"
#include "core/ops/arithmetic.hpp"
#include "nn/transformer/transformer.hpp"
#include "tests/support/naive_decoding.hpp"
#include "tests/support/random_attention.hpp"
#include "tests/support/stack_batches.hpp"
#include "tests/support/testing.hpp"
#include "train/model_training.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

class DecoderHeads : public Test {
 protected:
  DecoderHeads() : random_(6) {}

  ModelOptions next() { return of_family(random_.next(), Family::decoder); }

 private:
  RandomAttention random_;
};

TEST_F(DecoderHeads, of_random_compositions_have_their_gradients) {
  const Batch batch = next_token_batch({{3, 4, 5, 6, 7}, {8, 3, 4}, {}, {5, 5}});
  for (int i = 0; i < 24; ++i) {
    SCOPED_TRACE(fmt::format("composition {}", i));
    TinyModel model(next());
    model.shake(0.2);
    const auto loss = [&](Tape& tape, ParameterGradients& gradients) {
      Pass pass(tape, model.store, gradients, 11, 3);
      const Var of_labels =
          batch_loss(model.transformer, pass, batch, {.label_smoothing = 0.1}).loss;
      const PenaltyFunction penalty = gate_penalty(model.transformer, 0.3);
      return penalty ? add(of_labels, penalty(pass)) : of_labels;
    };
    const ModelGradcheckReport report = gradcheck_model(model.store, loss);
    EXPECT_TRUE(report.ok()) << report.message();
  }
}

TEST_F(DecoderHeads, of_random_compositions_decode_as_recomputation_does) {
  const DecodingOptions options{.max_extra_length = 5};
  for (int i = 0; i < 60; ++i) {
    SCOPED_TRACE(fmt::format("composition {}", i));
    ModelOptions composition = next();
    composition.initializer_gain = 3;  // so that outputs differ by position
    TinyModel model(composition, 5);
    model.shake(0.05);
    const auto outputs = decode_together(model, decoding_sources, options);
    for (std::size_t k = 0; k < decoding_sources.size(); ++k) {
      const Hypothesis expected = naive_greedy(model, decoding_sources[k], options);
      EXPECT_EQ(outputs[k][0].tokens, expected.tokens);
      EXPECT_NEAR(outputs[k][0].log_probability, expected.log_probability, 1e-9);
    }
  }
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
