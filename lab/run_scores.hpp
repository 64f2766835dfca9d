// The scores of a trained run: what it cost, and how well it did on each example of a split. They
// are kept in a file of the run.
#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "train/metrics/metric_kind.hpp"

namespace tapehead {

struct RunStudy {
  std::vector<std::string> further_splits;  // whose metrics are computed too
  bool heads = false;                       // what each head does
  bool importance = false;                  // the loss without each head
  bool pruning = false;                     // the loss as heads are removed one by one

  bool operator==(const RunStudy&) const = default;

  // Whether it includes everything that the other requests.
  bool covers(const RunStudy& other) const {
    return std::ranges::all_of(other.further_splits,
                               [&](const std::string& name) {
                                 return std::ranges::find(further_splits, name) !=
                                        further_splits.end();
                               }) &&
           heads >= other.heads && importance >= other.importance && pruning >= other.pruning;
  }
};

struct RunScores {
  std::string split;
  std::string text{};      // digest of running text; empty for pairs, and in files of version 0.2
  std::string checkpoint;  // the file that was tested
  Index parameters = 0;
  // Of training, for each target token. None in files of versions that counted all pairs of
  // attention, whatever the pattern (lab/sweep/cost.hpp).
  std::optional<double> multiply_adds_per_token{};
  Index steps = 0;
  Index tokens = 0;    // target tokens in training
  double seconds = 0;  // of training, without evaluations
  RunStudy study{};    // what was requested besides the test
  // The figures of the study and of the training; docs/sweeps.md has the names.
  std::map<std::string, double> figures{};
  std::vector<ExampleScore> examples;
};

// The name of a figure, for a name that it may have had before: `cross.confidence` for
// `cross.largest`, `encoder_self.same_position` for `encoder_self.self`. Deprecated: the old names
// go in the version after the next.
std::string present_name(const std::string& figure);

// The file of scores has a line of JSON for the run, and one for each example.
std::filesystem::path scores_file(const std::filesystem::path& run);
void write_scores(const std::filesystem::path& run, const RunScores& scores);

// Throws IoError for a file that does not exist or is invalid.
RunScores read_scores(const std::filesystem::path& run);

}  // namespace tapehead
