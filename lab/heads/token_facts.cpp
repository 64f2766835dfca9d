#include "lab/heads/token_facts.hpp"

#include <string>
#include <string_view>

#include <unicode/uchar.h>

#include "datasets/corpus/masking.hpp"
#include "train/metrics/code_points.hpp"

namespace tapehead {

namespace {

constexpr char32_t word_begin = U'▁';  // SentencePiece's mark for a space

bool is_all_punctuation(std::string_view piece) {
  bool any = false;
  for (const char32_t c : decode_utf8(piece)) {
    if (c == word_begin) {
      continue;
    }
    if (u_ispunct(static_cast<UChar32>(c)) == 0) {
      return false;
    }
    any = true;
  }
  return any;
}

// Also of the mask, which follows the entries.
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

void count(const std::vector<Example>& examples, std::vector<TokenId> Example::* side,
           TokenFacts& facts) {
  for (const Example& example : examples) {
    for (const TokenId token : example.*side) {
      facts.occurrences[static_cast<std::size_t>(token)] += token >= mark_count ? 1 : 0;
    }
  }
}

void count(const TokenText& text, TokenFacts& facts) {
  for (Index i = 0; i < text.size(); ++i) {
    facts.occurrences[static_cast<std::size_t>(text[i])] += text[i] >= mark_count ? 1 : 0;
  }
}

// Of the rows of one sequence, which has the entries of the source's tokenizer.
SideFacts facts_of_sequence(const Task& task, const Split& train, const Layout& layout) {
  SideFacts facts{.source = {}, .target = facts_of(*task.source_tokenizer)};
  count(train.examples, &Example::source, facts.target);
  if (!train.classes) {
    count(train.examples, &Example::target, facts.target);
  }
  if (train.is_text()) {
    count(*train.windows.text, facts.target);
  }
  if (task.find_relations) {
    facts.relations = [find = task.find_relations, layout](const Split& split, Index example) {
      const Index source = std::ssize(split.examples[static_cast<std::size_t>(example)].source);
      return in_one_sequence(find(split, example), source, layout.full_prefix ? source : 0);
    };
  }
  return facts;
}

}  // namespace

SideFacts token_facts(const Task& task, const Layout& layout) {
  const Split& train = task.split("train");
  if (layout.in_one_sequence()) {
    return facts_of_sequence(task, train, layout);
  }
  SideFacts facts{.source = facts_of(*task.source_tokenizer),
                  .target = facts_of(*task.target_tokenizer),
                  .relations = task.find_relations};
  count(train.examples, &Example::source, facts.source);
  if (train.is_text()) {
    count(*train.windows.text, facts.source);
  } else if (!train.classes) {
    count(train.examples, &Example::target, facts.target);
  }
  return facts;
}

}  // namespace tapehead
