#include "lab/heads/attended_sequence.hpp"

#include <unicode/uchar.h>

#include "train/metrics/code_points.hpp"

namespace tapehead {

namespace {

// Also has an entry for the mask, whose id follows the tokenizer's entries.
TokenFacts facts_of(const Tokenizer& tokenizer) {
  const auto entries = static_cast<std::size_t>(tokenizer.size()) + 1;
  TokenFacts facts{.occurrences = std::vector<Index>(entries),
                   .punctuation = std::vector<bool>(entries),
                   .mask = mask_id(tokenizer)};
  for (TokenId token = mark_count; token < tokenizer.size(); ++token) {
    auto text = decode_utf8(tokenizer.entry(token));
    std::erase(text, U'▁');  // SentencePiece's mark for a space
    const auto is_punctuation = [](char32_t c) { return u_ispunct(static_cast<UChar32>(c)) != 0; };
    facts.punctuation[static_cast<std::size_t>(token)] =
        !text.empty() && std::ranges::all_of(text, is_punctuation);
  }
  return facts;
}

void count(TokenId token, TokenFacts& facts) {
  facts.occurrences[static_cast<std::size_t>(token)] += token >= mark_count ? 1 : 0;
}

}  // namespace

ReadFacts token_facts(const Task& task) {
  const Split& train = task.split("train");
  if (train.text.tokens) {  // some tokens of the examples may be masked
    ReadFacts facts{.context = {}, .input = facts_of(*task.source_tokenizer)};
    for (Index i = 0; i < train.text.tokens->size(); ++i) {
      count((*train.text.tokens)[i], facts.input);
    }
    return facts;
  }
  const bool two_sides = train.size() > 0 && train.source->lengths(0).context > 0;
  ReadFacts facts{.context = facts_of(*task.source_tokenizer),
                  .input = facts_of(two_sides ? *task.target_tokenizer : *task.source_tokenizer)};
  for (Index i = 0; i < train.size(); ++i) {
    const Sequence sequence = train.source->at(i);
    for (const TokenId token : sequence.context.list()) {
      count(token, facts.context);
    }
    for (const TokenId token : sequence.input.list()) {
      count(token, facts.input);
    }
  }
  return facts;
}

}  // namespace tapehead
