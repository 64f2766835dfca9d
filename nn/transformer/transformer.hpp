// The transformer (Vaswani et al. 2017): stacks, output head, loss on a batch, most likely labels.
#pragma once

#include "core/ops/softmax.hpp"
#include "nn/transformer/best_tokens.hpp"
#include "nn/transformer/layer.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Transforms rows before the output layer.
// pooler:  y = tanh(W x + b), of width D, for rows whose classes are predicted (Devlin et al. 2019,
//          published code)
// masked:  y = norm(activation(W x + b)), as wide as the embedding, whose table the output layer
//          can therefore use (the same code, and Lan et al. 2020)
struct RowTransform {
  RowTransform(const Scope& scope, const ModelOptions& options);
  Var operator()(Pass& pass, const Var& rows) const;  // (N, D) -> (N, D) or (N, E)

  Activation activation;
  Parameter weight;  // (D, D) or (E, D)
  Parameter bias;
  std::optional<Norm> norm;  // masked
  Module module;
};

struct OutputHead {
  // `table`: the embedding of the input. A tied head uses the table's first rows.
  OutputHead(const Scope& scope, const ModelOptions& options, Index labels, const Parameter& table);

  Parameter weight;  // (V, D), or (V, E) after a transform to the width of the embedding: may be
                     // rows of the embedding
  Parameter bias;    // (V); with bias_output
  std::optional<RowTransform> transform;  // with head_transform
  Module module;

  Index classes() const { return weight.shape[0]; }

  Var logits(Pass& pass, const Var& hidden) const;  // (N, D) -> (N, V)

  // The most likely tokens of each row of `hidden`, by the same logits as logits().
  BestTokens best(Pass& pass, const Var& hidden, Index count, TokenId excluded,
                  LogSums log_sums) const;

 private:
  Var transformed(Pass& pass, const Var& hidden) const {
    return transform ? (*transform)(pass, hidden) : hidden;
  }
};

// The vocabulary sizes of the model's inputs and labels.
struct Vocabularies {
  Index context = 0;  // of the encoder, if the model also has a decoder
  Index input = 0;
  Index labels = 0;
};

// For pairs. A single stack reads both sides with the source's entries; the target's come first.
inline Vocabularies vocabularies_of(const ModelOptions& options, Index source, Index target) {
  return {.context = source, .input = options.traits().context ? target : source, .labels = target};
}

enum class Side { source, target };

// A parameter with one row or number for each entry of one side's vocabulary.
struct VocabularyTable {
  Parameter table;
  Side side;
};

class Transformer {
 public:
  // The options must be resolved. A shared embedding has the context's entries, which begin with
  // those of input and labels. An output that is tied to the embedding cannot have more entries
  // than the embedding. Throws ConfigError if the embedding has too few entries, or if the options
  // break a rule of nn/attention/model_rules.hpp.
  Transformer(const Scope& scope, const ModelOptions& options, const Vocabularies& vocabularies);

  Transformer(const Scope& scope, const ModelOptions& options, Index source_vocabulary,
              Index target_vocabulary)
      : Transformer(scope, options,
                    vocabularies_of(options, source_vocabulary, target_vocabulary)) {}

  // The hidden rows for the input of a batch: (N, D).
  Var hidden(Pass& pass, const Batch& batch) const;

  // The encoder's output, (S, D). Only for models with a context.
  Var encode(Pass& pass, const Tokens& context) const { return (*encoder_)(pass, context); }

  // (N, D) -> (N, V)
  Var logits(Pass& pass, const Var& rows) const { return output_->logits(pass, rows); }

  const Stack& main() const { return *main_; }
  const OutputHead& output() const { return *output_; }

  // In the order in which a pass runs them.
  std::vector<const Stack*> stacks() const;
  std::vector<const MultiHeadAttention*> attentions() const;

  // Whether another attention uses the same weights (model.layer_groups, shared_as).
  bool shares_weights(const MultiHeadAttention& attention) const;

  // Each table once. A table that both sides share counts as the source's.
  std::vector<VocabularyTable> vocabulary_tables() const;

  const ModelOptions& options() const { return options_; }
  const Vocabularies& vocabularies() const { return vocabularies_; }
  const FamilyTraits& family() const { return options_.traits(); }

 private:
  ModelOptions options_;
  Vocabularies vocabularies_;
  std::optional<OutputHead> output_;
  std::optional<Stack> encoder_;  // only with a context
  std::optional<Stack> main_;     // the stack that reads the input
};

struct LossOptions {
  double label_smoothing = 0;
};

// The sum of the labels' cross-entropies. Only rows with a label get logits.
CrossEntropy batch_loss(const Transformer& model, Pass& pass, const Batch& batch,
                        const LossOptions& options = {});

// The `count` most likely labels of each row that has a label, whatever that label is.
BestTokens best_labels(const Transformer& model, const ParameterStore& store, const Batch& batch,
                       Index count, LogSums log_sums = LogSums::wanted,
                       const HeadSubstitute& substitute = {});

}}  // namespace tapehead::TAPEHEAD_PRECISION
