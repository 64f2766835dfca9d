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

inline Split split_of_pairs(Examples pairs, const Layout& layout = {}, std::string name = "") {
  return {.name = std::move(name), .source = pair_source(std::move(pairs), layout)};
}

}  // namespace tapehead
