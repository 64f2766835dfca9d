// The encoder-decoder transformer (Vaswani et al. 2017).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "nn/attention.hpp"
#include "nn/best_tokens.hpp"
#include "nn/feed_forward.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

struct EncoderLayer {
  EncoderLayer(const Scope& scope, const ModelOptions& options, AttentionMaker& attention,
               Index number);
  Var operator()(Pass& pass, const Var& x, const Segments& segments) const;  // (N, D) -> (N, D)

  MultiHeadAttention self;
  Residual self_residual;
  FeedForward feed_forward;
  Residual feed_forward_residual;
};

struct DecoderLayer {
  DecoderLayer(const Scope& scope, const ModelOptions& options, AttentionMaker& attention,
               Index number);

  // x: (T, D), memory: (S, D) -> (T, D). With a cache, x holds only new rows, and `slots` where
  // they go.
  Var operator()(Pass& pass, const Var& x, const Segments& targets, const Var& memory,
                 const Segments& sources, LayerCache* cache, const Segments& slots) const;

  MultiHeadAttention self;
  Residual self_residual;
  MultiHeadAttention cross;
  Residual cross_residual;
  FeedForward feed_forward;
  Residual feed_forward_residual;
};

// Token embedding with positions and dropout: √D table[id] + position.
struct Embedding {
  Embedding(const Scope& scope, const ModelOptions& options, Parameter table,
            const Tensor& sinusoidal);
  Var operator()(Pass& pass, std::span<const TokenId> ids, const Segments& segments) const;

  Parameter table;  // (V, D)
  PositionKind positions;
  Parameter learned;  // (P, D)
  Tensor sinusoidal;  // (P, D)
  double dropout;
  Module module;
};

enum class Side { source, target };

// A parameter with a row for each entry of the vocabulary of one side.
struct VocabularyTable {
  Parameter table;
  Side side;
};

class Transformer {
 public:
  // The options must be resolved. A shared embedding has the source's entries; the target's are the
  // first of them. Throws ConfigError where there are too few for that.
  Transformer(const Scope& scope, const ModelOptions& options, Index source_vocabulary,
              Index target_vocabulary);

  // (S ids) -> (S, D)
  Var encode(Pass& pass, std::span<const TokenId> source, const Segments& segments) const;

  // (T ids), (S, D) -> (T, D): what the decoder makes of target tokens that begin with the begin
  // mark.
  Var decode(Pass& pass, std::span<const TokenId> target, const Segments& targets,
             const Var& memory, const Segments& sources, DecoderCache* cache = nullptr) const;

  // (T, D) -> (T, V)
  Var logits(Pass& pass, const Var& hidden) const;

  // The most likely next tokens of each row of `hidden`, as logits() would give them.
  BestTokens next_tokens(Pass& pass, const Var& hidden, Index count, TokenId excluded,
                         LogSums log_sums) const;

  // An empty cache with `slots` slots of `capacity` rows.
  DecoderCache make_cache(Index slots, Index capacity) const;

  // In the order in which a pass meets them.
  std::vector<const MultiHeadAttention*> attentions() const;

  // Each once; one that source and target share has the rows of the source's.
  std::vector<VocabularyTable> vocabulary_tables() const;

  const ModelOptions& options() const { return options_; }
  Index target_vocabulary() const { return output_.shape[0]; }

 private:
  ModelOptions options_;
  Parameter output_;  // (V, D): may be rows of the target embedding
  std::optional<Embedding> source_;
  std::optional<Embedding> target_;
  std::vector<EncoderLayer> encoder_;
  std::vector<DecoderLayer> decoder_;
  std::optional<Norm> encoder_norm_;  // pre-norm closes each stack with one
  std::optional<Norm> decoder_norm_;
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION
