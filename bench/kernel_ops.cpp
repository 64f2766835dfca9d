// The ops beside matrix products, at the shapes of each size.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/kernel_cases.hpp"
#include "core/clock.hpp"
#include "core/ops/activation.hpp"
#include "core/ops/attention/attention.hpp"
#include "core/ops/attention/pair_score.hpp"
#include "core/ops/cross_entropy.hpp"
#include "core/ops/gated_activation.hpp"
#include "core/ops/norm.hpp"
#include "core/ops/residual.hpp"
#include "core/random/draws.hpp"
#include "core/tape/parameters.hpp"
#include "train/step/optimizer.hpp"

namespace tapehead {

namespace {

constexpr double dropout_probability = 0.1;

Dropout dropout_of_bench() {
  return {.probability = dropout_probability, .draws = Draws(1, "bench.kernels.dropout", 0)};
}

double bytes_of(Index rows, Index columns, Index matrices) {
  return static_cast<double>(rows * columns * matrices) * sizeof(Scalar);
}

std::string name_of(const char* kernel, const StepSize& size, Index rows, Index columns) {
  return fmt::format("{}/{}/{}x{}", kernel, size.name, rows, columns);
}

// What attention gets beside queries, keys and values: further inputs, the bias that is made of
// them, and scores that are no products, whose numbers are the last input.
struct FurtherInputs {
  std::vector<Shape> inputs{};
  std::function<AttentionBias(const std::vector<Var>& x)> bias = [](const std::vector<Var>&) {
    return AttentionBias{};
  };
  PoolVector<std::shared_ptr<const PairScore>> scores{};
};

// The dot product as somebody's own score.
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

void register_attention_pattern(const StepSize& size, const char* kernel, const Pattern& pattern,
                                const Dropout& dropout, const FurtherInputs& further = {}) {
  const Index N = shard_rows(size);
  const Index D = size.d_model;
  const Segments segments =
      segments_of(std::vector<Index>(static_cast<std::size_t>(N / size.length), size.length));
  const AttentionOptions options{.heads = size.heads,
                                 .d_key = D / size.heads,
                                 .d_value = D / size.heads,
                                 .patterns = {pattern},
                                 .dropout = dropout,
                                 .scores = further.scores};
  const bool has_weights = options.score_weights_before(size.heads) > 0;
  // Two products over the pairs forward and four backward, and the scores once more.
  double pairs = 0;
  for (Index i = 0; i < size.length; ++i) {
    for (Index k = 0; k < size.length; ++k) {
      pairs += pattern.allowed(i, k) ? 1 : 0;
    }
  }
  std::vector<Shape> inputs{{N, 3 * D}};
  inputs.insert(inputs.end(), further.inputs.begin(), further.inputs.end());
  const double product = 2 * pairs * static_cast<double>(segments.count() * D);
  register_op({.name = name_of(kernel, size, size.length, D),
               .forward = {.flops = 2 * product},
               .backward = {.flops = 5 * product},
               .inputs = inputs,
               .op = [=](const std::vector<Var>& x) {
                 return attention({x[0], 0}, {x[0], D}, {x[0], 2 * D}, segments, segments, options,
                                  further.bias(x),
                                  has_weights ? std::optional(x.back()) : std::nullopt);
               }});
}

// One shard's gradient into all weights at once.
struct AdamRun {
  explicit AdamRun(Index parameters) {
    const Parameter weights = store.root().create("weights", ParameterKind::matrix, {parameters},
                                                  Initializer::constant(0.5));
    store.initialize(1);
    gradients.emplace(store);
    optimizer.emplace(store, TrainingOptions{});
    const GradientSlot slot = gradients->slot(weights.block);
    Tensor memory = slot.memory;
    std::ranges::fill(memory.values(), Scalar(0.01));
    *slot.written = true;
  }
  double step() {
    const auto begin = Clock::now();
    optimizer->step(workers, {&*gradients}, 1, 1e-4);
    return seconds_since(begin);
  }
  ParameterStore store;
  std::optional<ParameterGradients> gradients;
  std::optional<Optimizer> optimizer;
  Workers workers{1};
};

}  // namespace

void register_attention(const StepSize& size) {
  register_attention_pattern(size, "attention", Pattern::full(), {});
  register_attention_pattern(size, "causal attention", Pattern::causal(), {});
  register_attention_pattern(size, "attention, dropout", Pattern::full(), dropout_of_bench());
  const auto buckets = DistanceBuckets::logarithmic(32, 128);
  const auto near = DistanceBuckets::clipped(16, 16);
  register_attention_pattern(size, "attention, slopes", Pattern::full(), {},
                             {.bias = [heads = size.heads](const std::vector<Var>&) {
                               return AttentionBias{.slopes = alibi_slopes(heads)};
                             }});
  register_attention_pattern(
      size, "attention, rows by head", Pattern::full(), {},
      {.inputs = {{size.heads, buckets.count()}}, .bias = [buckets](const std::vector<Var>& x) {
         return AttentionBias{.buckets = buckets, .by_head = x[1]};
       }});
  register_attention_pattern(size, "attention, rows by query", Pattern::full(), {},
                             {.inputs = {{shard_rows(size), size.heads * near.count()}},
                              .bias = [near](const std::vector<Var>& x) {
                                return AttentionBias{.buckets = near, .by_query = x[1]};
                              }});
  register_attention_pattern(size, "attention, rows by query + values", Pattern::full(), {},
                             {.inputs = {{shard_rows(size), size.heads * near.count()},
                                         {near.count(), size.d_model / size.heads}},
                              .bias = [near](const std::vector<Var>& x) {
                                return AttentionBias{
                                    .buckets = near, .by_query = x[1], .values = x[2]};
                              }});
  register_attention_pattern(size, "attention, additive", Pattern::full(), {},
                             {.inputs = {{size.heads, size.d_model / size.heads}},
                              .scores = {std::make_shared<const AdditiveScore>()}});
  register_attention_pattern(size, "attention, a score of one's own", Pattern::full(), {},
                             {.scores = {score_by(OwnProduct{})}});
}

void register_row_ops(const StepSize& size) {
  const Index N = shard_rows(size);
  const Index D = size.d_model;
  const Index F = size.d_ff;
  const Index V = size.vocabulary;
  register_op({.name = name_of("layer_norm", size, N, D),
               .forward = {.bytes = bytes_of(N, D, 2)},
               .backward = {.bytes = bytes_of(N, D, 3)},
               .inputs = {{N, D}, {D}, {D}},
               .op = [](const std::vector<Var>& x) { return layer_norm(x[0], x[1], x[2]); }});
  register_op({.name = name_of("rms_norm", size, N, D),
               .forward = {.bytes = bytes_of(N, D, 2)},
               .backward = {.bytes = bytes_of(N, D, 3)},
               .inputs = {{N, D}, {D}},
               .op = [](const std::vector<Var>& x) { return rms_norm(x[0], x[1]); }});
  for (const auto& [name, activation] :
       {std::pair("bias + relu", Activation::relu), std::pair("bias + gelu", Activation::gelu)}) {
    register_op({.name = name_of(name, size, N, F),
                 .forward = {.bytes = bytes_of(N, F, 2)},
                 .backward = {.bytes = bytes_of(N, F, 3)},
                 .inputs = {{N, F}, {F}},
                 .op = [activation](const std::vector<Var>& x) {
                   return bias_activation(x[0], x[1], activation);
                 }});
  }
  register_op({.name = name_of("bias + gated silu", size, N, F),
               .forward = {.bytes = bytes_of(N, F, 3)},
               .backward = {.bytes = bytes_of(N, F, 5)},
               .inputs = {{N, 2 * F}, {2 * F}},
               .op = [](const std::vector<Var>& x) {
                 return gated_activation(x[0], x[1], Activation::silu);
               }});
  register_op({.name = name_of("dropout", size, N, F),
               .forward = {.bytes = bytes_of(N, F, 2)},
               .backward = {.bytes = bytes_of(N, F, 2)},
               .inputs = {{N, F}},
               .op = [](const std::vector<Var>& x) { return dropout(x[0], dropout_of_bench()); }});
  register_op({.name = name_of("residual, dropout", size, N, D),
               .forward = {.bytes = bytes_of(N, D, 3)},
               .backward = {.bytes = bytes_of(N, D, 2)},
               .inputs = {{N, D}, {N, D}, {D}},
               .op = [](const std::vector<Var>& x) {
                 return residual(x[0], x[1], x[2], dropout_of_bench());
               }});
  register_op(
      {.name = name_of("cross_entropy", size, N, V),
       .forward = {.bytes = bytes_of(N, V, 2)},  // with the gradient
       .inputs = {{N, V}},
       .op = [targets = std::vector<TokenId>(static_cast<std::size_t>(N), 1)](std::vector<Var> x) {
         return cross_entropy(std::move(x[0]), targets, Scalar(0.1)).loss;
       }});
}

// One shard's gradients: read, with the weights and both moments, which are also written.
void register_optimizer(const StepSize& size) {
  const Index D = size.d_model;
  const Index parameters = size.layers * (12 * D * D + 4 * D * size.d_ff) + 3 * D * size.vocabulary;
  register_case(fmt::format("adam/{}/{}/step", size.name, parameters),
                {.bytes = bytes_of(parameters, 1, 7)}, [parameters] {
                  return [run = std::make_shared<AdamRun>(parameters)] { return run->step(); };
                });
}

}  // namespace tapehead
