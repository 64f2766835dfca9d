#include "bench/decode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/errors.hpp"
#include "core/product/blas_kernels.hpp"
#include "core/random/draws.hpp"
#include "train/evaluation/example_decoding.hpp"

namespace tapehead {

namespace {

struct DecodeArguments {
  Index vocabulary = 10000;
  Index d_model = 128;
  Index heads = 4;
  Index d_ff = 256;
  Index layers = 4;
  Index sentences = 1000;
  Index output_length = 15;
  std::vector<Index> beams{1, 5};
  std::vector<Index> threads{1, 2};
  Index batch_tokens = decoding_batch_tokens;
  Index repeats = 5;
  bool json = false;
};

struct Row {
  Index beam;
  Index threads;
  Index sentences;
  Index tokens;  // of the best output of each sentence
  double median_seconds;
  double best_seconds;

  double tokens_per_second() const { return static_cast<double>(tokens) / median_seconds; }
};

// The size of configs/multi30k.yaml, the rest as in Vaswani et al. 2017: norms after the blocks,
// positions in the embedding, which is one for all.
ModelOptions model_options(const DecodeArguments& arguments) {
  ModelOptions options;
  options.d_model = arguments.d_model;
  options.heads = arguments.heads;
  options.d_ff = arguments.d_ff;
  options.layers = arguments.layers;
  options.norm_position = NormPosition::post;
  options.tie_embeddings = Tying::all;
  return options;
}

// Lengths of 5 to 29, 13 in the mean: the lesser of two draws is short more often than long.
Split random_sentences(const DecodeArguments& arguments) {
  const Draws draws(1, "bench.decode", 0);
  std::uint64_t at = 0;
  const auto draw = [&](Index below) { return static_cast<Index>(draw_below(draws, at++, below)); };
  Split split;
  for (Index i = 0; i < arguments.sentences; ++i) {
    Example example;
    for (Index length = 5 + std::min(draw(25), draw(25)); length > 0; --length) {
      example.source.push_back(static_cast<TokenId>(draw(arguments.vocabulary)));
    }
    split.examples.push_back(std::move(example));
  }
  return split;
}

class DecodeBench {
 public:
  explicit DecodeBench(const DecodeArguments& arguments)
      : arguments_(arguments),
        model_(store_.root(), model_options(arguments), arguments.vocabulary, arguments.vocabulary),
        sentences_(random_sentences(arguments)) {
    store_.initialize(1);
  }

  Row measure(Index beam, Index threads) {
    const DecodingOptions options{
        .beam = beam, .max_length = arguments_.output_length, .scores = false, .end = no_token};
    Workers workers(threads);
    std::vector<double> seconds;
    Index tokens = 0;
    for (Index i = 0; i < arguments_.repeats + 1; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      const auto outputs =
          decode_examples(model_, store_, sentences_, arguments_.batch_tokens, options, workers);
      const auto end = std::chrono::steady_clock::now();
      seconds.push_back(std::chrono::duration<double>(end - begin).count());
      tokens = count(outputs);
    }
    seconds.erase(seconds.begin());  // it warmed up
    std::ranges::sort(seconds);
    return {.beam = beam,
            .threads = threads,
            .sentences = arguments_.sentences,
            .tokens = tokens,
            .median_seconds = seconds[seconds.size() / 2],
            .best_seconds = seconds.front()};
  }

 private:
  static constexpr TokenId no_token = -1;

  Index count(const std::vector<std::vector<Hypothesis>>& outputs) const {
    Index tokens = 0;
    for (const std::vector<Hypothesis>& best : outputs) {
      tokens += static_cast<Index>(best.at(0).tokens.size());
    }
    if (tokens != arguments_.sentences * arguments_.output_length) {
      throw NumericError(fmt::format("{} sentences gave {} tokens, not {} each",
                                     arguments_.sentences, tokens, arguments_.output_length));
    }
    return tokens;
  }

  DecodeArguments arguments_;
  ParameterStore store_;
  Transformer model_;
  Split sentences_;
};

void print(const Row& row, bool json) {
  if (json) {
    const nlohmann::ordered_json line = {{"beam", row.beam},
                                         {"threads", row.threads},
                                         {"sentences", row.sentences},
                                         {"tokens", row.tokens},
                                         {"seconds", row.median_seconds},
                                         {"best_seconds", row.best_seconds},
                                         {"tokens_per_second", row.tokens_per_second()}};
    fmt::print("{}\n", line.dump());
  } else {
    fmt::print("{:>4} {:>7} {:>9} {:>7} {:>9.3f} {:>9.3f} {:>9.0f}\n", row.beam, row.threads,
               row.sentences, row.tokens, row.median_seconds, row.best_seconds,
               row.tokens_per_second());
  }
  std::fflush(stdout);
}

void run(const DecodeArguments& arguments) {
  prepare_blas();
  DecodeBench bench(arguments);
  if (!arguments.json) {
    fmt::print("{:>4} {:>7} {:>9} {:>7} {:>9} {:>9} {:>9}\n", "beam", "threads", "sentences",
               "tokens", "median s", "best s", "tokens/s");
  }
  for (const Index beam : arguments.beams) {
    for (const Index threads : arguments.threads) {
      print(bench.measure(beam, threads), arguments.json);
    }
  }
}

}  // namespace

void add_decode_bench(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "decode",
      "Greedy and beam search with random weights: outputs of one length, of which the best for "
      "each sentence counts. bench/ctranslate2_decode.py does the same work in CTranslate2");
  const auto arguments = std::make_shared<DecodeArguments>();
  const auto add = [command](const char* name, auto& value, const char* help) {
    command->add_option(name, value, help)->capture_default_str()->check(CLI::PositiveNumber);
  };
  add("--beam", arguments->beams, "Hypotheses of the search, 1: greedy; one or several");
  add("--threads", arguments->threads, "Worker threads, one or several counts");
  add("--sentences", arguments->sentences, "Sentences");
  add("--output-length", arguments->output_length, "Tokens of each output");
  add("--batch-tokens", arguments->batch_tokens, "Source tokens of all hypotheses in a batch");
  add("--vocabulary", arguments->vocabulary, "Entries of the vocabulary");
  add("--d-model", arguments->d_model, "Width of the model");
  add("--heads", arguments->heads, "Attention heads");
  add("--d-ff", arguments->d_ff, "Inner width of the feed-forward block");
  add("--layers", arguments->layers, "Layers of the encoder and of the decoder");
  add("--repeats", arguments->repeats, "Measurements of each row");
  command->add_flag("--json", arguments->json, "One JSON object a line");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace tapehead
