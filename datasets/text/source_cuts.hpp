// A training split whose sources are tokenized anew in each epoch, with subword dropout.
#pragma once

#include <cstdint>
#include <memory>

#include "datasets/task.hpp"
#include "datasets/text/options.hpp"
#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"

namespace tapehead {

class SourceCuts {
 public:
  // split: with the texts of its sources. tokenizer: of type bpe.
  SourceCuts(Split split, std::shared_ptr<const SentencePieceTokenizer> tokenizer,
             const ParallelTextOptions& options, std::uint64_t seed);

  // A pure function of the seed and the epoch. The result for the last epoch is cached, so use it
  // from one thread only.
  std::shared_ptr<const Split> of_epoch(Index epoch);

 private:
  void spell();
  std::shared_ptr<const Split> draw(Index epoch) const;

  Split split_;  // from the first epoch on with texts as `spelled` gives them
  std::shared_ptr<const SentencePieceTokenizer> tokenizer_;
  double dropout_;
  Index max_length_;
  std::uint64_t seed_;
  Index epoch_ = -1;
  std::shared_ptr<const Split> drawn_;  // of epoch_
};

}  // namespace tapehead
