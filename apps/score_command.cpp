// tapehead score RUN...: how probable given texts are to a trained model, and which of their words
// its attention aligns.
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/commands.hpp"
#include "apps/inputs.hpp"
#include "apps/number_option.hpp"
#include "apps/run_ensemble_option.hpp"
#include "core/errors.hpp"
#include "core/files/standard_streams.hpp"
#include "core/kernel/workers.hpp"
#include "core/product/blas_kernels.hpp"
#include "datasets/text/text_file.hpp"
#include "datasets/text/text_reader.hpp"
#include "datasets/tokenizers/unknown_text.hpp"
#include "train/evaluation/scorer.hpp"
#include "train/output/logging.hpp"
#include "train/output/text_table.hpp"

namespace tapehead {

namespace {

struct ScoreArguments {
  RunChoice runs;
  std::filesystem::path input;
  std::filesystem::path source;
  std::filesystem::path target;
  std::optional<std::string> align;  // the heads
  Index threads = default_threads();
  bool json = false;
};

void say_unknown(const Tokenizer& tokenizer, const std::vector<std::string>& lines,
                 const std::string& name) {
  UnknownText unknown;
  Index number = 0;
  for (const std::string& line : lines) {
    unknown.see(tokenizer, line, tokenizer.encode(line), ++number);
  }
  if (unknown.any()) {
    spdlog::warn("{}: {}", name, describe(unknown));
  }
}

std::string text_of(const LineScore& score, bool aligned) {
  return fmt::format("{:.4f}\t{}{}{}\n", score.log_probability(), score.tokens.size(),
                     aligned ? "\t" : "", pharaoh_text(score.alignment));
}

std::string json_of(const LineScore& score, const Tokenizer& tokenizer, bool aligned) {
  nlohmann::ordered_json json = {{"log_probability", score.log_probability()},
                                 {"tokens", nlohmann::ordered_json::array()}};
  for (const TokenScore& token : score.tokens) {
    json["tokens"].push_back({tokenizer.entry(token.token), token.log_probability});
  }
  if (aligned) {
    json["alignment"] = nlohmann::ordered_json::array();
    for (const AlignedPair& pair : score.alignment) {
      json["alignment"].push_back({pair.source, pair.target});
    }
  }
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

void print(const std::vector<LineScore>& scores, const Tokenizer& tokenizer,
           const ScoreArguments& arguments) {
  const bool aligned = arguments.align.has_value();
  double sum = 0;
  std::size_t tokens = 0;
  for (const LineScore& score : scores) {
    write_output(arguments.json ? json_of(score, tokenizer, aligned) : text_of(score, aligned));
    sum += score.log_probability();
    tokens += score.tokens.size();
  }
  flush_output();
  if (tokens > 0) {
    spdlog::info("{}, {}, {:.4f} nats a token, perplexity {:.3f}",
                 counted(std::ssize(scores), "line"), counted(tokens, "token"),
                 -sum / static_cast<double>(tokens), std::exp(-sum / static_cast<double>(tokens)));
  }
}

std::vector<LineScore> score_pairs(const ScoreArguments& arguments, const SavedRun& run,
                                   const Scorer& scorer) {
  const std::vector<std::string> sources = read_lines(arguments.source);
  const std::vector<std::string> targets = read_lines(arguments.target);
  say_unknown(*run.tokenizers.source, sources, arguments.source.string());
  say_unknown(*run.tokenizers.target, targets, arguments.target.string());
  if (!arguments.align) {
    return scorer.score(sources, targets);
  }
  const AlignmentHeads heads(run.model.transformer, *arguments.align);
  return scorer.score(sources, targets, &heads);
}

// All lines, also those after a pause.
std::vector<std::string> lines_of_input() {
  constexpr Index at_a_time = 1024;
  const std::string name = "standard input";
  TextReader reader(STDIN_FILENO, name);
  std::vector<std::string> lines;
  for (auto more = reader.next(at_a_time); !more.empty(); more = reader.next(at_a_time)) {
    lines.insert(lines.end(), std::make_move_iterator(more.begin()),
                 std::make_move_iterator(more.end()));
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (const auto fault = utf8_fault(lines[i], name, i + 1)) {
      spdlog::warn("{}", *fault);
    }
  }
  return lines;
}

std::vector<LineScore> score_lines(const ScoreArguments& arguments, const SavedRun& run,
                                   const Scorer& scorer) {
  const bool from_file = !arguments.input.empty();
  const std::vector<std::string> lines = from_file ? read_lines(arguments.input) : lines_of_input();
  say_unknown(*run.tokenizers.source, lines,
              from_file ? arguments.input.string() : "standard input");
  return scorer.score(lines);
}

void score(const ScoreArguments& arguments) {
  start_logging(std::make_shared<Console>());
  prepare_blas(arguments.threads);
  if (arguments.source.empty() != arguments.target.empty()) {
    throw ConfigError("--source and --target belong together: give both");
  }
  if (arguments.align && arguments.source.empty()) {
    throw ConfigError("--align aligns sources and targets: give --source and --target");
  }
  if (arguments.align && arguments.runs.runs.size() > 1) {
    throw ConfigError("--align is about the heads of one model: give one run");
  }
  InputFiles inputs = inputs_of_runs(arguments.runs);
  for (const std::filesystem::path& file : {arguments.input, arguments.source, arguments.target}) {
    if (!file.empty()) {
      inputs.add(file);
    }
  }
  expect_output_apart(inputs);
  const ChosenRuns runs(arguments.runs);
  const SavedRun& first = runs.first();
  Workers workers(arguments.threads);
  const Scorer scorer(runs.ensemble(), workers);
  const bool pairs = !arguments.source.empty();
  const Tokenizer& tokenizer = pairs ? *first.tokenizers.target : *first.tokenizers.source;
  runs.ensemble().use([&] {
    print(pairs ? score_pairs(arguments, first, scorer) : score_lines(arguments, first, scorer),
          tokenizer, arguments);
  });
}

}  // namespace

void add_score_command(CLI::App& program, Outcome& /*outcome*/) {
  CLI::App* command = program.add_subcommand(
      "score", "Say how probable given texts are to a trained model: log-probability and tokens");
  const auto arguments = std::make_shared<ScoreArguments>();
  add_run_ensemble_options(*command, arguments->runs);
  auto* input =
      command->add_option("--input", arguments->input,
                          "Of a language model: file of lines to score; by default standard input");
  command->add_option("--source", arguments->source, "Of other runs: file of sources, one a line")
      ->excludes(input);
  command
      ->add_option("--target", arguments->target,
                   "Of other runs: file of targets to score, line by line")
      ->excludes(input);
  command->add_option("--align", arguments->align,
                      "Also which source words each target word attends to, by the mean of heads: "
                      "all, or names such as decoder.layers.1.cross or decoder.layers.1.cross.3 "
                      "with commas between them");
  add_threads_option(*command, arguments->threads);
  command->add_flag("--json", arguments->json, "Print a line of JSON for each, with every token");
  command->callback([arguments] { score(*arguments); });
}

}  // namespace tapehead
