#include "lab/heads/attended_sequence.hpp"

#include <unicode/uchar.h>

#include "datasets/corpus/windows.hpp"
#include "train/metrics/code_points.hpp"

namespace tapehead {

namespace {

constexpr char32_t word_begin = U'▁';  // SentencePiece's mark for a space

bool is_all_punctuation(std::string_view piece) {
  auto text = decode_utf8(piece);
  std::erase(text, word_begin);
  return !text.empty() && std::ranges::all_of(text, [](char32_t c) {
    return u_ispunct(static_cast<UChar32>(c)) != 0;
  });
}

// Also has an entry for the mask, whose id follows the tokenizer's entries.
TokenFacts facts_of(const Tokenizer& tokenizer) {
  const auto entries = static_cast<std::size_t>(tokenizer.size()) + 1;
  TokenFacts facts{.occurrences = std::vector<Index>(entries),
                   .punctuation = std::vector<bool>(entries),
                   .mask = mask_id(tokenizer)};
  for (TokenId token = mark_count; token < tokenizer.size(); ++token) {
    facts.punctuation[static_cast<std::size_t>(token)] = is_all_punctuation(tokenizer.entry(token));
  }
  return facts;
}

void count(std::span<const TokenId> tokens, TokenFacts& facts) {
  for (const TokenId token : tokens) {
    facts.occurrences[static_cast<std::size_t>(token)] += token >= mark_count ? 1 : 0;
  }
}

void count(const TokenText& text, TokenFacts& facts) {
  for (Index i = 0; i < text.size(); ++i) {
    facts.occurrences[static_cast<std::size_t>(text[i])] += text[i] >= mark_count ? 1 : 0;
  }
}

}  // namespace

ReadFacts token_facts(const Task& task) {
  const Split& train = task.split("train");
  if (train.text.tokens) {  // some tokens of the examples may be masked
    ReadFacts facts{.context = {}, .input = facts_of(*task.source_tokenizer)};
    count(*train.text.tokens, facts.input);
    return facts;
  }
  const bool two_sides = train.size() > 0 && train.source->lengths(0).context > 0;
  ReadFacts facts{.context = facts_of(*task.source_tokenizer),
                  .input = facts_of(two_sides ? *task.target_tokenizer : *task.source_tokenizer)};
  for (Index i = 0; i < train.size(); ++i) {
    const Sequence sequence = train.source->at(i);
    count(sequence.context.list(), facts.context);
    count(sequence.input.list(), facts.input);
  }
  return facts;
}

}  // namespace tapehead
