// The report of a run: what it is, how far it is, its curves, samples, heads, config and machine.
#pragma once

#include "core/files/json_text.hpp"
#include "core/kernel/workers.hpp"
#include "lab/heads/head_history.hpp"
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

}}  // namespace tapehead::TAPEHEAD_PRECISION
