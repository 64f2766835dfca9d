// tapehead generate RUN...: continues a text, or generates outputs for sources, by sampling.
#include <spdlog/spdlog.h>

#include "apps/commands.hpp"
#include "apps/line_command.hpp"
#include "train/metrics/ngrams.hpp"

namespace tapehead {

namespace {

struct GenerateArguments : LineArguments {
  std::string prompt;
  GeneratorOptions options;
};

void expect_composable(const GenerateArguments& arguments) {
  const GeneratorOptions& options = arguments.options;
  if (options.beam == 0) {
    return;
  }
  if (options.sampling != SamplingOptions() || options.seed != GeneratorOptions().seed) {
    throw ConfigError(
        "--beam searches and does not sample: leave out --temperature, --top-k, "
        "--top-p, --min-p and --seed, or --beam");
  }
  if (options.samples > options.beam) {
    throw ConfigError("--count {} asks for more than the beam's {} hypotheses: raise --beam",
                      options.samples, options.beam);
  }
}

// The names of the values of GenerationEnd, in its order.
constexpr std::array<std::string_view, 4> end_names{"end", "max_tokens", "context", "stop"};

std::string json_of(const std::string& prompt, std::size_t sample, const GeneratedText& generated) {
  const auto [words, pairs] = distinct_ngrams({&generated.text, 1});
  const Json json = {{"prompt", prompt},
                     {"sample", sample},
                     {"text", generated.text},
                     {"tokens", generated.tokens.size()},
                     {"log_probability", generated.log_probability},
                     {"end", end_names.at(static_cast<std::size_t>(generated.end))},
                     {"slid", generated.slid},
                     {"distinct_1", words},
                     {"distinct_2", pairs}};
  return json_text(json) + '\n';
}

// Writes a single sample while it is generated. If there are several, each follows a heading line.
class ContinuationOf : public Question {
 public:
  ContinuationOf(const GenerateArguments& arguments, const Predictor& predictor, Write write)
      : arguments_(arguments),
        predictor_(predictor),
        generator_(predictor_.generator(arguments.options)),
        write_(std::move(write)) {}

  void look_at(LineRead& read) const override {
    const Index used = std::ssize(generator_.read_of(predictor_.reader().prompt(read)));
    if (std::ssize(read.tokens) > used) {
      read.warning = fmt::format("{} tokens; the model reads {} of them", read.tokens.size(), used);
    }
  }

  std::string answers(std::span<const LineRead> lines, Index first) override {
    const bool at_once =
        first == 0 && lines.size() == 1 && arguments_.options.samples == 1 && !arguments_.json;
    if (at_once) {
      write_(prompt_of(lines.front().line.text));
    }
    const TextGenerator::EachPiece each = [this](Index, Index, std::string_view piece) {
      write_(piece);
    };
    const auto generated = generator_.generate(predictor_.prompts(lines),
                                               at_once ? each : TextGenerator::EachPiece(), first);
    std::string text;
    for (std::size_t i = 0; i < generated.size(); ++i) {
      const std::string& prompt = lines[i].line.text;
      for (std::size_t k = 0; k < generated[i].size(); ++k) {
        const GeneratedText& sample = generated[i][k];
        slid_ += sample.slid ? 1 : 0;
        without_stop_ += sample.end == GenerationEnd::max_tokens ? 1 : 0;
        texts_.push_back(sample.text);
        text += arguments_.json ? json_of(prompt, k + 1, sample)
                                : fmt::format("--- prompt {}, sample {}\n{}{}\n",
                                              first + static_cast<Index>(i) + 1, k + 1,
                                              prompt_of(prompt), sample.text);
      }
    }
    return at_once ? "\n" : text;
  }

  void end() const override {
    if (slid_ > 0) {
      spdlog::info(
          "{} of the texts became longer than the context of {} tokens; each time, the model {} {}",
          slid_, generator_.context(), generator_.forgets() ? "forgot all but" : "went on from",
          generator_.what_is_kept());
    }
    if (!arguments_.options.stop.empty() && without_stop_ > 0) {
      spdlog::info("{} of the texts ended after {} tokens without the stop text", without_stop_,
                   arguments_.options.max_tokens);
    }
    if (texts_.size() > 1) {
      const auto [words, pairs] = distinct_ngrams(texts_);
      spdlog::info(
          "{} texts: distinct-1 {:.3f}, distinct-2 {:.3f} (share of different words, and of "
          "different pairs of words)",
          texts_.size(), words, pairs);
    }
  }

 private:
  // The prompt is shown if the text continues it.
  std::string prompt_of(const std::string& prompt) const {
    return predictor_.reader().goes_on() ? prompt : "";
  }

  const GenerateArguments& arguments_;
  const Predictor& predictor_;
  TextGenerator generator_;
  Write write_;
  Index slid_ = 0;
  Index without_stop_ = 0;
  std::vector<std::string> texts_;
};

void generate(GenerateArguments arguments) {
  expect_composable(arguments);
  arguments.options.together = arguments.batch_tokens;
  if (arguments.input.empty()) {
    arguments.texts = {arguments.prompt};
  }
  ask(arguments, [&](const Predictor& predictor, const Write& write) {
    return std::make_unique<ContinuationOf>(arguments, predictor, write);
  });
}

}  // namespace

const Command generate_command(60, [](CLI::App& program) {
  const auto [command, arguments] = add_command<GenerateArguments>(
      program, "generate", "Continue a text by sampling from a trained model", generate);
  GeneratorOptions& options = arguments.options;
  arguments.batch_tokens = options.together;
  add_run_options(command, arguments, TakesRuns::several);
  auto* prompt = command.add_option("--prompt", arguments.prompt, "Text to continue");
  command.add_option("--prompts", arguments.input, "File of texts to continue, one a line")
      ->excludes(prompt);
  add_output_option(command, arguments, "samples");
  add_number_option(command, named("--count", 1, 10000), &options.samples,
                    "Samples of each prompt");
  add_number_option(command, named("--max-tokens", 1, 10000000), &options.max_tokens,
                    "Tokens of a sample, at most");
  SamplingOptions& sampling = options.sampling;
  add_number_option(command, named("--temperature", 0, 100), &sampling.temperature,
                    "Logits are divided by it; 0: always the most likely token");
  add_number_option(command, named("--top-k", 0, 1000000), &sampling.top_k,
                    "Draw from the K most likely tokens only; 0: from all");
  add_number_option(command, above(named("--top-p", 0, 1)), &sampling.top_p,
                    "Draw from the smallest set of most likely tokens with this total probability");
  add_number_option(command, named("--min-p", 0, 1), &sampling.min_p,
                    "Draw from tokens with at least this fraction of the highest probability");
  add_number_option(
      command, named("--beam", 1, 256), &options.beam,
      "Beam search of this width instead of sampling; it ends when the context is full");
  command.add_option("--stop", options.stop, "Text that ends a sample and is left out");
  add_number_option(command, named("--seed", 0, 1e15), &options.seed,
                    "Seed of the draws; the same gives the same texts");
  add_precision_option(command, arguments.precision);
  add_asking_options(command, arguments, "Samples that are written together, a token at a time",
                     "Print a line of JSON for each sample");
});

}  // namespace tapehead
