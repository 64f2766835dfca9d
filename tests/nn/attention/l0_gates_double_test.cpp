// Head gates in a model: before training, when they are drawn, and their number.
#include "nn/attention/head_projections.hpp"

#include "tests/nn/model_gradients.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_model.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

ModelOptions gated_options() {
  ModelOptions options = tiny_options();
  options.attention.gates.values = {HeadGating::l0};
  return options;
}

Tensor evaluated(const TinyModel& model) {
  Tape tape(false);
  Pass pass(tape, model.store);
  return logits_of(model.transformer, pass, tiny_batch()).value();
}

Tensor trained(const TinyModel& model, std::uint64_t seed, Index step) {
  Tape tape;
  ParameterGradients gradients(model.store);
  Pass pass(tape, model.store, gradients, seed, step);
  return logits_of(model.transformer, pass, tiny_batch()).value();
}

// Initial values depend on the parameter's name alone, so both models have the same weights.
TEST(L0Gates, are_open_before_training) {
  EXPECT_THAT(evaluated(TinyModel(gated_options())).values(),
              ElementsAreArray(evaluated(TinyModel(tiny_options())).values()));
}

TEST(L0Gates, are_drawn_anew_in_each_step_and_only_in_training) {
  ModelOptions options = gated_options();
  options.dropout = 0;  // so that only gates are drawn
  TinyModel model(options);
  fill_parameters(model.store, ".gates", 0.3);
  const Tensor first = trained(model, 1, 1);
  EXPECT_THAT(trained(model, 1, 1).values(), ElementsAreArray(first.values()));
  EXPECT_THAT(trained(model, 1, 2).values(), Not(ElementsAreArray(first.values())));
  EXPECT_THAT(trained(model, 2, 1).values(), Not(ElementsAreArray(first.values())));
  const Tensor settled = evaluated(model);
  EXPECT_THAT(evaluated(model).values(), ElementsAreArray(settled.values()));
  EXPECT_THAT(settled.values(), Not(ElementsAreArray(first.values())));
}

// Three attentions with two heads each. Layers that share their weights share one set of gates.
TEST(L0Gates, are_counted_once) {
  ModelOptions options = gated_options();
  EXPECT_EQ(OpenHeads(TinyModel(options).transformer).gated(), 6);
  options.layers = 2;
  options.encoder_self.shared_as.values = {"both"};
  options.cross.gates.values = {HeadGating::none, HeadGating::l0};
  const TinyModel model(options);
  const OpenHeads open(model.transformer);
  EXPECT_EQ(open.gated(), 2 + 4 + 2);
  // P(z > 0) for the initial log_alpha: σ(2.5 + 2/3 log 11) = 0.98368.
  EXPECT_NEAR(open.expected(model.store), 8 * 0.98368, 1e-3);
  options.attention.gates.values.clear();
  options.cross.gates.values.clear();
  const TinyModel plain(options);
  EXPECT_EQ(OpenHeads(plain.transformer).gated(), 0);
  EXPECT_EQ(OpenHeads(plain.transformer).expected(plain.store), 0);
}

// Gradients with the penalty, for every way to combine heads.
TEST(L0Gates, have_their_gradients) {
  for (const Combine combine :
       {Combine::output, Combine::concatenate, Combine::mean, Combine::weighted}) {
    SCOPED_TRACE(EnumNames<Combine>::names[static_cast<std::size_t>(combine)]);
    ModelOptions options = gated_options();
    options.d_head.reset();
    options.attention.combine.values = {combine};
    TinyModel model(options);
    model.shake(0.2);
    fill_parameters(model.store, ".gates", 0.2);  // few draws are exactly 0 or 1
    expect_gradients(model, tiny_batch());
  }
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
