// Whole transformers, models of one stack with options of BERT and ALBERT, and cross-entropy,
// compared with PyTorch: the loss and the gradient of every parameter. Included by one test per
// precision. Fixtures: scripts/make_pytorch_fixtures.py, which has the sizes and sequences, too.
#pragma once

#include "core/ops/softmax.hpp"
#include "nn/transformer/transformer.hpp"
#include "tests/support/pytorch.hpp"
#include "tests/support/stack_batches.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

inline ModelOptions pytorch_options(Family family, NormPosition position = NormPosition::pre) {
  ModelOptions options;
  options.family = family;
  options.d_model = 12;
  options.heads = 3;
  options.d_ff = 20;
  options.layers = 2;
  options.dropout = 0;
  options.norm_position = position;
  options.activation = Activation::gelu;
  return options;
}

inline void expect_as_pytorch(const std::string& name, ParameterStore& store,
                              const Transformer& transformer, const Batch& batch,
                              double smoothing = 0) {
  const TensorFile file = pytorch_fixture(name);
  load_parameters(store, file);
  // The file holds one loss, and each parameter with its gradient; all are compared.
  ASSERT_EQ(file.entries().size(), 1 + 2 * store.parameters().size());
  Tape tape;
  ParameterGradients gradients(store);
  Pass pass(tape, store, gradients, 1, 1);
  const CrossEntropy result = batch_loss(transformer, pass, batch, {.label_smoothing = smoothing});
  tape.backward(result.loss);
  expect_near(result.loss.value().values(), tensor_of(file, "loss", {1}));
  expect_parameter_gradients(store, gradients, file);
}

TEST(Pytorch, has_the_same_loss_and_gradients) {
  const Batch batch =
      batch_of({{3, 4, 5, 9}, {6}, {8, 10, 3, 3, 5, 7, 4}}, {{7, 12, 3}, {4, 4, 10, 3, 5}, {11}});
  for (const bool post : {true, false}) {
    SCOPED_TRACE(post);
    ModelOptions options =
        pytorch_options(Family::encoder_decoder, post ? NormPosition::post : NormPosition::pre);
    options.activation = post ? Activation::relu : Activation::gelu;
    ParameterStore store;
    const Transformer transformer(store.root(), options, 11, 13);
    expect_as_pytorch(post ? "post_norm" : "pre_norm", store, transformer, batch, 0.1);
  }
}

inline const std::vector<Sentence> pytorch_sequences{{3, 4, 5, 9}, {6, 12}, {8, 10, 3, 3, 5, 7, 4}};

inline void expect_stack_as_pytorch(const std::string& name, const ModelOptions& options,
                                    Index labels, const Batch& batch) {
  SCOPED_TRACE(name);
  ParameterStore store;
  const Transformer transformer(store.root(), options,
                                {.context = 0, .input = 13, .labels = labels});
  expect_as_pytorch(name, store, transformer, batch);
}

TEST(PytorchStack, has_the_same_loss_and_gradients) {
  expect_stack_as_pytorch("decoder_stack", pytorch_options(Family::decoder), 13,
                          next_token_batch(pytorch_sequences));
  expect_stack_as_pytorch("encoder_stack", pytorch_options(Family::encoder), 5,
                          first_row_batch(pytorch_sequences, 5));
}

// Every second row, from the second row of a sequence on, is labelled with its own id + 1.
inline Batch masked_batch(const std::vector<Sentence>& sequences, Index vocabulary) {
  Batch batch = sequences_of(sequences);
  for (const Segment& segment : batch.input.segments.list) {
    for (Index row = segment.row + 1; row < segment.row + segment.rows; row += 2) {
      batch.labels.rows.push_back(row);
      batch.labels.ids.push_back(
          static_cast<TokenId>((batch.input.ids[static_cast<std::size_t>(row)] + 1) % vocabulary));
    }
  }
  return batch;
}

inline ModelOptions of_masked_tokens(ModelOptions options) {
  options.head_transform = HeadTransform::masked;
  options.tie_embeddings = Tying::target_output;
  options.bias_output = true;
  return options;
}

inline std::map<std::string, ModelOptions> pytorch_encoders() {
  ModelOptions plain = pytorch_options(Family::encoder, NormPosition::post);
  plain.layers = 1;
  plain.positions = PositionKind::learned;
  plain.max_positions = 9;
  plain.embedding_scale = EmbeddingScale::none;
  ModelOptions all = plain;
  all.token_types = 3;
  all.embedding_norm = true;
  all.d_embedding = 7;
  all.layers = 3;
  all.layer_groups = 2;
  all.norm_epsilon = 1e-12;
  std::map<std::string, ModelOptions> cases;
  for (const char* name :
       {"types", "embedding_norm", "factored", "one_group", "two_groups", "pooler"}) {
    cases[name] = plain;
  }
  cases["types"].token_types = 3;
  cases["embedding_norm"].embedding_norm = true;
  cases["factored"].d_embedding = 7;
  cases["one_group"].layers = cases["two_groups"].layers = 3;
  cases["one_group"].layer_groups = 1;
  cases["two_groups"].layer_groups = 2;
  cases["pooler"].head_transform = HeadTransform::pooler;
  cases["masked"] = of_masked_tokens(plain);
  cases["classes_with_all"] = all;
  cases["classes_with_all"].head_transform = HeadTransform::pooler;
  cases["masked_with_all"] = of_masked_tokens(all);
  return cases;
}

// Token types of a sequence: 0, 0, 1, 1, 2, 2, 0, ...
TEST(PytorchEncoder, has_the_same_loss_and_gradients) {
  for (const auto& [name, options] : pytorch_encoders()) {
    const bool masked = options.head_transform == HeadTransform::masked;
    Batch batch =
        masked ? masked_batch(pytorch_sequences, 13) : first_row_batch(pytorch_sequences, 5);
    for (const Segment& segment : batch.input.segments.list) {
      for (Index row = 0; row < segment.rows; ++row) {
        batch.input.types.push_back(static_cast<TokenId>(row / 2 % 3));
      }
    }
    expect_stack_as_pytorch("encoder_" + name, options, masked ? 13 : 5, batch);
  }
}

// With and without label smoothing.
TEST(PytorchCrossEntropy, has_the_same_loss_and_gradient) {
  const Shape shape{22, 11};
  const TensorFile file = pytorch_fixture("cross_entropy");
  std::vector<std::int64_t> ids(22);
  copy_values(file.entry("targets"), ids);
  const std::vector<TokenId> targets(ids.begin(), ids.end());
  std::vector<std::int64_t> correct(1);
  copy_values(file.entry("correct"), correct);
  for (const bool smooth : {false, true}) {
    const std::string name = smooth ? "smooth." : "sharp.";
    SCOPED_TRACE(name);
    Tape tape;
    const Var logits = tape.variable(tensor_of(file, "logits", shape));
    const CrossEntropy result =
        cross_entropy(logits, targets, static_cast<Scalar>(smooth ? 0.1 : 0.0));
    tape.backward(result.loss);
    expect_near(result.loss.value().values(), tensor_of(file, name + "loss", {1}));
    expect_near(tape.gradient(logits).values(), tensor_of(file, name + "gradient", shape));
    const Tensor likelihood =
        Tensor::of({1}, {static_cast<Scalar>(result.negative_log_likelihood)});
    expect_near(likelihood.values(), tensor_of(file, "sharp.loss", {1}));
    EXPECT_EQ(result.correct, correct[0]);
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
