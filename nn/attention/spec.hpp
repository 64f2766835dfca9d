// What one attention of a model is: its settings with every `auto` decided.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/tape/initializer.hpp"
#include "nn/options/model_options.hpp"

namespace tapehead {

struct AttentionSpec : AttentionFields<Plain> {
  AttentionKind kind = AttentionKind::encoder_self;
  Index d_model = 1;

  // False: the widths were to be d_model / heads, which is no whole number.
  bool heads_divide = true;

  bool has(AttentionPositions scheme) const { return positions == scheme; }
  bool has_clip() const {
    return std::ranges::find(clipped_positions, positions) != clipped_positions.end();
  }
  // Numbers that are learned of a distance: one for each bucket.
  Index distance_buckets() const;
  bool is_self() const { return kind != AttentionKind::cross; }
  bool tied() const { return head_weights == HeadWeights::tied; }
  Index heads_with(Score of) const;
  // How a parameter starts of which each head has so many rows: the same in all heads, where these
  // are to start alike.
  Initializer first_numbers(Initializer own, Index rows_of_head) const;
  // The projections give all heads the same columns.
  bool heads_alike() const {
    return (tied() || sharing == Sharing::identity) && input == HeadInput::wide;
  }
  Index output_columns() const { return heads * d_v; }

  bool operator==(const AttentionSpec&) const = default;
};

// A weight that makes queries, keys or values, or several of them.
struct ProjectionSpec {
  std::string name;  // "query", "key_value", ...
  bool query;
  bool key;
  bool value;
  Index heads;  // whose columns it makes; 1 where heads are tied
  Index in;     // columns of the input that a head sees
  Index width;  // columns of a head
};

// The weights of its queries, keys and values, each once.
std::vector<ProjectionSpec> projections_of(const AttentionSpec& spec);

// What is said of attention of this kind: by its own section or else by the one for all.
AttentionSettings merged_settings(const ModelOptions& options, AttentionKind kind);

// The attention of this kind in this layer. Where the settings contradict each other it is as near
// as can be: spec_violation() tells.
AttentionSpec attention_spec(const ModelOptions& options, AttentionKind kind, Index layer);

// Those of all layers that have attention of this kind.
std::vector<AttentionSpec> attention_specs(const ModelOptions& options, AttentionKind kind);
Index attention_layers(const ModelOptions& options, AttentionKind kind);

}  // namespace tapehead
