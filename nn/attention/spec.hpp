// The specification of one attention: its settings, with every `auto` resolved.
#pragma once

#include "core/tape/parameter_declaration.hpp"
#include "nn/options/model_options.hpp"

namespace tapehead {

struct AttentionSpec : AttentionFields<Plain> {
  AttentionKind kind = AttentionKind::encoder_self;
  Index d_model = 1;
  bool biases = true;        // on query, key, value and output
  bool sees_prefix = false;  // a decoder's attention; rows of a source see each other

  // False: the width of a head should be d_model / heads, but this is not an integer.
  bool heads_divide = true;

  bool has(AttentionPositions scheme) const { return positions == scheme; }
  bool has_clip() const {
    return std::ranges::find(clipped_positions, positions) != clipped_positions.end();
  }
  // How many numbers are learned for distances: one per bucket.
  Index distance_buckets() const;
  bool is_self() const { return kind != AttentionKind::cross; }
  // Whether no query attends to later keys.
  bool looks_back() const { return kind == AttentionKind::decoder_self && !sees_prefix; }
  bool has_sinks() const {
    return std::ranges::any_of(pattern.values, &AttentionPattern::has_sinks);
  }
  // The head of keys and values that a head uses.
  Index key_head(Index head) const { return head / (heads / kv_heads); }
  // The heads of keys and values that these heads, given in increasing order, use.
  std::vector<Index> key_heads(const std::vector<Index>& of) const;
  // Whether the output is a sum of the heads.
  bool adds_heads() const { return combine == Combine::mean || combine == Combine::weighted; }
  bool tied() const { return head_weights == HeadWeights::tied; }
  Index heads_with(Score of) const { return heads_with(of, heads); }
  Index heads_with(Score of, Index before) const;  // among the heads before this one
  // The initialiser of a parameter in which each head has `rows_of_head` rows. If the heads should
  // start alike, all of them start with the same numbers.
  Initializer first_numbers(Initializer own, Index rows_of_head) const;
  // Whether the projections give the same columns to all heads.
  bool heads_alike() const {
    return (tied() || sharing == Sharing::identity) && input == HeadInput::wide;
  }
  // The width of a query that is the unprojected input.
  Index input_columns() const {
    return input == HeadInput::narrow ? d_model / std::max<Index>(heads, 1) : d_model;
  }
  Index output_columns() const { return heads * d_v; }

  bool operator==(const AttentionSpec&) const = default;
};

// A weight for queries, keys, values, or several of these.
struct ProjectionSpec {
  std::string name;  // "query", "key_value", ...
  bool query;
  bool key;
  bool value;
  Index heads;  // number of heads with own columns; 1 if heads are tied
  Index in;     // columns of the input for each head
  Index width;  // columns of each head
};

// The weights of the queries, keys and values, each once.
std::vector<ProjectionSpec> projections_of(const AttentionSpec& spec);

// The settings of this kind: its own section; options absent there follow the section `attention`.
AttentionSettings merged_settings(const ModelOptions& options, AttentionKind kind);

// The attention of this kind in this layer. If the settings contradict each other, the result is an
// approximation, and spec_violation() reports it.
AttentionSpec attention_spec(const ModelOptions& options, AttentionKind kind, Index layer);

// The attentions of this kind, or of all kinds, kind by kind: one for each layer with the kind.
std::vector<AttentionSpec> attention_specs(const ModelOptions& options, AttentionKind kind);
std::vector<AttentionSpec> attention_specs(const ModelOptions& options);
Index attention_layers(const ModelOptions& options, AttentionKind kind);
Index most_layers(const ModelOptions& options);  // of the larger stack

// Settings that describe exactly these layers of one kind. Only the budget may be `auto`.
AttentionSettings settings_of(const std::vector<AttentionSpec>& layers);

// The same attention with defaults in every option that its positions do not use, because a section
// for one kind of attention rejects any other value of such options.
AttentionSpec without_unused(AttentionSpec spec);

// Writes the results of attention_spec() into the settings of the three kinds, layer by layer.
void resolve_attention(ModelOptions& options);

// The cost of an attention's linear maps in a forward pass, in multiply-adds per row.
struct AttentionWork {
  double query_row = 0;   // per row of queries, without the output projection
  double output_row = 0;  // per row of queries: the output projection
  double key_row = 0;     // per row of keys and values
  double past_row = 0;    // self-attention: per row that has only keys and values
};

AttentionWork attention_work(const AttentionSpec& spec);

}  // namespace tapehead
