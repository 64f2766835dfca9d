// The report of a run: what it is, how far it is, its curves, samples, heads, config and machine;
// and its sentences: their tokens, the model's outputs, and the weights of every head.
#pragma once

#include "core/files/json_text.hpp"
#include "core/kernel/workers.hpp"
#include "datasets/task.hpp"
#include "lab/heads/head_history.hpp"
#include "lab/inspection/inspection.hpp"
#include "train/experiment.hpp"
#include "train/run/data.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The amount of work on the heads, in sentences that the model reads.
struct ReportEffort {
  Index watched = 200;      // over which the heads are watched, at most
  Index importance = 4000;  // divided among all heads, each of which is left out once
  Index pruning = 8000;     // likewise, but all heads are examined for each one that is removed
  bool prune = false;       // always make a pruning curve, over `watched` sentences
};

// At the end of a training, where a report must not take longer than one more validation.
ReportEffort effort_of_training(Index validation_examples);

struct ReportRequest {
  std::filesystem::path run;
  std::string split = "validation";
  std::vector<Index> sentences{};    // example numbers in the split, from 0; empty: the first ones
  std::vector<std::string> texts{};  // of the user's own, shown before the sentences
  std::string checkpoint{};          // as SavedRun takes it
  DataChoice data{};
  ReportEffort effort{};
  bool every_checkpoint = false;  // also the heads and the spectrum at each that the run keeps
  Index threads = 1;
  std::vector<HeadFigureRow> figures = head_figure_rows();  // of each head
  const Task* task = nullptr;  // the run's data, if it is loaded already
  std::function<void(const std::string& what)> progress{};
};

// The data that report_page() shows, as far as it is known; "notes" list what is missing, and
// "fault" says why a model that is there cannot be read. Throws IoError if it is not a run, if its
// metrics cannot be read, or if a named checkpoint cannot be used; ConfigError and DataError for a
// sentence and a split that do not exist.
Json report_run(const ReportRequest& request);

// The part about the heads: what each does, which ones matter, and which can be removed.
//
// {"split": "validation", "watched": 200, "attentions": [as heads_json()],
//  "importance": {..., "examples": 160}, "pruning": {..., "examples": 80}, "notes": ["..."]}
//
// The last two come from importance_json() and pruning_json(). They are absent, with a note that
// gives the reason, if they would take too much work, or if heads cannot be left out.
Json report_heads_json(Model& model, const Config& config, const Task& task, const Split& split,
                       const ReportRequest& request, Workers& workers);

// Their figures at every checkpoint that the run keeps.
//
// {"steps": [40, 80], "roles": [...], "relations": [...] as in history_json(), "attentions":
//  [{"attention": "decoder.layers.0.self", "figures": {"largest weight": [[0.4, 0.2], [0.9,
//  0.2]]}}]}
//
// A figure is a share, of each head at each step, null where the head cannot have it. It is absent
// where no head of the attention ever has it.
Json head_curves_json(const HeadHistory& history, const std::vector<HeadFigureRow>& rows);

constexpr Index shown_tokens = 48;        // of each side of a sentence; later weights are left out
constexpr Index shown_weights = 600'000;  // of all sentences; they determine the size of the page

// One sentence as below, without output and reference, with the first `shown` tokens of each side.
Json sentence_json(const InspectedSequence& sequence, const std::string& source,
                   std::optional<Index> number, Index shown);

// The user's texts, as sentences without a number. Throws what inspect_text() throws.
constexpr Index shown_text_tokens = 256;  // of each side
Json report_texts(const SavedRun& run, const std::vector<std::string>& texts, Workers& workers);

// The given examples of a split, as many of the first ones as `shown_weights` allows, but at least
// one. For each of them:
//
// {"number": 1, "source": "...", "output": "...", "right": true, "reference": "...",
//  "source_tokens": [...], "target_tokens": [...], "said_tokens": [...],
//  "source_length": 12, "target_length": 12,
//  "attentions": [{"attention": "encoder.layers.0.self", "queries": "source", "keys": "source",
//                  "heads": [[[weights of query 0, in thousandths], ...], ...]}, ...]}
//
// Target tokens are those that the decoder reads: the begin mark and the reference, as in training.
// Said tokens are those that it should predict after it has read them. Throws ConfigError for a
// number that the split does not have.
Json report_sentences(const Model& model, const EvaluationOptions& options, const Task& task,
                      const Split& split, const std::vector<Index>& examples, Workers& workers);

}}  // namespace tapehead::TAPEHEAD_PRECISION
