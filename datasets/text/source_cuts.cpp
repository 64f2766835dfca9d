#include "datasets/text/source_cuts.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/random/draws.hpp"
#include "datasets/tokenizers/parallel_lines.hpp"

namespace tapehead {

namespace {

template <class Each>
void for_each_example(const Split& split, const Each& each) {
  for_line_ranges(static_cast<Index>(split.examples.size()), [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      each(static_cast<std::size_t>(i));
    }
  });
}

}  // namespace

SourceCuts::SourceCuts(Split split, std::shared_ptr<const SentencePieceTokenizer> tokenizer,
                       const ParallelTextOptions& options, std::uint64_t seed)
    : split_(std::move(split)),
      tokenizer_(std::move(tokenizer)),
      dropout_(options.subword_dropout),
      max_length_(options.max_length),
      seed_(seed) {}

void SourceCuts::spell() {
  for_each_example(split_, [&](std::size_t i) {
    split_.source_texts[i] = tokenizer_->spelled(split_.source_texts[i]);
  });
}

// Commands that do not train never call this, so they do not pay for it.
std::shared_ptr<const Split> SourceCuts::of_epoch(Index epoch) {
  if (epoch_ < 0) {
    spell();
  }
  if (epoch != epoch_) {
    drawn_ = draw(epoch);
    epoch_ = epoch;
  }
  return drawn_;
}

// A source that would become longer than task.max_length keeps its usual tokens.
std::shared_ptr<const Split> SourceCuts::draw(Index epoch) const {
  auto drawn = std::make_shared<Split>(split_);
  drawn->source_texts.clear();
  for_each_example(split_, [&](std::size_t i) {
    const Draws draws(seed_, fmt::format("subword_dropout/{}", i), epoch);
    std::vector<TokenId> source = tokenizer_->cut(split_.source_texts[i], dropout_, draws);
    if (static_cast<Index>(source.size()) <= max_length_) {
      drawn->examples[i].source = std::move(source);
    }
  });
  return drawn;
}

}  // namespace tapehead
