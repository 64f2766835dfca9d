// The parameter count of an attention in closed form.
#pragma once

#include "nn/attention/spec.hpp"

namespace tapehead {

// Counts the parameters of an attention, with one case per kind of sharing. Each head reads all D
// columns or its slice of D / heads.
inline Index attention_parameters(const AttentionSpec& spec) {
  const Index D = spec.d_model;
  const Index bias = spec.biases ? 1 : 0;
  const auto map = [&](Index heads, Index width) {
    const Index in = spec.input == HeadInput::wide ? D : D / heads;
    return (spec.head_weights == HeadWeights::tied ? 1 : heads) * width * (in + bias);
  };
  const Index query = map(spec.heads, spec.d_qk);
  const Index key = map(spec.kv_heads, spec.d_qk);
  const Index value = map(spec.kv_heads, spec.d_v);
  Index total = bias * D;  // output bias
  switch (spec.sharing) {
    case Sharing::none:
      total += query + key + value;
      break;
    case Sharing::query_key:
      total += query + value;
      break;
    case Sharing::key_value:
    case Sharing::query_value:
      total += query + key;
      break;
    case Sharing::all:
      total += query;
      break;
    case Sharing::identity_query:
      total += key + value;
      break;
    case Sharing::identity:
      break;
  }
  for (Index head = 0; head < spec.heads; ++head) {
    total += spec.score.at(head) == Score::bilinear ? spec.d_qk * spec.d_qk : 0;
    total += spec.score.at(head) == Score::additive ? spec.d_qk : 0;
  }
  const bool back = spec.kind == AttentionKind::decoder_self;
  const Index clipped = back ? spec.clip + 1 : 2 * spec.clip + 1;
  switch (spec.positions) {
    case AttentionPositions::relative:
      total += clipped * (spec.d_qk + spec.d_v);
      break;
    case AttentionPositions::relative_keys:
      total += clipped * spec.d_qk;
      break;
    case AttentionPositions::transformer_xl:
      total += spec.heads * spec.d_qk * D + 2 * spec.heads * spec.d_qk;
      break;
    case AttentionPositions::t5:
      total += spec.heads * (back ? spec.buckets : spec.buckets - 1);
      break;
    default:
      break;
  }
  total += spec.scale == ScoreScale::learned ? spec.heads : 0;
  total += spec.combine == Combine::output ? D * spec.heads * spec.d_v : 0;
  total += spec.combine == Combine::weighted ? spec.heads : 0;
  total += spec.gates == HeadGating::l0 ? spec.heads : 0;
  return total;
}

}  // namespace tapehead
