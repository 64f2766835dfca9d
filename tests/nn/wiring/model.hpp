// An encoder-decoder built from the project's layers as in Transformer, with every connection
// replaceable, so that a test can plant a fault.
#pragma once

#include "core/ops/embedding.hpp"
#include "core/ops/linear.hpp"
#include "nn/transformer/transformer.hpp"
#include "tests/support/tiny_model.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace wiring {

// A batch on its way through the model. Faults use two more passes on the same tape: in `frozen`
// each parameter is a constant; the gradients of `again` finally overwrite those of `pass`.
struct Run {
  Run(Tape& tape, const ParameterStore& store, ParameterGradients& into, const Batch& of)
      : batch(of),
        gradients(into),
        overwriting(store),
        pass(tape, store, gradients, 1, 1),
        again(tape, store, overwriting, 1, 1),
        frozen(tape, store) {}

  const Batch& batch;
  ParameterGradients& gradients;
  ParameterGradients overwriting;
  Pass pass;
  Pass again;
  Pass frozen;
};

// The rows of the batch that a block reads, and the rows that it attends to.
struct Rows {
  const Segments& own;
  const Var& memory;
  const Segments& memory_segments;
};

// A block applied to normed rows. `pass` decides where the gradients of its parameters go.
using Block = std::function<BlockOutput(Pass& pass, const Var& normed)>;

// A block with its residual connection: (N, D) -> (N, D).
using Connection = std::function<Var(Run& run, const Residual& residual, const Var& x,
                                     const Rows& rows, const Block& block)>;

struct WiredModel {
  explicit WiredModel(const ModelOptions& options);

  ParameterStore store;
  Parameter output;
  std::optional<TokenEmbedding> source;
  std::optional<TokenEmbedding> target;
  std::vector<Layer> encoder;
  std::vector<Layer> decoder;
  std::optional<Norm> encoder_norm;
  std::optional<Norm> decoder_norm;

  // The batch and loss of the fixtures.
  Batch batch =
      batch_of({{3, 4, 5, 9}, {6}, {8, 10, 3, 3, 5, 7, 4}}, {{7, 12, 3}, {4, 4, 10, 3, 5}, {11}});
  Scalar label_smoothing = Scalar(0.1);
  // One factor per shard of the batch, by which its gradient is multiplied in the sum.
  std::vector<double> shares{1};

  std::vector<std::string> encoder_blocks{"self", "feed_forward"};
  std::vector<std::string> decoder_blocks{"self", "cross", "feed_forward"};
  // By path of the block, such as "encoder.layers.1.self". Blocks without an entry are correct.
  std::map<std::string, Connection> connections;

  std::function<Var(Run& run)> embed_source = [this](Run& run) {
    return (*source)(run.pass, run.batch.context);
  };
  std::function<Var(Run& run)> embed_target = [this](Run& run) {
    return (*target)(run.pass, run.batch.input);
  };
  // The encoder rows that a decoder layer attends to. `made` holds the embedding, the output of
  // each layer, and the last output after the final norm.
  std::function<Var(const std::vector<Var>& made, std::size_t layer)> memory =
      [](const std::vector<Var>& made, std::size_t) { return made.back(); };
  std::function<Segments(const Segments& sources)> attended = [](const Segments& sources) {
    return sources;
  };
  std::function<Var(Run& run, const Var& hidden)> logits = [this](Run& run, const Var& hidden) {
    return linear(hidden, run.pass.parameter(output));
  };
};

// Parameters have the names and the order of Transformer.
inline WiredModel::WiredModel(const ModelOptions& options) {
  const Scope root = store.root();
  const Index D = options.d_model;
  const Initializer any = Initializer::constant(0);  // a fixture sets the values
  const Tensor sines = sinusoidal_positions(options.max_positions, D);
  const Parameter target_table =
      (root / "target").create("embedding", ParameterKind::embedding, {13, D}, any);
  const Parameter source_table =
      (root / "source").create("embedding", ParameterKind::embedding, {11, D}, any);
  output = ties_output(options.tie_embeddings)
               ? target_table
               : root.create("output.weight", ParameterKind::output, {13, D}, any);
  source.emplace(root / "source", options, source_table, sines);
  target.emplace(root / "target", options, target_table, sines);
  AttentionMaker attention(root, options);
  for (Index i = 0; i < options.encoder_layers.value_or(options.layers); ++i) {
    encoder.emplace_back(root / "encoder" / "layers" / std::to_string(i), options, attention,
                         StackName::encoder, i);
  }
  for (Index i = 0; i < options.layers; ++i) {
    decoder.emplace_back(root / "decoder" / "layers" / std::to_string(i), options, attention,
                         StackName::decoder, i);
  }
  if (options.norm_position == NormPosition::pre) {
    encoder_norm.emplace(root / "encoder" / "norm", options);
    decoder_norm.emplace(root / "decoder" / "norm", options);
  }
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION::wiring
