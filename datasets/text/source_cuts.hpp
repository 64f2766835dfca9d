// Training pairs whose sources are tokenized anew in each epoch, with subword dropout.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "datasets/pairs.hpp"
#include "datasets/task_making.hpp"
#include "datasets/text/parallel_options.hpp"
#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"

namespace tapehead {

class SourceCuts {
 public:
  // texts: those of the sources. tokenizer: of type bpe.
  SourceCuts(std::shared_ptr<const Examples> pairs, std::vector<std::string> texts,
             std::shared_ptr<const SentencePieceTokenizer> tokenizer,
             const ParallelTextOptions& options, const TaskMaking& making);

  // A pure function of the seed and the epoch. It caches the last result: for one thread only.
  std::shared_ptr<const Source> of_epoch(Index epoch);

 private:
  std::shared_ptr<const Source> draw(Index epoch) const;

  std::shared_ptr<const Examples> pairs_;
  std::vector<std::string> texts_;  // from the first epoch on as `spelled` gives them
  std::shared_ptr<const SentencePieceTokenizer> tokenizer_;
  double dropout_;
  Index max_length_;
  std::uint64_t seed_;
  Layout layout_;
  Index epoch_ = -1;
  std::shared_ptr<const Source> drawn_;  // of epoch_
};

}  // namespace tapehead
