// Documents in a batch do not see each other: loss and gradients equal those of each alone.
#include "datasets/loader.hpp"
#include "nn/transformer/transformer.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_model.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

const std::vector<Sentence> documents{{3, 4, 5, 6, 7}, {8}, {4, 4, 3}, {5, 3, 8, 6}};

std::shared_ptr<const Source> packed() {
  TokenTextWriter writer(tiny_vocabulary);
  for (const Sentence& document : documents) {
    writer.add(document);
    writer.end_document();
  }
  const auto text = std::make_shared<const TokenText>(writer.finish({}));
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

class Packing : public Test {
 protected:
  Packing() : model_(options()), gradients_(model_.store) { model_.shake(0.2); }

  static ModelOptions options() {
    ModelOptions options = tiny_options();
    options.family = Family::decoder;
    options.layers = 2;
    options.attention.positions.values = {AttentionPositions::alibi};
    return options;
  }

  // Adds to the gradients; returns the loss.
  double run(const Batch& batch) {
    expect_whole(batch);
    Tape tape;
    Pass pass(tape, model_.store, gradients_);
    const CrossEntropy result = batch_loss(model_.transformer, pass, batch);
    tape.backward(result.loss);
    return result.negative_log_likelihood;
  }

  std::vector<double> gradients() {
    std::vector<double> all;
    for (Index block = 0; block < model_.store.blocks(); ++block) {
      const Scalar* gradient = gradients_.data(block);
      all.insert(all.end(), gradient, gradient + model_.store.block_size(block));
    }
    return all;
  }

  TinyModel model_;
  ParameterGradients gradients_;
};

TEST_F(Packing, gives_the_gradients_of_each_document_alone) {
  const double together = run(pack(*packed(), {2, 0, 3, 1}));
  const std::vector<double> of_all = gradients();
  gradients_.forget();
  double apart = 0;
  for (const Sentence& document : documents) {
    apart += run(batch_alone(document));
  }
  EXPECT_NEAR(together, apart, 1e-12);
  EXPECT_THAT(of_all, Pointwise(DoubleNear(1e-12), gradients()));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
