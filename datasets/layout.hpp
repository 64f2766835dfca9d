// What the examples of a task are, how a model reads them, and how they are grouped into batches.
#pragma once

#include "core/fields.hpp"

namespace tapehead {

enum class ExampleKind {
  pairs,   // a source and its target
  text,    // windows of running text, which a run keeps as tokens
  labels,  // a text and its class
  tags     // pairs whose target is a label for each token of the source
};

// What can be measured on examples of a kind.
struct Measurable {
  bool tokens = false;   // predictions of single tokens
  bool outputs = false;  // sequences that a model writes
  bool words = false;    // outputs that are words
  bool tags = false;     // outputs that are labels of tokens
  bool text = false;     // a whole text, over its windows
  bool labels = false;   // predicted classes
};
constexpr Measurable measurable(ExampleKind kind) {
  constexpr std::array of_kinds{Measurable{.tokens = true, .outputs = true, .words = true},
                                Measurable{.tokens = true, .text = true},
                                Measurable{.labels = true},
                                Measurable{.tokens = true, .outputs = true, .tags = true}};
  return of_kinds[static_cast<std::size_t>(kind)];
}

// The content of an input sequence.
enum class InputRows {
  target,             // begin mark and target; the source, with its end mark, is in the context
  source_and_target,  // source, begin mark and target; the labels begin at the mark
  source              // only the source; labels at its rows, or at its first row
};

struct Layout {
  InputRows input = InputRows::target;
  bool full_prefix = false;  // with source_and_target: all rows of the source see each other

  bool in_one_sequence() const { return input == InputRows::source_and_target; }
  bool source_alone() const { return input == InputRows::source; }
};

enum class BatchLengths { alike, mixed };
constexpr ValueNames<2> value_names(BatchLengths) { return {"alike", "mixed"}; }

struct Batching {
  // The largest number of tokens in a batch, on its longer side (sources with end marks, or targets
  // with end marks). A batch has at least one example.
  Index tokens = 0;
  BatchLengths lengths = BatchLengths::alike;
  // For running text: rows of each lane that the model remembers; 0: no lanes, shuffled windows. A
  // batch has one window of each of its lanes; the batches of a step have different lanes.
  Index memory = 0;
  Index batches_of_step = 1;

  bool operator==(const Batching&) const = default;
};

}  // namespace tapehead
