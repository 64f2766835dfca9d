#include "train/evaluation_report.hpp"

#include <fmt/format.h>

#include "train/run/format.hpp"
#include "train/run/program_path.hpp"
#include "train/run/table.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

std::string evaluation_line(const std::string& split, const Evaluation& evaluation) {
  std::string line =
      fmt::format("{}: loss {:.4f}, perplexity {:.3f}, token accuracy {:.2f} %", split,
                  evaluation.loss, evaluation.perplexity(), 100 * evaluation.token_accuracy);
  if (evaluation.scores) {
    line += fmt::format(", sequence accuracy {:.2f} %, BLEU {:.2f}, chrF {:.2f}",
                        100 * evaluation.sequence_accuracy(), evaluation.scores->bleu.score,
                        evaluation.scores->chrf.score);
  }
  return line;
}

nlohmann::ordered_json evaluation_json(const Evaluation& evaluation) {
  nlohmann::ordered_json json = {{"loss", evaluation.loss},
                                 {"perplexity", evaluation.perplexity()},
                                 {"token_accuracy", evaluation.token_accuracy}};
  if (evaluation.scores) {
    const TextScores& scores = *evaluation.scores;
    json["sequence_accuracy"] = evaluation.sequence_accuracy();
    json["bleu"] = scores.bleu.score;
    json["bleu_signature"] = scores.bleu.signature;
    json["chrf"] = scores.chrf.score;
    json["chrf_signature"] = scores.chrf.signature;
  }
  if (evaluation.unknown > 0) {
    json["unknown_tokens"] = evaluation.unknown;
  }
  json["examples"] = evaluation.examples;
  json["seconds"] = evaluation.seconds;
  return json;
}

std::string evaluation_table(const std::vector<std::pair<std::string, Evaluation>>& results) {
  Table table({Align::left, Align::right, Align::right, Align::right, Align::right, Align::right,
               Align::right, Align::right});
  table.row({"split", "examples", "loss", "perplexity", "tokens right", "sequences right", "BLEU",
             "chrF"});
  table.rule();
  for (const auto& [name, result] : results) {
    std::vector<std::string> cells = {name, std::to_string(result.examples),
                                      fmt::format("{:.4f}", result.loss),
                                      fmt::format("{:.3f}", result.perplexity()),
                                      fmt::format("{:.2f} %", 100 * result.token_accuracy)};
    if (result.scores) {
      cells.push_back(fmt::format("{:.2f} %", 100 * result.sequence_accuracy()));
      cells.push_back(fmt::format("{:.2f}", result.scores->bleu.score));
      cells.push_back(fmt::format("{:.2f}", result.scores->chrf.score));
    }
    table.row(cells);
  }
  std::string text = table.text();
  if (!results.empty() && results.front().second.scores) {
    const TextScores& scores = *results.front().second.scores;
    text += fmt::format("\n  BLEU {}\n  chrF {}", scores.bleu.signature, scores.chrf.signature);
  }
  for (const auto& [name, result] : results) {
    if (result.unknown > 0) {
      text += fmt::format(
          "\n  {}: {} of {} target tokens are unknown, and count as right where the model says "
          "unknown too",
          name, result.unknown, result.tokens);
    }
  }
  return text;
}

std::string end_report(const EndReport& report) {
  std::string text = fmt::format("trained {} steps in {}; {} of {}:\n", report.steps,
                                 format_duration(report.seconds), report.checkpoint, report.run);
  text += evaluation_table(report.results) + "\n";
  const bool tested = report.results.front().first != "validation";
  text += fmt::format("next:\n  {0} evaluate {1}{2}\n  {0} translate {1}", program_path(),
                      shell_word(report.run), tested ? "" : " --split validation");
  return text;
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
