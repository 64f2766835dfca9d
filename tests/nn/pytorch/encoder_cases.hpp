// Encoders with options of BERT and ALBERT compared with PyTorch: the loss and the gradient of
// every parameter. Included by one test per precision. Fixtures: scripts/make_pytorch_fixtures.py.
#pragma once

#include "tests/nn/pytorch/stack_cases.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct PytorchEncoderCase {
  std::string name;
  ModelOptions options;

  friend std::ostream& operator<<(std::ostream& out, const PytorchEncoderCase& c) {
    return out << c.name;
  }
};

// The sizes in the script.
inline ModelOptions encoder_options() {
  ModelOptions options = options_of({"", NormPosition::post, Activation::gelu});
  options.family = Family::encoder;
  options.layers = 1;
  options.positions = PositionKind::learned;
  options.max_positions = 9;
  options.embedding_scale = EmbeddingScale::none;
  return options;
}

inline ModelOptions of_masked_tokens(ModelOptions options) {
  options.head_transform = HeadTransform::masked;
  options.tie_embeddings = Tying::target_output;
  options.bias_output = true;
  return options;
}

inline std::vector<PytorchEncoderCase> pytorch_encoder_cases() {
  const auto with = [](const auto& change) {
    ModelOptions options = encoder_options();
    change(options);
    return options;
  };
  const ModelOptions all = with([](ModelOptions& options) {
    options.token_types = 3;
    options.embedding_norm = true;
    options.d_embedding = 7;
    options.layers = 3;
    options.layer_groups = 2;
    options.norm_epsilon = 1e-12;
  });
  ModelOptions classes_with_all = all;
  classes_with_all.head_transform = HeadTransform::pooler;
  return {{"types", with([](ModelOptions& options) { options.token_types = 3; })},
          {"embedding_norm", with([](ModelOptions& options) { options.embedding_norm = true; })},
          {"factored", with([](ModelOptions& options) { options.d_embedding = 7; })},
          {"one_group", with([](ModelOptions& options) {
             options.layers = 3;
             options.layer_groups = 1;
           })},
          {"two_groups", with([](ModelOptions& options) {
             options.layers = 3;
             options.layer_groups = 2;
           })},
          {"pooler",
           with([](ModelOptions& options) { options.head_transform = HeadTransform::pooler; })},
          {"masked", of_masked_tokens(encoder_options())},
          {"classes_with_all", classes_with_all},
          {"masked_with_all", of_masked_tokens(all)}};
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

// Token types of a sequence: 0, 0, 1, 1, 2, 2, 0, ...
inline void add_types(Batch& batch) {
  for (const Segment& segment : batch.input.segments.list) {
    for (Index row = 0; row < segment.rows; ++row) {
      batch.input.types.push_back(static_cast<TokenId>(row / 2 % 3));
    }
  }
}

class PytorchEncoder : public TestWithParam<PytorchEncoderCase> {};

INSTANTIATE_TEST_SUITE_P(Options, PytorchEncoder, ValuesIn(pytorch_encoder_cases()),
                         [](const auto& test) { return test.param.name; });

TEST_P(PytorchEncoder, has_the_same_loss_and_gradients) {
  const auto& [name, options] = GetParam();
  const bool masked = options.head_transform == HeadTransform::masked;
  Batch batch =
      masked ? masked_batch(pytorch_sequences, 13) : first_row_batch(pytorch_sequences, 5);
  add_types(batch);
  expect_stack_as_pytorch("encoder_" + name, options, masked ? 13 : 5, batch);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
