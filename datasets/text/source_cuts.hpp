// A training split whose sources are cut anew in each epoch, with subword dropout.
#pragma once

#include <cstdint>
#include <memory>

#include "datasets/task.hpp"
#include "datasets/text/options.hpp"
#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"

namespace tapehead {

class SourceCuts {
 public:
  // split: with the texts of its sources. tokenizer: of the kind bpe.
  SourceCuts(Split split, std::shared_ptr<const SentencePieceTokenizer> tokenizer,
             const ParallelTextOptions& options, std::uint64_t seed);

  // A pure function of the seed and the epoch. The last one is kept, so it is for one thread alone.
  std::shared_ptr<const Split> of_epoch(Index epoch);

 private:
  void spell();
  std::shared_ptr<const Split> draw(Index epoch) const;

  Split split_;  // from the first epoch on with the texts as their pieces spell them
  std::shared_ptr<const SentencePieceTokenizer> tokenizer_;
  double dropout_;
  Index max_length_;
  std::uint64_t seed_;
  Index epoch_ = -1;
  std::shared_ptr<const Split> drawn_;  // for epoch_
};

}  // namespace tapehead
