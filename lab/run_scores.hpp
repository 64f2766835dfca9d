// The scores of a trained run: its cost, and its result for each example of a split.
#pragma once

#include "core/files/json_text.hpp"
#include "train/options/options.hpp"

namespace tapehead {

struct RunStudy {
  std::vector<std::string> further_splits;  // whose metrics are computed too
  bool heads = false;                       // what each head does
  bool importance = false;                  // the loss without each head
  bool pruning = false;                     // the loss as heads are removed one by one
  bool maps = false;                        // the weights of all heads on a sentence
  std::string sentence{};                   // for the maps; empty: the first test example

  bool operator==(const RunStudy&) const = default;

  bool covers(const RunStudy& other) const {
    const auto has = [&](const std::string& split) {
      return std::ranges::count(further_splits, split) > 0;
    };
    return std::ranges::all_of(other.further_splits, has) && heads >= other.heads &&
           importance >= other.importance && pruning >= other.pruning && maps >= other.maps &&
           (!other.maps || sentence == other.sentence);
  }
};

struct RunScores {
  std::string split;
  std::string text{};      // digest of running text; empty for pairs, and in files of version 0.2
  std::string checkpoint;  // the file that was tested
  Index parameters = 0;
  // Of training, for each target token. Absent in files of versions that counted all pairs of
  // attention, whatever the pattern (update_cost).
  std::optional<double> multiply_adds_per_token{};
  Index steps = 0;
  Index tokens = 0;    // target tokens in training
  double seconds = 0;  // of training, without evaluations
  RunStudy study{};    // what was requested besides the test
  // The figures of the study and of the training; docs/sweeps.md has the names.
  std::map<std::string, double> figures{};
  Json maps{};  // as sentence_json(); null: not requested
  std::vector<ExampleScore> examples{};
};

// The present name of a figure: `cross.confidence` was `cross.largest`,
// `encoder_self.same_position` was `encoder_self.self`. The old names go in the version after next.
std::string present_name(const std::string& figure);

// RunFiles::scores() has one line of JSON for the run and one for each example.
void write_scores(const fs::path& run, const RunScores& scores);

// Throws IoError for a file that does not exist or is invalid.
RunScores read_scores(const fs::path& run);

// The multiply-adds of a training for each target token: forward and backward, counting only the
// pairs of a query and a key that patterns allow. The config must be resolved.
double multiply_adds_per_token(const Config& config, const Task& task);

// Recomputes the cost from the config and the data of the run, for scores of versions that counted
// all pairs. Throws what find_run_data and make_task throw.
void update_cost(RunScores& scores, const fs::path& run);

}  // namespace tapehead
