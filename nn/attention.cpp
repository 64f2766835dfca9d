#include "nn/attention.hpp"

#include <algorithm>

#include "nn/init.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

// Weights and biases of several projections of one input, used as one. Queries, keys and values
// begin as if all three came out of one matrix, wherever they lie: with the xavier kinds
// smaller by sqrt(2) than each alone, which keeps the first attention even and post-norm models
// trainable (torch.nn.MultiheadAttention begins likewise).
void create(const Scope& scope, const std::vector<std::string>& names, const ModelOptions& options,
            Index width, Parameter& weight, Parameter& bias) {
  std::vector<std::string> weights;
  std::vector<std::string> biases;
  for (const std::string& name : names) {
    weights.push_back(name + ".weight");
    biases.push_back(name + ".bias");
  }
  weight =
      scope.create_stacked(weights, {width, options.d_model},
                           weight_initializer(options, options.d_model, 3 * width), options.heads);
  bias = scope.create_stacked(biases, {width}, Initializer::constant(0), options.heads);
}

}  // namespace

MultiHeadAttention::MultiHeadAttention(const Scope& scope, const ModelOptions& options,
                                       AttentionInputs which, Pattern allowed)
    : heads(options.heads),
      d_head(options.d_head.value_or(options.d_model / options.heads)),
      inputs(which),
      pattern(allowed),
      dropout(options.dropout_attention.value_or(options.dropout)),
      module{.paths = {scope.path()}, .heads = heads} {
  switch (inputs) {
    case AttentionInputs::self:
      create(scope, {"query", "key", "value"}, options, width(), query_weight, query_bias);
      break;
    case AttentionInputs::cross:
      create(scope, {"query"}, options, width(), query_weight, query_bias);
      create(scope, {"key", "value"}, options, width(), key_weight, key_bias);
      break;
    case AttentionInputs::separate:
      create(scope, {"query"}, options, width(), query_weight, query_bias);
      create(scope, {"key"}, options, width(), key_weight, key_bias);
      create(scope, {"value"}, options, width(), value_weight, value_bias);
      break;
  }
  output_weight = scope.create("output.weight", {options.d_model, width()},
                               weight_initializer(options, width(), options.d_model));
  output_bias = scope.create("output.bias", {options.d_model}, Initializer::constant(0));
}

BlockOutput MultiHeadAttention::operator()(Pass& pass, const Var& query, const Var& key,
                                           const Var& value, const Segments& queries,
                                           const Segments& keys) const {
  const Var q = pass.linear(query, query_weight, query_bias);
  if (inputs == AttentionInputs::self) {
    return attend(pass, {q, 0}, {q, width()}, {q, 2 * width()}, queries, keys);
  }
  const Var k = pass.linear(key, key_weight, key_bias);
  if (inputs == AttentionInputs::cross) {
    return attend(pass, {q, 0}, {k, 0}, {k, width()}, queries, keys);
  }
  const Var v = pass.linear(value, value_weight, value_bias);
  return attend(pass, {q, 0}, {k, 0}, {v, 0}, queries, keys);
}

BlockOutput MultiHeadAttention::cached_self(Pass& pass, const Var& x, const Segments& queries,
                                            SelfCache& cache, const Segments& slots) const {
  const Var q = pass.linear(x, query_weight, query_bias);
  for (Index i = 0; i < queries.count(); ++i) {
    const Segment& fresh = queries[i];
    const Index first = slots[i].row + slots[i].rows - fresh.rows;
    for (Index r = 0; r < fresh.rows; ++r) {
      std::copy_n(q.value().row(fresh.row + r) + width(), 2 * width(), cache.rows.row(first + r));
    }
  }
  const Var kept = pass.tape().constant(cache.rows);
  return attend(pass, {q, 0}, {kept, 0}, {kept, width()}, queries, slots);
}

BlockOutput MultiHeadAttention::cached_cross(Pass& pass, const Var& x, const Var& memory,
                                             const Segments& queries, const Segments& keys,
                                             std::optional<Var>& cache) const {
  if (!cache) {
    cache = pass.linear(memory, key_weight, key_bias);
  }
  const Var q = pass.linear(x, query_weight, query_bias);
  return attend(pass, {q, 0}, {*cache, 0}, {*cache, width()}, queries, keys);
}

BlockOutput MultiHeadAttention::attend(Pass& pass, const HeadColumns& query, const HeadColumns& key,
                                       const HeadColumns& value, const Segments& queries,
                                       const Segments& keys) const {
  const AttentionOptions options{.heads = heads,
                                 .d_key = d_head,
                                 .d_value = d_head,
                                 .patterns = {pattern},
                                 .dropout = pass.dropout(dropout, module.path(), queries)};
  if (pass.recorder) {
    record(pass, query, key, queries, keys, options);
  }
  const Var heads_side_by_side = [&] {
    const InModule here(pass.tape(), module);
    return tapehead::attention(query, key, value, queries, keys, options);
  }();
  return {pass.linear(heads_side_by_side, output_weight), pass.parameter(output_bias)};
}

void MultiHeadAttention::record(Pass& pass, const HeadColumns& query, const HeadColumns& key,
                                const Segments& queries, const Segments& keys,
                                const AttentionOptions& options) const {
  for (Index segment = 0; segment < queries.count(); ++segment) {
    for (Index head = 0; head < heads; ++head) {
      pass.recorder(
          {.path = module.path(),
           .segment = segment,
           .head = head,
           .weights = attention_weights(query, key, queries, keys, options, segment, head)});
    }
  }
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
