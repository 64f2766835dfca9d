// The transformer (Vaswani et al. 2017): an encoder, a decoder, or both.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/sequence/batch.hpp"
#include "nn/transformer/output_head.hpp"
#include "nn/transformer/stack.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// Which stacks there are. A decoder's rows see none that come later.
enum class Family { encoder_decoder, decoder, encoder };

// How many entries there are of what goes in and of what the model says.
struct Vocabularies {
  Index context = 0;  // of an encoder beside a decoder
  Index input = 0;
  Index labels = 0;
};

enum class Side { source, target };

// A parameter with a row for each entry of the vocabulary of one side.
struct VocabularyTable {
  Parameter table;
  Side side;
};

class Transformer {
 public:
  // The options must be resolved. A shared embedding has the context's entries; those of input and
  // labels are the first of them. An output that is tied to the embedding needs as many entries or
  // fewer. Throws ConfigError where there are too few for that.
  Transformer(const Scope& scope, const ModelOptions& options, Family family,
              const Vocabularies& vocabularies);

  // An encoder and a decoder.
  Transformer(const Scope& scope, const ModelOptions& options, Index source_vocabulary,
              Index target_vocabulary)
      : Transformer(scope, options, Family::encoder_decoder,
                    {.context = source_vocabulary,
                     .input = target_vocabulary,
                     .labels = target_vocabulary}) {}

  // What the model makes of the rows of a batch's input: (N, D).
  Var hidden(Pass& pass, const Batch& batch) const;

  // The encoder's rows, (S, D). Of encoder_decoder alone.
  Var encode(Pass& pass, const Tokens& context) const { return (*encoder_)(pass, context); }

  // (N, D) -> (N, V)
  Var logits(Pass& pass, const Var& rows) const { return output_->logits(pass, rows); }

  const Stack& main() const { return *main_; }
  const OutputHead& output() const { return *output_; }

  // In the order in which a pass meets them.
  std::vector<const Stack*> stacks() const;
  std::vector<const MultiHeadAttention*> attentions() const;

  // Each once; one that both sides share has the rows of the source's.
  std::vector<VocabularyTable> vocabulary_tables() const;

  const ModelOptions& options() const { return options_; }
  Family family() const { return family_; }

 private:
  ModelOptions options_;
  Family family_;
  std::optional<OutputHead> output_;
  std::optional<Stack> encoder_;  // of encoder_decoder
  std::optional<Stack> main_;     // what reads the input
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION
