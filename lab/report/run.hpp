// The report of a run: its state, curves, samples, heads, config and machine; and sentences with
// their tokens, the model's outputs and the weights of every head.
#pragma once

#include "lab/heads/head_history.hpp"
#include "lab/inspection/inspection.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Limits for the work on the heads, in sentences that the model reads.
struct ReportEffort {
  Index watched = 200;      // sentences over which the heads are watched, at most
  Index importance = 4000;  // shared by all heads: the loss without each head
  Index pruning = 8000;     // likewise; each removal measures all remaining heads again
  Index outputs = 400;      // likewise: the outputs without each head
  bool prune = false;       // always compute a pruning curve, over `watched` sentences
};

// For the end of a training, where a report may take no longer than one more validation.
ReportEffort effort_of_training(Index validation_examples);

struct ReportRequest {
  fs::path run;
  std::string split = "validation";
  std::vector<Index> sentences{};    // example numbers in the split, from 0; empty: the first ones
  std::vector<std::string> texts{};  // the user's own, shown before the sentences
  std::string checkpoint{};          // as for SavedRun
  DataChoice data{};
  ReportEffort effort{};
  bool every_checkpoint = false;  // heads, spectrum, a sentence also at kept checkpoints
  Index threads = 1;
  std::vector<HeadFigureRow> figures = head_figure_rows();  // the figures of each head
  const Task* task = nullptr;                               // the run's data, if already loaded
  std::function<void(const std::string& what)> progress = [](const std::string&) {};
};

// The data that report_page() shows, as far as it is known. "notes" lists what is missing; "fault"
// says why a model cannot be read. Throws IoError if the directory is not a run, if its metrics
// cannot be read, or if a named checkpoint cannot be used; ConfigError and DataError for a sentence
// or a split that does not exist.
Json report_run(const ReportRequest& request);

// The part about the heads: what each head does, which heads matter, which can be removed.
//
// {"split": "validation", "watched": 200, "attentions": [as heads_json()],
//  "importance": {..., "examples": 160}, "pruning": {..., "examples": 80}, "notes": ["..."]}
//
// "importance" and "pruning" come from importance_json() and pruning_json(). They are absent, with
// a note about the reason, if they would take too much work or if heads cannot be left out.
Json report_heads_json(Model& model, const Config& config, const Task& task, const Split& split,
                       const ReportRequest& request, Workers& workers);

// The figures of the heads at every checkpoint that the run keeps.
//
// {"steps": [40, 80], "roles": [...], "relations": [...] as in history_json(), "attentions":
//  [{"attention": "decoder.layers.0.self", "figures": {"largest weight": [[0.4, 0.2], [0.9,
//  0.2]]}}], "split": "validation", "watched": 200}
//
// A figure has a share for each head at each step; null if the head has no such value. The figure
// is absent if no head of the attention ever has a value.
Json head_curves_json(const ReportRequest& request, const Task& task, const Split& split,
                      Workers& workers);

// With checkpoints requested, the first text or else the first sentence also has its weights at
// that many of the "kept" checkpoints, evenly chosen, as far as `shown_weights` allow:
// "history": [{"step": 40, "attentions": [as in report_sentences()]}, ...]
constexpr Index most_moments = 12;

Index weights_of(const Json& sentence);  // how many weights it has

// The given examples of a split. If there are too many for `shown_weights`, only the first ones,
// but at least one. For each example:
//
// {"number": 1, "source": "...", "output": "...", "right": true, "reference": "...",
//  "source_tokens": [...], "target_tokens": [...], "said_tokens": [...],
//  "source_length": 12, "target_length": 12,
//  "attentions": [{"attention": "encoder.layers.0.self", "queries": "source", "keys": "source",
//                  "heads": ["base64", ...]}, ...]}
//
// A head has its weights row by row, a row for each query: numbers of 16 bits, little-endian, from
// 0 to 65535 for a weight of 1.
//
// The target tokens are what the decoder reads: the begin mark and the reference, as in training.
// The said tokens are what the decoder should predict after each target token. Throws ConfigError
// for a number that the split does not have.
//
// With outputs, the first sentences also have those without single heads, all together at most
// `outputs_without`: "without": {"decoder.layers.0.self.1": {"output": "...", "right": false},
// ...}. If these are too many for one sentence, it has those without the first heads. Absent: heads
// that cannot be gated. Restores the weights.
Json report_sentences(Model& model, const Config& config, const Task& task, const Split& split,
                      const std::vector<Index>& examples, Index outputs_without, Workers& workers);

}}  // namespace tapehead::TAPEHEAD_PRECISION
