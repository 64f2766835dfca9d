#include "datasets/text/source_cuts.hpp"

#include <utility>

#include <fmt/format.h>

#include "core/random/draws.hpp"
#include "datasets/tokenizers/parallel_lines.hpp"

namespace tapehead {

SourceCuts::SourceCuts(std::shared_ptr<const Examples> pairs, std::vector<std::string> texts,
                       std::shared_ptr<const SentencePieceTokenizer> tokenizer,
                       const ParallelTextOptions& options, const TaskMaking& making)
    : pairs_(std::move(pairs)),
      texts_(std::move(texts)),
      tokenizer_(std::move(tokenizer)),
      dropout_(options.subword_dropout),
      max_length_(options.max_length),
      seed_(making.seed),
      layout_(making.layout) {}

// Commands that do not train never call this, so they do not pay for it.
std::shared_ptr<const Source> SourceCuts::of_epoch(Index epoch) {
  if (epoch_ < 0) {
    for_each_line(texts_.size(),
                  [&](std::size_t i) { texts_[i] = tokenizer_->spelled(texts_[i]); });
  }
  if (epoch != epoch_) {
    drawn_ = draw(epoch);
    epoch_ = epoch;
  }
  return drawn_;
}

// A source that would become longer than task.max_length keeps its usual tokens.
std::shared_ptr<const Source> SourceCuts::draw(Index epoch) const {
  Examples drawn = *pairs_;
  for_each_line(drawn.size(), [&](std::size_t i) {
    const Draws draws(seed_, fmt::format("subword_dropout/{}", i), epoch);
    std::vector<TokenId> source = tokenizer_->cut(texts_[i], dropout_, draws);
    if (static_cast<Index>(source.size()) <= max_length_) {
      drawn[i].source = std::move(source);
    }
  });
  return pair_source(std::move(drawn), layout_);
}

}  // namespace tapehead
