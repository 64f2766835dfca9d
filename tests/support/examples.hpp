// Examples read from a source, and splits made from given examples.
#pragma once

#include "datasets/pairs.hpp"
#include "datasets/task.hpp"

namespace tapehead {

// The example without marks: a pair, or a text and its class, in the two-stack layout.
inline Example example_of(const Source& source, Index number) {
  const Sequence sequence = source.at(number);
  Example example{.source = sequence.source.list(), .target = sequence.labels.list()};
  if (!source.in_one_pass()) {
    example.target.pop_back();  // the end mark
  }
  return example;
}

inline Examples examples_of(const Source& source) {
  Examples examples;
  for (Index i = 0; i < source.size(); ++i) {
    examples.push_back(example_of(source, i));
  }
  return examples;
}

template <class Number>
Example example_of(const Split& split, Number number) {
  return example_of(*split.source, static_cast<Index>(number));
}

inline Examples examples_of(const Split& split) { return examples_of(*split.source); }

// How the tokenizer shows each token.
inline std::vector<std::string> entries_of(const Tokenizer& tokenizer,
                                           const std::vector<TokenId>& tokens) {
  return mapped(tokens, [&](TokenId token) { return tokenizer.entry(token); });
}

// The documents, each with an end mark, as a text with ids below `vocabulary`.
inline TokenText text_of_documents(const std::vector<std::vector<TokenId>>& documents,
                                   Index vocabulary = 100, const TextCounts& counts = {}) {
  TokenTextWriter writer(vocabulary);
  for (const std::vector<TokenId>& document : documents) {
    writer.add(document);
    writer.end_document();
  }
  return writer.finish(counts);
}

inline Split split_of_pairs(Examples pairs, const Layout& layout = {}, std::string name = "") {
  return {.name = std::move(name), .source = pair_source(std::move(pairs), layout)};
}

}  // namespace tapehead
