// What one attention of a model is: its settings with every `auto` decided.
#pragma once

#include <string>
#include <vector>

#include "core/initializer.hpp"
#include "nn/model_options.hpp"

namespace tapehead {

struct AttentionSpec {
  AttentionKind kind = AttentionKind::encoder_self;
  Index d_model = 1;
  Index heads = 1;
  Index kv_heads = 1;
  Index d_qk = 1;
  Index d_v = 1;
  Sharing sharing = Sharing::none;
  HeadWeights head_weights = HeadWeights::own;
  std::string shared_as{};
  HeadInput input = HeadInput::wide;
  Combine combine = Combine::output;
  ByHead<Score> score{{Score::dot}};
  ScoreScale scale = ScoreScale::inverse_sqrt_d_qk;
  AttentionPositions positions = AttentionPositions::none;
  Index clip = 16;       // of relative positions
  Index buckets = 32;    // of T5's
  Index farthest = 128;  // of T5's
  ByHead<AttentionPattern> pattern{{AttentionPattern()}};
  double dropout = 0;
  double head_dropout = 0;
  HeadGating gates = HeadGating::none;
  HeadStart start = HeadStart::own;

  // False: the widths were to be d_model / heads, which is no whole number.
  bool heads_divide = true;

  bool has(AttentionPositions scheme) const { return positions == scheme; }
  bool has_clip() const {
    return has(AttentionPositions::relative) || has(AttentionPositions::relative_keys) ||
           has(AttentionPositions::transformer_xl);
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

// The attention of this kind in this layer. Where the settings contradict each other it is as near
// as can be: spec_problem() tells.
AttentionSpec attention_spec(const ModelOptions& options, AttentionKind kind, Index layer);

// Layers that have attention of this kind.
Index attention_layers(const ModelOptions& options, AttentionKind kind);

}  // namespace tapehead
