// What the examples of a task are, and how a model reads them.
#pragma once

namespace tapehead {

enum class ExampleKind {
  pairs,  // a source and its target
  text,   // windows of running text, which a run keeps as tokens
  labels  // a text and its class
};

// What a sequence of the input holds.
enum class InputRows {
  target,             // begin mark and target; the source, with its end mark, is in the context
  source_and_target,  // source, begin mark and target; the labels begin at the mark
  source              // the source alone, whose rows, or whose first row, have the labels
};

struct Layout {
  InputRows input = InputRows::target;
  bool full_prefix = false;  // with source_and_target: the rows of the source see each other

  bool in_one_sequence() const { return input == InputRows::source_and_target; }
  bool source_alone() const { return input == InputRows::source; }
};

}  // namespace tapehead
