// An ensemble of runs: trained runs whose models predict the same tokens together, by the mean of
// their probabilities. One run alone is one, too.
#pragma once

#include <vector>

#include "core/errors.hpp"
#include "nn/generation/ensemble.hpp"
#include "train/experiment.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

class RunEnsemble {
 public:
  RunEnsemble(const SavedRun& run) : runs_{&run} {}  // outlives it

  // Runs of one kind, of running text or of pairs, with the same tokenizers; models may be of any
  // family. Throws ConfigError, with both runs, for two that do not go together.
  explicit RunEnsemble(std::vector<const SavedRun*> runs);

  // Its config and its tokenizers are those of the ensemble.
  const SavedRun& first() const { return *runs_.front(); }
  const std::vector<const SavedRun*>& runs() const { return runs_; }

  std::vector<EnsembleMember> members() const;
  Index context() const;  // the least of the runs
  Index memory() const;   // likewise: rows that the models remember of earlier windows

  // As SavedRun::use; of several runs the message names all checkpoints.
  template <class Action>
  auto use(const Action& action) const {
    try {
      return action();
    } catch (const NumericError& error) {
      throw NumericError(checkpoints() + ": " + error.what());
    }
  }

 private:
  std::string checkpoints() const;

  std::vector<const SavedRun*> runs_;
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
