// tapehead score RUN...: how probable a trained model finds given texts, and which of their words
// its attention aligns.
#include <spdlog/spdlog.h>

#include "apps/commands.hpp"
#include "apps/line_command.hpp"

namespace tapehead {

namespace {

struct ScoreArguments : LineArguments {
  std::string source;
  std::optional<std::string> align;  // names of the heads
};

std::string json_of(const LineScore& score, const Tokenizer& tokenizer, bool aligned) {
  Json json = {{"log_probability", score.log_probability()}, {"tokens", Json::array()}};
  for (const TokenScore& token : score.tokens) {
    json["tokens"].push_back({tokenizer.entry(token.token), token.log_probability});
  }
  if (aligned) {
    json["alignment"] = Json::array();
    for (const AlignedPair& pair : score.alignment) {
      json["alignment"].push_back({pair.source, pair.target});
    }
  }
  return json_text(json) + '\n';
}

class ScoreOf : public Question {
 public:
  ScoreOf(const ScoreArguments& arguments, const Predictor& predictor)
      : arguments_(arguments), predictor_(predictor) {
    predictor_.expect_scores(pairs());
    if (arguments.align) {
      heads_.emplace(predictor.runs().first().model.transformer, *arguments.align);
    }
  }

  void look_at(LineRead& read) const override {
    if (pairs()) {
      predictor_.expect_positions(read, "the pair");
    }
  }

  std::string answers(std::span<const LineRead> lines, Index) override {
    std::string text;
    for (const LineScore& score : predictor_.score(lines, heads_ ? &*heads_ : nullptr)) {
      text += arguments_.json
                  ? json_of(score, tokenizer(), heads_.has_value())
                  : fmt::format("{:.4f}\t{}{}{}\n", score.log_probability(), score.tokens.size(),
                                heads_ ? "\t" : "", pharaoh_text(score.alignment));
      sum_ += score.log_probability();
      tokens_ += std::ssize(score.tokens);
      ++lines_;
    }
    return text;
  }

  void end() const override {
    if (tokens_ > 0) {
      const double mean = -sum_ / static_cast<double>(tokens_);
      spdlog::info("{}, {}, {:.4f} nats a token, perplexity {:.3f}", counted(lines_, "line"),
                   counted(tokens_, "token"), mean, std::exp(mean));
    }
  }

 private:
  bool pairs() const { return !arguments_.targets.empty(); }
  const Tokenizer& tokenizer() const {
    return pairs() ? *predictor_.tokenizers().target : *predictor_.tokenizers().source;
  }

  const ScoreArguments& arguments_;
  const Predictor& predictor_;
  std::optional<AlignmentHeads> heads_;
  double sum_ = 0;
  Index tokens_ = 0;
  Index lines_ = 0;
};

void score(ScoreArguments arguments) {
  if (arguments.source.empty() != arguments.targets.empty()) {
    throw ConfigError("--source and --target belong together: give both");
  }
  if (arguments.align && arguments.source.empty()) {
    throw ConfigError("--align aligns sources and targets: give --source and --target");
  }
  if (arguments.align && arguments.runs.size() > 1) {
    throw ConfigError("--align is about the heads of one model: give one run");
  }
  if (!arguments.source.empty()) {
    arguments.input = arguments.source;
  }
  ask_with<ScoreOf>(arguments);
}

}  // namespace

const Command score_command(100, [](CLI::App& program) {
  const auto [command, arguments] = add_command<ScoreArguments>(
      program, "score", "Score texts with a trained model: log-probability and number of tokens",
      score);
  arguments.batch_tokens = 1;
  add_run_options(command, arguments, TakesRuns::several);
  auto* input =
      command.add_option("--input", arguments.input,
                         "For a language model: file of lines to score; by default standard input");
  command.add_option("--source", arguments.source, "For other models: file of sources, one a line")
      ->excludes(input);
  command
      .add_option("--target", arguments.targets,
                  "For other models: file of targets to score, line by line")
      ->excludes(input);
  add_output_option(command, arguments, "scores");
  command.add_option("--align", arguments.align,
                     "Also which source words each target word attends to, by the mean of heads: "
                     "all, or names such as decoder.layers.1.cross or decoder.layers.1.cross.3 "
                     "with commas between them");
  add_asking_options(command, arguments, "Tokens scored together; 1: each line alone",
                     "Print a line of JSON for each text, with every token");
});

}  // namespace tapehead
