// Measures ops other than matrix products at the shapes of each size.

#include "bench/kernels.hpp"
#include "core/ops/activation.hpp"
#include "core/ops/attention/attention.hpp"
#include "core/ops/attention/attention_options.hpp"
#include "core/ops/residual.hpp"
#include "core/ops/softmax.hpp"
#include "core/random/draws.hpp"
#include "train/plan/step_flops.hpp"

namespace tapehead {

namespace {

Dropout tenth_dropped() {
  return {.probability = 0.1, .draws = Draws(1, "bench.kernels.dropout", 0)};
}

// The dot product as a user-defined score.
struct OwnProduct {
  Scalar operator()(std::span<const Scalar> query, std::span<const Scalar> key) const {
    return std::inner_product(query.begin(), query.end(), key.begin(), Scalar{0});
  }
  void backward(Scalar dscore, std::span<const Scalar> query, std::span<const Scalar> key,
                std::span<Scalar> dquery, std::span<Scalar> dkey) const {
    for (std::size_t c = 0; c < query.size(); ++c) {
      dquery[c] += dscore * key[c];
      dkey[c] += dscore * query[c];
    }
  }
};

// A variant of attention and its inputs besides queries, keys and values. If scores are learned,
// the last input has their parameters.
struct AttentionCase {
  const char* name;
  Pattern pattern = Pattern::full();
  Dropout dropout{};
  std::vector<Shape> inputs{};
  std::function<AttentionBias(const std::vector<Var>& x)> bias = [](const auto&) {
    return AttentionBias{};
  };
  PoolVector<std::shared_ptr<const PairScore>> scores{};
};

}  // namespace

void measure_attention(Kernels& kernels, const StepSize& size) {
  const Index N = shard_rows(size);
  const Index D = size.d_model;
  const Index H = size.heads;
  const auto far = DistanceBuckets::logarithmic(32, 128);
  const auto near = DistanceBuckets::clipped(16, 16);
  const Segments segments =
      segments_of(std::vector<Index>(static_cast<std::size_t>(N / size.length), size.length));
  const std::vector<AttentionCase> cases{
      {.name = "attention"},
      {.name = "causal attention", .pattern = Pattern::causal()},
      {.name = "attention, dropout", .dropout = tenth_dropped()},
      {.name = "attention, slopes",
       .bias = [H](const auto&) { return AttentionBias{.slopes = alibi_slopes(H)}; }},
      {.name = "attention, rows by head",
       .inputs = {{H, far.count()}},
       .bias = [far](const auto& x) { return AttentionBias{.buckets = far, .by_head = x[1]}; }},
      {.name = "attention, rows by query",
       .inputs = {{N, H * near.count()}},
       .bias = [near](const auto& x) { return AttentionBias{.buckets = near, .by_query = x[1]}; }},
      {.name = "attention, rows by query + values",
       .inputs = {{N, H * near.count()}, {near.count(), D / H}},
       .bias =
           [near](const auto& x) {
             return AttentionBias{.buckets = near, .by_query = x[1], .values = x[2]};
           }},
      {.name = "attention, additive",
       .inputs = {{H, D / H}},
       .scores = {std::make_shared<const AdditiveScore>()}},
      {.name = "attention, a score of one's own", .scores = {score_by(OwnProduct{})}}};
  for (const AttentionCase& one : cases) {
    const AttentionOptions options{.heads = H,
                                   .d_key = D / H,
                                   .d_value = D / H,
                                   .patterns = {one.pattern},
                                   .dropout = one.dropout,
                                   .scores = one.scores};
    const bool has_weights = options.score_weights_before(H) > 0;
    // Forward takes two products over the pairs. Backward takes four and computes the scores again.
    const double product = 2 *
                           allowed_pairs(one.pattern, {size.length, size.length, 0, 0, 0}).scores *
                           static_cast<double>(segments.count() * D);
    std::vector<Shape> inputs{{N, 3 * D}};
    inputs.insert(inputs.end(), one.inputs.begin(), one.inputs.end());
    kernels.measure_op(kernel_name(one.name, size, size.length, D), {.flops = 2 * product},
                       {.flops = 5 * product}, inputs, [&](const std::vector<Var>& x) {
                         return attention({x[0], 0}, {x[0], D}, {x[0], 2 * D}, segments, segments,
                                          options, one.bias(x),
                                          has_weights ? std::optional(x.back()) : std::nullopt);
                       });
  }
}

void measure_row_ops(Kernels& kernels, const StepSize& size) {
  const Index N = shard_rows(size);
  const Index D = size.d_model;
  const Index F = size.d_ff;
  const Index V = size.vocabulary;
  // Counts memory in matrices with `columns` columns: `forward` and `backward` of them per pass.
  const auto measure = [&](const char* name, Index columns, int forward, int backward,
                           const std::vector<Shape>& inputs, const Kernels::Op& op) {
    const double bytes = static_cast<double>(N * columns) * sizeof(Scalar);
    kernels.measure_op(kernel_name(name, size, N, columns), {.bytes = forward * bytes},
                       {.bytes = backward * bytes}, inputs, op);
  };
  using Vars = std::vector<Var>;
  measure("layer_norm", D, 2, 3, {{N, D}, {D}, {D}},
          [](const Vars& x) { return layer_norm(x[0], x[1], x[2]); });
  measure("rms_norm", D, 2, 3, {{N, D}, {D}}, [](const Vars& x) { return rms_norm(x[0], x[1]); });
  measure("bias + relu", F, 2, 3, {{N, F}, {F}},
          [](const Vars& x) { return bias_activation(x[0], x[1], Activation::relu); });
  measure("bias + gelu", F, 2, 3, {{N, F}, {F}},
          [](const Vars& x) { return bias_activation(x[0], x[1], Activation::gelu); });
  measure("bias + gated silu", F, 3, 5, {{N, 2 * F}, {2 * F}},
          [](const Vars& x) { return gated_activation(x[0], x[1], Activation::silu); });
  measure("dropout", F, 2, 2, {{N, F}},
          [](const Vars& x) { return dropout(x[0], tenth_dropped()); });
  measure("residual, dropout", D, 3, 2, {{N, D}, {N, D}, {D}},
          [](const Vars& x) { return residual(x[0], x[1], x[2], tenth_dropped()); });
  const std::vector<TokenId> targets(static_cast<std::size_t>(N), 1);
  measure("cross_entropy", V, 2, 0, {{N, V}}, [&](Vars x) {  // forward computes the gradient, too
    return cross_entropy(std::move(x[0]), targets, Scalar(0.1)).loss;
  });
}

}  // namespace tapehead
