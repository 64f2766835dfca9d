#include "core/ops/attention/bias.hpp"

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/tape/dims.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

void expect_bias(const AttentionBias& bias, Index N, Index heads, Index d_value) {
  const Index B = bias.buckets.count();
  if (!bias.slopes.empty() && static_cast<Index>(bias.slopes.size()) != heads) {
    throw ShapeError(
        fmt::format("attention.bias: {} slopes for {} heads", bias.slopes.size(), heads));
  }
  if (bias.by_head) {
    expect_shape(*bias.by_head, {heads, B}, "attention.bias.by_head");
  }
  if (bias.by_query) {
    expect_shape(*bias.by_query, {N, heads * B}, "attention.bias.by_query");
  }
  if (bias.values) {
    expect_shape(*bias.values, {B, d_value}, "attention.bias.values");
  }
}

void append_inputs(const AttentionBias& bias, PoolVector<Var>& inputs) {
  for (const auto& input : {bias.by_head, bias.by_query, bias.values}) {
    if (input) {
      inputs.push_back(*input);
    }
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
