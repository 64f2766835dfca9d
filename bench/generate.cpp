#include "bench/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/clock.hpp"
#include "core/kernel/workers.hpp"
#include "core/product/blas_kernels.hpp"
#include "core/random/draws.hpp"
#include "nn/generation/generation.hpp"
#include "nn/generation/generation_groups.hpp"

namespace tapehead {

namespace {

struct GenerateArguments {
  Index vocabulary = 8192;
  Index d_model = 384;
  Index heads = 6;
  Index layers = 6;
  Index prompt_length = 16;
  Index tokens = 128;
  std::vector<Index> batches{1, 16};
  std::vector<Index> threads{1, 2};
  Index repeats = 5;
  bool json = false;
};

// GPT-2 in small (Radford et al. 2019).
ModelOptions gpt2_of(const GenerateArguments& arguments) {
  ModelOptions options;
  options.family = Family::decoder;
  options.d_model = arguments.d_model;
  options.heads = arguments.heads;
  options.layers = arguments.layers;
  options.activation = Activation::gelu;
  options.positions = PositionKind::learned;
  options.embedding_scale = EmbeddingScale::none;
  options.tie_embeddings = Tying::target_output;
  options.max_positions = arguments.prompt_length + arguments.tokens;
  return options;
}

class GenerateBench {
 public:
  explicit GenerateBench(const GenerateArguments& arguments)
      : arguments_(arguments),
        model_(store_.root(), gpt2_of(arguments), arguments.vocabulary, arguments.vocabulary) {
    store_.initialize(1);
  }

  nlohmann::ordered_json measure(Index batch, Index threads) {
    Workers workers(threads);
    const std::vector<GenerationGroup> groups = generation_groups(batch, 1, threads);
    std::vector<double> seconds;
    for (Index i = 0; i < arguments_.repeats + 1; ++i) {
      const auto begin = Clock::now();
      workers.run(std::ssize(groups), [&](Index k) {
        const Prompts prompts = random_prompts(groups[static_cast<std::size_t>(k)]);
        generate_batch(model_, store_, prompts, options());
      });
      seconds.push_back(seconds_since(begin));
    }
    seconds.erase(seconds.begin());  // it warmed up
    std::ranges::sort(seconds);
    const double median = seconds[seconds.size() / 2];
    const Index tokens = batch * arguments_.tokens;
    return {{"batch", batch},
            {"threads", threads},
            {"tokens", tokens},
            {"seconds", median},
            {"best_seconds", seconds.front()},
            {"tokens_per_second", static_cast<double>(tokens) / median}};
  }

 private:
  GenerationOptions options() const {
    return {.sampling = {.temperature = 0},
            .max_tokens = arguments_.tokens,
            .context = arguments_.prompt_length + arguments_.tokens,
            .never = {},
            .end = -1};
  }

  Prompts random_prompts(const GenerationGroup& group) const {
    const Draws draws(1, "bench.generate", group.prompt);
    Prompts prompts;
    for (Index i = 0; i < group.prompts; ++i) {
      prompts.context.segments.list.push_back({});
      prompts.input.segments.list.push_back(
          {.row = prompts.input.rows(), .rows = arguments_.prompt_length});
      for (Index k = 0; k < arguments_.prompt_length; ++k) {
        const auto at = static_cast<std::uint64_t>(prompts.input.rows());
        prompts.input.ids.push_back(
            static_cast<TokenId>(draw_below(draws, at, arguments_.vocabulary)));
      }
    }
    return prompts;
  }

  GenerateArguments arguments_;
  ParameterStore store_;
  Transformer model_;
};

void run(const GenerateArguments& arguments) {
  prepare_blas();
  GenerateBench bench(arguments);
  if (!arguments.json) {
    fmt::print("{:>5} {:>7} {:>7} {:>9} {:>9} {:>9}\n", "batch", "threads", "tokens", "median s",
               "best s", "tokens/s");
  }
  for (const Index batch : arguments.batches) {
    for (const Index threads : arguments.threads) {
      const nlohmann::ordered_json row = bench.measure(batch, threads);
      if (arguments.json) {
        fmt::print("{}\n", row.dump());
      } else {
        fmt::print("{:>5} {:>7} {:>7} {:>9.3f} {:>9.3f} {:>9.0f}\n", batch, threads,
                   row["tokens"].get<Index>(), row["seconds"].get<double>(),
                   row["best_seconds"].get<double>(), row["tokens_per_second"].get<double>());
      }
      std::fflush(stdout);
    }
  }
}

}  // namespace

void add_generate_bench(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "generate",
      "Text of a fixed length from a small GPT-2 with random weights, the most likely token each "
      "time. bench/pytorch_generate.py and bench/ctranslate2_generate.py do the same work");
  const auto arguments = std::make_shared<GenerateArguments>();
  const auto add = [command](const char* name, auto& value, const char* help) {
    command->add_option(name, value, help)->capture_default_str()->check(CLI::PositiveNumber);
  };
  add("--batch", arguments->batches, "Texts that are written together, one or several counts");
  add("--threads", arguments->threads, "Worker threads, one or several counts");
  add("--tokens", arguments->tokens, "Tokens of each text");
  add("--prompt-length", arguments->prompt_length, "Tokens of each prompt");
  add("--vocabulary", arguments->vocabulary, "Entries of the vocabulary");
  add("--d-model", arguments->d_model, "Width of the model");
  add("--heads", arguments->heads, "Attention heads");
  add("--layers", arguments->layers, "Layers");
  add("--repeats", arguments->repeats, "Measurements of each row");
  command->add_flag("--json", arguments->json, "One JSON object a line");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace tapehead
