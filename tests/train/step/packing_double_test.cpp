// Documents in a batch do not see each other: loss and gradients equal those of each alone.
#include "datasets/loader.hpp"
#include "nn/transformer/transformer.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_model.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

const std::vector<Sentence> documents{{3, 4, 5, 6, 7}, {8}, {4, 4, 3}, {5, 3, 8, 6}};

std::shared_ptr<const Source> packed() {
  const auto text =
      std::make_shared<const TokenText>(text_of_documents(documents, tiny_vocabulary));
  return window_source(text, training_windows(*text, {.context = 8}, 1, 0));
}

// One document: begin mark and tokens as input, tokens and end mark as labels.
Batch batch_alone(const Sentence& document) {
  Batch batch;
  batch.context.segments = segments_of({0});
  batch.input.ids = {begin_mark};
  batch.input.ids.insert(batch.input.ids.end(), document.begin(), document.end());
  batch.input.segments = segments_of({batch.input.rows()});
  batch.labels.ids.assign(document.begin(), document.end());
  batch.labels.ids.push_back(end_mark);
  batch.examples = {0};
  return batch;
}

TEST(Packing, gives_the_gradients_of_each_document_alone) {
  ModelOptions options = tiny_options();
  options.family = Family::decoder;
  options.layers = 2;
  options.attention.positions.values = {AttentionPositions::alibi};
  TinyModel model(options);
  model.shake(0.2);
  ParameterGradients gradients(model.store);
  // Adds to the gradients; returns the loss.
  const auto run = [&](const Batch& batch) {
    expect_whole(batch);
    Tape tape;
    Pass pass(tape, model.store, gradients);
    const CrossEntropy result = batch_loss(model.transformer, pass, batch);
    tape.backward(result.loss);
    return result.negative_log_likelihood;
  };
  const auto numbers = [&] {
    std::vector<double> all;
    for (Index block = 0; block < model.store.blocks(); ++block) {
      const Scalar* gradient = gradients.data(block);
      all.insert(all.end(), gradient, gradient + model.store.block_size(block));
    }
    return all;
  };
  const double together = run(pack(*packed(), {2, 0, 3, 1}));
  const std::vector<double> of_all = numbers();
  gradients.forget();
  double apart = 0;
  for (const Sentence& document : documents) {
    apart += run(batch_alone(document));
  }
  EXPECT_NEAR(together, apart, 1e-12);
  EXPECT_THAT(of_all, Pointwise(DoubleNear(1e-12), numbers()));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
