// The transformer (Vaswani et al. 2017): an encoder, a decoder, or both.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/sequence/batch.hpp"
#include "nn/transformer/output_head.hpp"
#include "nn/transformer/stack.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// Which stacks there are. In a decoder, no row attends to later rows.
enum class Family { encoder_decoder, decoder, encoder };

// The sizes of the vocabularies of the model's inputs and its labels.
struct Vocabularies {
  Index context = 0;  // of the encoder, if there is also a decoder
  Index input = 0;
  Index labels = 0;
};

enum class Side { source, target };

// A parameter with one row for each entry of one side's vocabulary.
struct VocabularyTable {
  Parameter table;
  Side side;
};

class Transformer {
 public:
  // The options must be resolved. A shared embedding has the entries of the context; those of input
  // and labels are the first of them. An output that is tied to the embedding cannot have more
  // entries than the embedding. Throws ConfigError if the embedding has too few.
  Transformer(const Scope& scope, const ModelOptions& options, Family family,
              const Vocabularies& vocabularies);

  // With an encoder and a decoder.
  Transformer(const Scope& scope, const ModelOptions& options, Index source_vocabulary,
              Index target_vocabulary)
      : Transformer(scope, options, Family::encoder_decoder,
                    {.context = source_vocabulary,
                     .input = target_vocabulary,
                     .labels = target_vocabulary}) {}

  // The hidden rows for the input of a batch: (N, D).
  Var hidden(Pass& pass, const Batch& batch) const;

  // The encoder's output, (S, D). Only for encoder_decoder.
  Var encode(Pass& pass, const Tokens& context) const { return (*encoder_)(pass, context); }

  // (N, D) -> (N, V)
  Var logits(Pass& pass, const Var& rows) const { return output_->logits(pass, rows); }

  const Stack& main() const { return *main_; }
  const OutputHead& output() const { return *output_; }

  // In the order in which a pass runs them.
  std::vector<const Stack*> stacks() const;
  std::vector<const MultiHeadAttention*> attentions() const;

  // Each table once. A table that both sides share counts as the source's.
  std::vector<VocabularyTable> vocabulary_tables() const;

  const ModelOptions& options() const { return options_; }
  Family family() const { return family_; }

 private:
  ModelOptions options_;
  Family family_;
  std::optional<OutputHead> output_;
  std::optional<Stack> encoder_;  // only for encoder_decoder
  std::optional<Stack> main_;     // the stack that reads the input
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION
