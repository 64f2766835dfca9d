// One self-attention layer, forward and backward: the time of its projections, of the attention
// between them, and of its output projection.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "bench/apart.hpp"
#include "bench/heads.hpp"
#include "bench/report.hpp"
#include "core/clock.hpp"
#include "nn/attention/multi_head_attention.hpp"
#include "nn/attention/spec.hpp"
#include "train/config/config.hpp"

namespace tapehead {

namespace {

constexpr Index all_rows = 4096;  // of all sequences together

struct TimedLayer {
  Index d_model;
  Index heads;
  Index d_head;
  Index length;  // of each sequence
};

struct Seconds {
  double projections = 1e9;
  double attention = 1e9;
  double output = 1e9;
  double total() const { return projections + attention + output; }
};

AttentionSpec spec_of(const TimedLayer& layer, const ModelOptions& options) {
  AttentionSpec spec = attention_spec(options, AttentionKind::encoder_self, 0);
  spec.heads = layer.heads;
  spec.kv_heads = layer.heads;
  spec.d_qk = layer.d_head;
  spec.d_v = layer.d_head;
  spec.dropout = 0;
  return spec;
}

Tensor varied_rows(Index count, Index columns) {
  Tensor tensor = Tensor::empty({count, columns});
  Index at = 0;
  for (Scalar& number : tensor.values()) {
    number = static_cast<Scalar>(at++ * 37 % 101 - 50) / 50;
  }
  return tensor;
}

// The fastest of some runs. What is no `linear` is attention. A `linear` between the op's forward
// and its backward pass is the output projection.
Seconds time_layer(const TimedLayer& layer, const AttentionSpec& spec,
                   const ModelOptions& options) {
  ParameterStore store;
  const MultiHeadAttention attention(store.root() / "self", options, spec, AttentionInputs::self);
  store.initialize(1);
  ParameterGradients gradients(store);
  const Segments segments = segments_of(
      std::vector<Index>(static_cast<std::size_t>(all_rows / layer.length), layer.length));
  const Tensor input = varied_rows(all_rows, layer.d_model);
  Seconds best;
  int runs = 0;
  for (const auto begin = Clock::now(); runs < 3 || (runs < 50 && seconds_since(begin) < 1);
       ++runs) {
    gradients.forget();
    Seconds spent{.projections = 0, .attention = 0, .output = 0};
    Index attentions = 0;
    Tape tape;
    Pass pass(tape, store, gradients);
    const Var x = tape.variable(input);
    auto last = Clock::now();
    tape.watch([&](const TapeEvent& event) {
      const auto now = Clock::now();
      const std::string_view op = event.op;
      attentions += op == "attention" ? 1 : 0;
      double& part = op != "linear"    ? spent.attention
                     : attentions == 1 ? spent.output
                                       : spent.projections;
      part += seconds_between(last, now);
      last = now;
    });
    const BlockOutput output = attention(pass, x, x, x, segments, segments);
    Tensor cotangent = input.copy();
    last = Clock::now();
    tape.backward(output.value, std::move(cotangent));
    best = spent.total() < best.total() ? spent : best;
  }
  return best;
}

nlohmann::ordered_json measure(const std::string& rule, const TimedLayer& layer) {
  ModelOptions options;
  options.d_model = layer.d_model;
  const AttentionSpec spec = spec_of(layer, options);
  const Seconds best = time_layer(layer, spec, options);
  const AttentionWork work = attention_work(spec);
  const auto N = static_cast<double>(all_rows);
  const double projections = 3 * N * work.query_row;  // forward, and twice that backward
  const double output = 3 * N * work.output_row;
  const double products =
      3 * N * static_cast<double>(layer.length * spec.heads * (spec.d_qk + spec.d_v));
  return {{"rule", rule},
          {"d_model", layer.d_model},
          {"heads", layer.heads},
          {"d_head", layer.d_head},
          {"n", layer.length},
          {"projections_ms", 1e3 * best.projections},
          {"attention_ms", 1e3 * best.attention},
          {"output_ms", 1e3 * best.output},
          {"ms", 1e3 * best.total()},
          {"projection_multiply_adds", projections},
          {"attention_multiply_adds", products},
          {"output_multiply_adds", output},
          {"ns_per_1000_multiply_adds", 1e12 * best.total() / (projections + products + output)}};
}

Report layer_table(bool json) {
  return Report({{.place = "/rule", .title = "over", .width = 24},
                 {.place = "/d_model", .title = "d_model"},
                 {.place = "/heads", .title = "heads"},
                 {.place = "/d_head", .title = "d_head"},
                 {.place = "/n", .title = "n"},
                 {.place = "/projections_ms", .title = "projections ms", .decimals = 2},
                 {.place = "/attention_ms", .title = "attention ms", .decimals = 2},
                 {.place = "/output_ms", .title = "output ms", .decimals = 2},
                 {.place = "/ms", .title = "all", .decimals = 2},
                 {.place = "/ns_per_1000_multiply_adds", .title = "ns per 1000", .decimals = 1},
                 {.place = "/times_first", .title = "x first", .decimals = 2}},
                json);
}

// Rows of one rule; each also over the first.
std::vector<nlohmann::ordered_json> print(Report& table, const std::string& rule,
                                          const std::vector<TimedLayer>& layers) {
  std::vector<nlohmann::ordered_json> measured;
  for (const TimedLayer& layer : layers) {
    auto row = measure_apart([&] { return measure(rule, layer); });
    const double first = (measured.empty() ? row : measured.front()).at("ms").get<double>();
    row["times_first"] = row.at("ms").get<double>() / first;
    table.row(row);
    measured.push_back(std::move(row));
  }
  return measured;
}

// Where attention takes as long as all projections: on a line between the lengths around it, in
// logarithms. None where it does not come to that.
std::optional<double> crossing(const std::vector<nlohmann::ordered_json>& measured) {
  const auto excess = [](const nlohmann::ordered_json& row) {
    return std::log(row.at("attention_ms").get<double>() /
                    (row.at("projections_ms").get<double>() + row.at("output_ms").get<double>()));
  };
  const auto logarithm = [](const nlohmann::ordered_json& row) {
    return std::log(row.at("n").get<double>());
  };
  for (std::size_t i = 1; i < measured.size(); ++i) {
    const double before = excess(measured[i - 1]);
    const double after = excess(measured[i]);
    if (before < 0 && after >= 0) {
      const double share = before / (before - after);
      return std::exp(logarithm(measured[i - 1]) +
                      share * (logarithm(measured[i]) - logarithm(measured[i - 1])));
    }
  }
  return std::nullopt;
}

}  // namespace

void layer_over_heads(const HeadsBenchOptions& options) {
  constexpr Index d_model = 256;
  constexpr Index d_head = 32;
  constexpr Index length = 128;
  const std::vector<Index> counts =
      options.quick ? std::vector<Index>{4} : std::vector<Index>{1, 2, 4, 8, 16, 32};
  std::vector<TimedLayer> narrower;
  std::vector<TimedLayer> more;
  for (const Index heads : counts) {
    narrower.push_back(
        {.d_model = d_model, .heads = heads, .d_head = d_model / heads, .length = length});
    more.push_back({.d_model = d_model, .heads = heads, .d_head = d_head, .length = length});
  }
  Report table = layer_table(options.json);
  print(table, "heads, fixed width", narrower);
  print(table, "heads, fixed d_head", more);
}

void layer_over_width(const HeadsBenchOptions& options) {
  std::vector<TimedLayer> layers;
  for (Index d_model = 64; d_model <= (options.quick ? 64 : 1024); d_model *= 2) {
    layers.push_back({.d_model = d_model, .heads = 4, .d_head = d_model / 4, .length = 128});
  }
  Report table = layer_table(options.json);
  print(table, "d_model", layers);
}

void layer_over_length(const HeadsBenchOptions& options) {
  Report table = layer_table(options.json);
  for (const Index d_model :
       options.quick ? std::vector<Index>{64} : std::vector<Index>{64, 128, 256}) {
    std::vector<TimedLayer> layers;
    for (Index length = 16; length <= (options.quick ? 32 : 2048); length *= 2) {
      layers.push_back({.d_model = d_model, .heads = 4, .d_head = d_model / 4, .length = length});
    }
    const auto measured = print(table, "length", layers);
    if (const auto n = crossing(measured)) {
      table.row({{"rule", fmt::format("both alike, in theory {}", 2 * d_model)},
                 {"d_model", d_model},
                 {"n", *n},
                 {"theory", 2 * d_model}});
    }
  }
}

}  // namespace tapehead
