// The translator: lines of text in, lines of text out, by a trained run.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/workers.hpp"
#include "nn/decoding.hpp"
#include "train/experiment.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

struct Translation {
  std::string text;
  double score = 0;
};

class Translator {
 public:
  // `cut`: called with a line's number among those of a call, its tokens and the most that can be
  // translated, for each line that is translated only as far as that.
  using CutWarning = std::function<void(Index line, Index tokens, Index most)>;

  Translator(const SavedRun& run, Workers& workers, const DecodingOptions& options,
             Index batch_tokens);

  // The `options.best` best translations of each line, best first, in the order of the lines. A
  // line without tokens gives one empty translation. Lines of like length share a batch; workers
  // run batches side by side.
  std::vector<std::vector<Translation>> translate(std::span<const std::string> lines,
                                                  const CutWarning& cut) const;

 private:
  const SavedRun& run_;
  Workers& workers_;
  DecodingOptions options_;
  Index batch_tokens_;
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION
