// Reports of an evaluation: one line, a table, or JSON.
#pragma once

#include "core/files/json_text.hpp"
#include "train/evaluation/evaluation.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// With ROUGE-L, token F1 and exact match only if one of them chooses the best checkpoint:
// "validation: loss 0.0123, perplexity 1.01, token accuracy 99.60 %, ..."
std::string evaluation_line(const std::string& split, const Evaluation& evaluation);

// All metrics, with the signatures of those that compare texts (for bleu and chrf, as sacreBLEU
// writes them), examples, seconds. If the targets have unknown tokens: unknown_tokens. Of running
// text: loss_by_position, the mean loss of each range of positions, {"first": 1, "last": 1,
// "tokens": 20, "loss": 2.5}. Of classes: confusion. Of examples with types: types, such as
// {"type": "passive", "examples": 1000, "sequence_accuracy": 0.97}, and type_groups.
Json evaluation_json(const Evaluation& evaluation);

// The same metrics, a row per split, and what they are based on. Of types a second table.
std::string evaluation_table(const std::vector<std::pair<std::string, Evaluation>>& results);

struct EndReport {
  std::string run;
  std::string checkpoint;
  Index steps;
  double seconds;
  std::string_view command;  // of the program, that uses such a model
  const std::vector<std::pair<std::string, Evaluation>>& results;  // of final_splits()
};
// The table at the end of a training, and commands to try next.
std::string end_report(const EndReport& report);

}}  // namespace tapehead::TAPEHEAD_PRECISION
