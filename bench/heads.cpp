// tapehead_bench heads: the cost of attention by number of heads, model width and sequence length,
// and the cost of its options relative to plain attention.

#include "bench/measure.hpp"
#include "nn/attention/multi_head_attention.hpp"
#include "nn/attention/spec.hpp"

namespace tapehead {

namespace {

struct HeadsArguments {
  std::vector<std::string> parts{"heads", "width", "length", "options", "patterns", "removal"};
  Index threads = 1;   // of the steps
  double seconds = 8;  // for the steps of a comparison
  bool quick = false;  // only the smallest case of each part
  bool json = false;
};

constexpr Index all_rows = 4096;  // of all sequences together

struct TimedLayer {
  const char* rule;  // what differs between the layers
  Index d_model;
  Index heads;
  Index d_head;
  Index length;  // of each sequence
};

struct Seconds {
  double projections = 0;
  double attention = 0;
  double output = 0;
  double total() const { return projections + attention + output; }
};

// The fastest of several runs. Time outside `linear` ops counts as attention. A `linear` between
// the forward pass and the backward pass of the attention op counts as output projection.
Seconds time_layer(const TimedLayer& layer, const AttentionSpec& spec,
                   const ModelOptions& options) {
  ParameterStore store;
  const Scope scope = store.root() / "self";
  const MultiHeadAttention attention(scope, spec, {}, AttentionWeights(scope, options, spec));
  store.initialize(1);
  ParameterGradients gradients(store);
  const Segments segments = segments_of(
      std::vector<Index>(static_cast<std::size_t>(all_rows / layer.length), layer.length));
  const Tensor input = varied_numbers({all_rows, layer.d_model});
  const auto runs = repeat(3, 1, [&] {
    gradients.forget();
    Seconds spent;
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
    const BlockOutput output = attention(pass, x, segments, {segments});
    Tensor cotangent = input.copy();
    last = Clock::now();
    tape.backward(output.value, std::move(cotangent));
    return spent;
  });
  return std::ranges::min(runs, {}, &Seconds::total);
}

Json measure_layer(const TimedLayer& layer) {
  ModelOptions options;
  options.d_model = layer.d_model;
  AttentionSpec spec = attention_spec(options, AttentionKind::encoder_self, 0);
  spec.heads = spec.kv_heads = layer.heads;
  spec.d_qk = spec.d_v = layer.d_head;
  spec.dropout = 0;
  const Seconds best = time_layer(layer, spec, options);
  const AttentionWork work = attention_work(spec);
  const auto N = static_cast<double>(all_rows);
  const double projections = 3 * N * work.query_row;  // forward takes one share, backward two
  const double output = 3 * N * work.output_row;
  const double products =
      3 * N * static_cast<double>(layer.length * spec.heads * (spec.d_qk + spec.d_v));
  return {{"rule", layer.rule},
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

// The length at which attention takes as long as all projections, interpolated linearly between
// logarithms. Nothing if attention is always faster.
std::optional<double> crossing(const std::vector<Json>& rows) {
  const auto number = [&](std::size_t i, const char* name) {
    return rows[i].at(name).get<double>();
  };
  const auto excess = [&](std::size_t i) {
    return std::log(number(i, "attention_ms") /
                    (number(i, "projections_ms") + number(i, "output_ms")));
  };
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (excess(i - 1) < 0 && excess(i) >= 0) {
      const double share = excess(i - 1) / (excess(i - 1) - excess(i));
      return number(i - 1, "n") * std::pow(number(i, "n") / number(i - 1, "n"), share);
    }
  }
  return std::nullopt;
}

// The layers of a part, grouped by rule.
std::vector<std::vector<TimedLayer>> layers_of(const std::string& part) {
  std::vector<std::vector<TimedLayer>> groups;
  if (part == "heads") {
    groups.resize(2);
    for (Index heads = 1; heads <= 32; heads *= 2) {
      groups[0].push_back({"heads, fixed width", 256, heads, 256 / heads, 128});
      groups[1].push_back({"heads, fixed d_head", 256, heads, 32, 128});
    }
  } else if (part == "width") {
    groups.resize(1);
    for (Index d_model = 64; d_model <= 1024; d_model *= 2) {
      groups[0].push_back({"d_model", d_model, 4, d_model / 4, 128});
    }
  } else {
    for (Index d_model = 64; d_model <= 256; d_model *= 2) {
      groups.emplace_back();
      for (Index length = 16; length <= 2048; length *= 2) {
        groups.back().push_back({"length", d_model, 4, d_model / 4, length});
      }
    }
  }
  return groups;
}

void measure_layers(const std::string& part, const HeadsArguments& arguments) {
  Report table(arguments.json,
               {"rule", "d_model", "heads", "d_head", "n", "projections_ms", "attention_ms",
                "output_ms", "ms", "ns_per_1000_multiply_adds", "times_first"},
               24);
  for (const std::vector<TimedLayer>& group : layers_of(part)) {
    std::vector<Json> rows;
    for (const TimedLayer& layer : group) {
      Json row = measure_apart([&] { return measure_layer(layer); });
      rows.push_back(row);
      row["times_first"] = row.at("ms").get<double>() / rows.front().at("ms").get<double>();
      table.row(row);
      if (arguments.quick) {
        return;
      }
    }
    const auto n = part == "length" ? crossing(rows) : std::nullopt;
    if (n) {
      const Index theory = 2 * group.front().d_model;
      table.row({{"rule", fmt::format("both alike, in theory {}", theory)},
                 {"d_model", group.front().d_model},
                 {"n", *n},
                 {"theory", theory}});
    }
  }
}

// Measures steps with options and plain steps in turns, so that a slower machine slows both.
Json beside_plain(const StepSize& size, const Overrides& overrides, Index threads, double seconds) {
  const StepSubject plain_subject = subject_of(size);
  const StepSubject subject = subject_of(size, overrides);
  StepRun plain(plain_subject, threads);
  StepRun changed(subject, threads);
  struct Pair {
    StepTime plain;
    StepTime changed;
  };
  const auto pairs = repeat(5, seconds, [&] { return Pair{plain.step(), changed.step()}; });
  const double before = median(pairs, [](const Pair& pair) { return pair.plain.seconds; });
  const double after = median(pairs, [](const Pair& pair) { return pair.changed.seconds; });
  const double work = pairs[0].changed.flops / pairs[0].plain.flops;
  return {{"options", fmt::format("{}", fmt::join(overrides, " "))},
          {"threads", threads},
          {"ms", 1e3 * after},
          {"multiply_adds", pairs[0].changed.flops / 2},
          {"time_ratio", after / before},
          {"time_ratio_per_multiply_add", after / before / work},
          {"plain_ms", 1e3 * before}};
}

constexpr std::array attention_options{"positions=rotary",   "positions=alibi",
                                       "positions=t5",       "positions=relative_keys",
                                       "positions=relative", "positions=transformer_xl",
                                       "score=cosine",       "score=bilinear",
                                       "score=additive",     "gates=l0",
                                       "scale=learned",      "kv_heads=2",
                                       "kv_heads=1",         "sharing=query_key",
                                       "sharing=key_value",  "sharing=all",
                                       "sharing=identity",   "head_weights=tied",
                                       "input=narrow",       "combine=concatenate",
                                       "combine=mean",       "combine=weighted",
                                       "head_dropout=0.1",   "pattern=window 8",
                                       "pattern=top_k 8"};

struct Variants {
  std::vector<Overrides> overrides;
  std::vector<Index> lengths;  // of the sequences
};

// At size B. A quick measurement only takes the first case.
void measure_variants(const Variants& variants, const HeadsArguments& arguments) {
  Report table(
      arguments.json,
      {"options", "threads", "plain_ms", "ms", "time_ratio", "time_ratio_per_multiply_add"}, 36);
  StepSize size = *size_named("B");
  const Index tokens = size.tokens();
  for (const Index length : variants.lengths) {
    size.length = length;
    size.sequences = tokens / length;
    for (const Overrides& overrides : variants.overrides) {
      table.row(measure_apart([&] {
        return beside_plain(size, overrides, arguments.threads,
                            arguments.quick ? 0 : arguments.seconds);
      }));
      if (arguments.quick) {
        return;
      }
    }
  }
}

void run_heads_bench(const HeadsArguments& arguments) {
  const auto override_of = [](const char* option) {
    return Overrides{fmt::format("attention.{}", option)};
  };
  const Variants options{.overrides = mapped(attention_options, override_of), .lengths = {32}};
  const Variants patterns{.overrides = {{"attention.pattern=window 32"},
                                        {"attention.pattern=strided 32"},
                                        {"attention.pattern=blocks 64"},
                                        {"attention.pattern=fixed 32 4"}},
                          .lengths = {512}};
  // As tapehead prune leaves the model: heads keep their width.
  const Variants removal{
      .overrides = {{"attention.heads=2", "attention.d_qk=32", "attention.d_v=32"}},
      .lengths = {32, 512}};
  const std::map<std::string, Variants> variants{
      {"options", options}, {"patterns", patterns}, {"removal", removal}};
  for (const std::string& part : arguments.parts) {
    const auto of_steps = variants.find(part);
    of_steps == variants.end() ? measure_layers(part, arguments)
                               : measure_variants(of_steps->second, arguments);
    fmt::print("{}", arguments.json ? "" : "\n");
  }
}

}  // namespace

const Command heads_bench(50, [](CLI::App& program) {
  const auto [command, arguments] =
      add_bench(program, "heads",
                "What attention costs over heads, width and length, and what its options cost",
                run_heads_bench);
  command
      .add_option("parts", arguments.parts,
                  "Which of heads, width, length, options, patterns, removal")
      ->check(CLI::IsMember(HeadsArguments{}.parts));
  command.add_option("--threads", arguments.threads, "Worker threads of steps")
      ->check(CLI::PositiveNumber);
  command.add_option("--seconds", arguments.seconds, "Time for each comparison of steps");
  command.add_flag("--quick", arguments.quick, "Only the smallest case of each");
});

}  // namespace tapehead
