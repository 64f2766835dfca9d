// tapehead_bench decode and generate: the tokens per second of a translator and a language model.
#include "bench/measure.hpp"
#include "core/random/draws.hpp"
#include "datasets/pairs.hpp"
#include "nn/generation/generation.hpp"
#include "train/evaluation/example_decoding.hpp"

namespace tapehead {

namespace {

constexpr TokenId no_token = -1;

struct WritingArguments {
  ModelOptions model;
  Index vocabulary;
  std::vector<Index> threads{1, 2};
  Index repeats = 5;
  bool json = false;
};

// A model of the size of configs/multi30k.yaml, otherwise as in Vaswani et al. 2017: post-norm,
// positions added to the embedding, one embedding for all.
struct DecodeArguments : WritingArguments {
  DecodeArguments() {
    vocabulary = 10000;
    model.d_model = 128;
    model.layers = 4;
    model.norm_position = NormPosition::post;
    model.tie_embeddings = Tying::all;
  }
  Index d_ff = 256;
  Index sentences = 1000;
  Index output_length = 15;
  std::vector<Index> beams{1, 5};
  Index batch_tokens = decoding_batch_tokens;
};

// A small GPT-2 (Radford et al. 2019).
struct GenerateArguments : WritingArguments {
  GenerateArguments() {
    vocabulary = 8192;
    model.family = Family::decoder;
    model.d_model = 384;
    model.heads = 6;
    model.layers = 6;
    model.activation = Activation::gelu;
    model.positions = PositionKind::learned;
    model.embedding_scale = EmbeddingScale::none;
    model.tie_embeddings = Tying::target_output;
  }
  Index prompt_length = 16;
  Index tokens = 128;
  std::vector<Index> batches{1, 16};
};

Model random_model(const ModelOptions& options, Index vocabulary) {
  Config config;
  config.model = options;
  return {config, vocabularies_of(options, vocabulary, vocabulary), FirstWeights::drawn};
}

// Prints a row for each count, of beams or batches, and each number of threads. `write(count,
// workers)` generates once and returns the number of tokens.
void print_rows(const WritingArguments& arguments, const std::string& what,
                const std::vector<Index>& counts, const auto& write) {
  Report table(arguments.json,
               {what, "threads", "tokens", "seconds", "best_seconds", "tokens_per_second"});
  for (const Index count : counts) {
    for (const Index threads : arguments.threads) {
      Workers workers(threads);
      const Index tokens = write(count, workers);  // also a warm-up
      const auto seconds = repeat(static_cast<std::size_t>(arguments.repeats), 0,
                                  [&] { return seconds_of([&] { write(count, workers); }); });
      table.row({{what, count},
                 {"threads", threads},
                 {"tokens", tokens},
                 {"seconds", median(seconds)},
                 {"best_seconds", std::ranges::min(seconds)},
                 {"tokens_per_second", static_cast<double>(tokens) / median(seconds)}});
    }
  }
}

// Lengths of 5 to 29, 13 on average. The smaller of two draws makes short sentences more frequent.
std::shared_ptr<const Source> random_sentences(const DecodeArguments& arguments) {
  const Draws draws(1, "bench.decode", 0);
  std::uint64_t at = 0;
  const auto draw = [&](Index below) { return static_cast<Index>(draw_below(draws, at++, below)); };
  Examples pairs;
  for (Index i = 0; i < arguments.sentences; ++i) {
    Example example;
    for (Index length = 5 + std::min(draw(25), draw(25)); length > 0; --length) {
      example.source.push_back(static_cast<TokenId>(draw(arguments.vocabulary)));
    }
    pairs.push_back(std::move(example));
  }
  return pair_source(std::move(pairs), {});
}

void run_decode_bench(const DecodeArguments& arguments) {
  prepare_blas();
  ModelOptions options = arguments.model;
  options.d_ff = arguments.d_ff;
  const Model model = random_model(options, arguments.vocabulary);
  const auto sentences = random_sentences(arguments);
  print_rows(arguments, "beam", arguments.beams, [&](Index beam, Workers& workers) {
    Index tokens = 0;
    for (const std::vector<Hypothesis>& best :
         decode_examples(model.transformer, model.store, *sentences, arguments.batch_tokens,
                         {.beam = beam,
                          .max_length = arguments.output_length,
                          .scores = false,
                          .end = no_token},
                         workers)) {
      tokens += std::ssize(best.at(0).tokens);
    }
    return tokens;
  });
}

Prompts random_prompts(const GenerateArguments& arguments, const GenerationGroup& group) {
  const Draws draws(1, "bench.generate", group.prompt);
  const auto count = static_cast<std::size_t>(group.prompts);
  Prompts prompts;
  prompts.context.segments = segments_of(std::vector<Index>(count, 0));
  prompts.input.segments = segments_of(std::vector<Index>(count, arguments.prompt_length));
  for (Index i = 0; i < row_count(prompts.input.segments); ++i) {
    const auto id = draw_below(draws, static_cast<std::uint64_t>(i), arguments.vocabulary);
    prompts.input.ids.push_back(static_cast<TokenId>(id));
  }
  return prompts;
}

void run_generate_bench(const GenerateArguments& arguments) {
  prepare_blas();
  ModelOptions options = arguments.model;
  options.max_positions = arguments.prompt_length + arguments.tokens;
  const Model model = random_model(options, arguments.vocabulary);
  print_rows(arguments, "batch", arguments.batches, [&](Index batch, Workers& workers) {
    const auto groups = generation_groups(batch, 1, workers.threads());
    workers.run(std::ssize(groups), [&](Index k) {
      generate_batch(model.transformer, model.store,
                     random_prompts(arguments, groups[static_cast<std::size_t>(k)]),
                     {.sampling = {.temperature = 0},
                      .max_tokens = arguments.tokens,
                      .context = options.max_positions,
                      .never = {},
                      .end = no_token});
    });
    return batch * arguments.tokens;
  });
}

// Adds the options that both commands share. Returns a function that adds a further option.
auto add_writing_options(CLI::App& command, WritingArguments& arguments) {
  const auto add = [&command](const char* name, auto& value, const char* help) {
    command.add_option(name, value, help)->check(CLI::PositiveNumber);
  };
  add("--threads", arguments.threads, "Worker threads, one or several counts");
  add("--vocabulary", arguments.vocabulary, "Entries of the vocabulary");
  add("--d-model", arguments.model.d_model, "Width of the model");
  add("--heads", arguments.model.heads, "Attention heads");
  add("--layers", arguments.model.layers, "Layers, of the encoder and of the decoder");
  add("--repeats", arguments.repeats, "Measurements of each row");
  return add;
}

}  // namespace

const Command decode_bench(80, [](CLI::App& program) {
  const auto [command, arguments] = add_bench(
      program, "decode",
      "Greedy and beam search with random weights: outputs of one length, of which the best for "
      "each sentence counts. bench/ctranslate2_peer.py does the same work in CTranslate2",
      run_decode_bench);
  const auto add = add_writing_options(command, arguments);
  add("--beam", arguments.beams, "Hypotheses of the search, 1: greedy; one or several");
  add("--sentences", arguments.sentences, "Sentences");
  add("--output-length", arguments.output_length, "Tokens of each output");
  add("--batch-tokens", arguments.batch_tokens, "Source tokens of all hypotheses in a batch");
  add("--d-ff", arguments.d_ff, "Inner width of the feed-forward block");
});

const Command generate_bench(90, [](CLI::App& program) {
  const auto [command, arguments] = add_bench(
      program, "generate",
      "Text of a fixed length from a small GPT-2 with random weights, the most likely token each "
      "time. bench/pytorch_peer.py and bench/ctranslate2_peer.py do the same work",
      run_generate_bench);
  const auto add = add_writing_options(command, arguments);
  add("--batch", arguments.batches, "Texts that are written together, one or several counts");
  add("--tokens", arguments.tokens, "Tokens of each text");
  add("--prompt-length", arguments.prompt_length, "Tokens of each prompt");
});

}  // namespace tapehead
