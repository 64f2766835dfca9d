// An encoder-decoder built from the project's layers as in Transformer, with every connection
// replaceable, so that a test can plant a fault; and a fault, with the expected findings.
#pragma once

#include "core/ops/embedding.hpp"
#include "core/ops/linear.hpp"
#include "nn/transformer/transformer.hpp"
#include "tests/support/tiny_model.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace wiring {

struct WiredModel;

// A batch on its way through the model. Faults use two more passes on the same tape: in `frozen`
// each parameter is a constant; the gradients of `again` finally overwrite those of `pass`.
struct Run {
  Run(Tape& tape, const WiredModel& of, const ParameterStore& store, ParameterGradients& into,
      const Batch& rows)
      : model(of),
        batch(rows),
        gradients(into),
        overwriting(store),
        pass(tape, store, gradients, 1, 1),
        again(tape, store, overwriting, 1, 1),
        frozen(tape, store) {}

  const WiredModel& model;
  const Batch& batch;
  ParameterGradients& gradients;
  ParameterGradients overwriting;
  Pass pass;
  Pass again;
  Pass frozen;
};

// A block applied to normed rows. `pass` decides where the gradients of its parameters go.
using Block = std::function<BlockOutput(Pass& pass, const Var& normed)>;

// A block where it is connected: its input x of shape (N, D), and the rows that it attends to.
struct Joint {
  Run& run;
  const Residual& residual;
  const Var& x;
  const Segments& segments;
  const Var& memory;
  const Segments& memory_segments;
  const Block& block;
};

// A block with its residual connection: (N, D) -> (N, D).
using Connection = std::function<Var(const Joint& at)>;

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

  std::vector<std::string> decoder_blocks{"self", "cross", "feed_forward"};
  // By path of the block, such as "encoder.layers.1.self". Blocks without an entry are correct.
  std::map<std::string, Connection> connections;

  std::function<Var(Run& run)> embed_source = [](Run& run) {
    return (*run.model.source)(run.pass, run.batch.context);
  };
  std::function<Var(Run& run)> embed_target = [](Run& run) {
    return (*run.model.target)(run.pass, run.batch.input);
  };
  // The encoder rows that a decoder layer attends to. `made` holds the embedding, the output of
  // each layer, and the last output after the final norm.
  std::function<Var(const std::vector<Var>& made, std::size_t layer)> memory =
      [](const std::vector<Var>& made, std::size_t) { return made.back(); };
  std::function<Segments(const Segments& sources)> attended = [](const Segments& sources) {
    return sources;
  };
  std::function<Var(Run& run, const Var& hidden)> logits = [](Run& run, const Var& hidden) {
    return linear(hidden, run.pass.parameter(run.model.output));
  };
};

// Parameters have the names and the order of Transformer.
inline WiredModel::WiredModel(const ModelOptions& options) {
  const Scope root = store.root();
  const Index D = options.d_model;
  const Initializer any = Initializer::constant(0);  // a fixture sets the values
  const Tensor sines = sinusoidal_positions(options.max_positions, D);
  const auto table = [&](const Scope& side, Index vocabulary) {
    return side.create("embedding", ParameterKind::embedding, {vocabulary, D}, any);
  };
  const Parameter target_table = table(root / "target", 13);
  const Parameter source_table = table(root / "source", 11);
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

// The correct model that a fault is planted in. `tied`: target embedding and output are one
// parameter; `shared`: both encoder layers are one; `dropout`: dropout after each block. The last
// three are pre-norm.
enum class Base { pre_norm, post_norm, tied, shared, dropout };

// Patterns of parameter names for fnmatch.
using Names = std::vector<std::string>;

// gradcheck_model must name exactly the parameters that match these patterns.
struct Named {
  Names no_gradient{};  // the loss depends on it, but no gradient arrives
  Names wrong{};        // a wrong gradient arrives
  Names unused{};       // the loss does not depend on it
};

using Plant = std::function<void(WiredModel& model)>;

struct Fault {
  std::string what;  // for the table and the name of the test
  Plant plant;
  Named named{};  // if empty, gradcheck_model must find nothing
  Base base = Base::pre_norm;
  // Differs from the reference: the loss (then gradients may too), or these gradients.
  Names off{"loss"};
};

}}}  // namespace tapehead::TAPEHEAD_PRECISION::wiring
