// tapehead translate RUN...: translates lines of text.
#include <spdlog/spdlog.h>

#include "apps/commands.hpp"
#include "apps/line_command.hpp"
#include "train/evaluation/evaluation.hpp"

namespace tapehead {

namespace {

struct TranslateArguments : LineArguments {
  Index beam = 0;
  double length_penalty = -1;
  Index n_best = 1;
};

DecodingOptions decoding_for(const TranslateArguments& arguments, const Config& config) {
  const char* const option = arguments.beam > 0              ? "--beam"
                             : arguments.length_penalty >= 0 ? "--length-penalty"
                             : arguments.n_best > 1          ? "--n-best"
                                                             : nullptr;
  if (option != nullptr && !use_of(config).writes) {
    throw ConfigError("{}: the model gives its labels in one pass, without a search", option);
  }
  DecodingOptions options = decoding_options(config.evaluation);
  options.beam = arguments.beam > 0 ? arguments.beam : options.beam;
  options.length_penalty =
      arguments.length_penalty >= 0 ? arguments.length_penalty : options.length_penalty;
  options.best = arguments.n_best;
  options.scores = arguments.n_best > 1 || arguments.json;
  if (options.best > options.beam) {
    throw ConfigError("--n-best {} asks for more than the beam's {} hypotheses: raise --beam",
                      options.best, options.beam);
  }
  if (arguments.length_penalty >= 0 && options.beam == 1) {
    throw ConfigError(
        "--length-penalty ranks the hypotheses of a beam search, and greedy decoding has only one "
        "hypothesis: raise --beam");
  }
  return options;
}

class TranslationOf : public Question {
 public:
  TranslationOf(const TranslateArguments& arguments, const Predictor& predictor)
      : arguments_(arguments), predictor_(predictor) {
    predictor_.expect_used_for("translate");
    decoding_ = decoding_for(arguments, predictor_.config());
  }

  void look_at(LineRead& read) const override {
    if (std::ssize(read.tokens) > predictor_.most_tokens()) {
      read.warning = fmt::format("{} tokens; only the first {} are translated", read.tokens.size(),
                                 predictor_.most_tokens());
    }
  }

  std::string answers(std::span<const LineRead> lines, Index first) override {
    const auto results = predictor_.translate(lines, decoding_);
    std::string text;
    for (std::size_t i = 0; i < lines.size(); ++i, ++lines_) {
      cut_ += results[i].front().ended ? 0 : 1;
      if (arguments_.json) {
        Json json = {{"source", lines[i].line.text}, {"translations", Json::array()}};
        for (const Translation& one : results[i]) {
          json["translations"].push_back({{"text", one.text}, {"score", one.score}});
        }
        text += json_text(json) + '\n';
        continue;
      }
      for (const Translation& one : results[i]) {
        text += arguments_.n_best > 1
                    ? fmt::format("{} ||| {} ||| {:.4f}\n", first + static_cast<Index>(i), one.text,
                                  one.score)
                    : one.text + "\n";
      }
    }
    return text;
  }

  void end() const override {
    if (cut_ > 0) {
      spdlog::warn(
          "{}: {} of {} translations were cut before their end: the limit is {} tokens more than "
          "the source has (evaluation.max_extra_length), or the model's positions",
          arguments_.input.empty() ? "standard input" : arguments_.input, cut_, lines_,
          predictor_.config().evaluation.max_extra_length);
    }
  }

 private:
  const TranslateArguments& arguments_;
  const Predictor& predictor_;
  DecodingOptions decoding_;
  Index lines_ = 0;
  Index cut_ = 0;
};

}  // namespace

const Command translate_command(50, [](CLI::App& program) {
  const auto [command, arguments] = add_command<TranslateArguments>(
      program, "translate", "Translate lines of text with a trained model",
      ask_with<TranslationOf, TranslateArguments>);
  add_run_options(command, arguments, TakesRuns::several);
  add_input_option(command, arguments.input);
  add_output_option(command, arguments, "translations");
  add_number_option(command, named("--beam", 1, 256), &arguments.beam,
                    "Hypotheses of the beam search, 1: greedy; by default as the config says");
  add_number_option(
      command, named("--length-penalty", 0, 10), &arguments.length_penalty,
      "A score is divided by the length to this power; by default as the config says");
  add_number_option(command, named("--n-best", 1, 256), &arguments.n_best,
                    "Translations for each line, with their scores");
  add_precision_option(command, arguments.precision);
  add_asking_options(command, arguments, "Source tokens translated together",
                     "One JSON object for each line, with the scores of its translations");
});

}  // namespace tapehead
