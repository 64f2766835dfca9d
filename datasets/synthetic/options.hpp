// The options of the synthetic tasks.
#pragma once

#include "core/fields.hpp"
#include "core/types.hpp"

namespace tapehead {

// Random sequences of symbols 0 ... vocabulary - 1: copy, reverse, sort, previous_token, induction,
// and with options of their own two_offsets and copy_distractors.
struct SyntheticOptions {
  Index vocabulary = 11;
  Index min_length = 1;
  Index max_length = 10;
  Index train_examples = 10000;
  Index validation_examples = 1000;
  Index test_examples = 1000;
  Index longer_min_length = 0;
  Index longer_max_length = 0;
  Index longer_examples = 0;

  template <class Visitor>
  void fields(Visitor&& visit) {
    visit(Field{.name = "vocabulary",
                .help = "symbols of the task; begin, end and unknown come on top",
                .minimum = 1,
                .maximum = 1000000},
          vocabulary);
    visit(Field{.name = "min_length",
                .help = "shortest sequence",
                .minimum = 0,
                .maximum = 100000,
                .unit = "tokens"},
          min_length);
    visit(Field{.name = "max_length",
                .help = "longest sequence",
                .minimum = 1,
                .maximum = 100000,
                .unit = "tokens"},
          max_length);
    visit(Field{.name = "train_examples",
                .help = "sequences to train on",
                .minimum = 1,
                .maximum = 1e8},
          train_examples);
    visit(Field{.name = "validation_examples",
                .help = "held-out sequences that choose the best checkpoint",
                .minimum = 1,
                .maximum = 1e7},
          validation_examples);
    visit(Field{.name = "test_examples",
                .help = "held-out sequences for the final test",
                .minimum = 1,
                .maximum = 1e7},
          test_examples);
    visit(Field{.name = "longer_min_length",
                .help = "shortest sequence of the further test split `longer`",
                .minimum = 0,
                .maximum = 100000,
                .unit = "tokens"},
          longer_min_length);
    visit(Field{.name = "longer_max_length",
                .help = "longest sequence of the further test split `longer`",
                .minimum = 0,
                .maximum = 100000,
                .unit = "tokens"},
          longer_max_length);
    visit(Field{.name = "longer_examples",
                .help = "sequences of the further test split `longer`; 0: no such split",
                .minimum = 0,
                .maximum = 1e7},
          longer_examples);
  }
};

struct TwoOffsetsOptions {
  Index first_offset = 1;
  Index second_offset = 6;

  template <class Visitor>
  void fields(Visitor&& visit) {
    visit(Field{.name = "first_offset",
                .help = "where the first symbol stands, in places from the one that says it",
                .minimum = 0,
                .maximum = 99999,
                .unit = "tokens"},
          first_offset);
    visit(Field{.name = "second_offset",
                .help = "where the symbol stands that is taken off, likewise",
                .minimum = 0,
                .maximum = 99999,
                .unit = "tokens"},
          second_offset);
  }
};

struct DistractorOptions {
  double marked = 0.5;

  template <class Visitor>
  void fields(Visitor&& visit) {
    visit(Field{.name = "marked",
                .help = "probability that a symbol is marked, to be copied",
                .minimum = 0,
                .maximum = 1},
          marked);
  }
};

struct BracketOptions {
  Index kinds = 3;
  Index max_depth = 3;
  Index min_pairs = 1;
  Index max_pairs = 8;
  Index train_examples = 20000;
  Index validation_examples = 1000;
  Index test_examples = 1000;

  template <class Visitor>
  void fields(Visitor&& visit) {
    visit(Field{.name = "kinds", .help = "kinds of brackets", .minimum = 1, .maximum = 4}, kinds);
    visit(Field{.name = "max_depth",
                .help = "most brackets that are open at once",
                .minimum = 1,
                .maximum = 50000},
          max_depth);
    visit(Field{.name = "min_pairs",
                .help = "fewest pairs of brackets",
                .minimum = 1,
                .maximum = 50000},
          min_pairs);
    visit(
        Field{
            .name = "max_pairs", .help = "most pairs of brackets", .minimum = 1, .maximum = 50000},
        max_pairs);
    visit(Field{.name = "train_examples",
                .help = "sequences to train on",
                .minimum = 1,
                .maximum = 1e8},
          train_examples);
    visit(Field{.name = "validation_examples",
                .help = "held-out sequences that choose the best checkpoint",
                .minimum = 1,
                .maximum = 1e7},
          validation_examples);
    visit(Field{.name = "test_examples",
                .help = "held-out sequences for the final test",
                .minimum = 1,
                .maximum = 1e7},
          test_examples);
  }
};

struct RecallOptions {
  Index vocabulary = 16;
  Index facts = 4;
  Index min_gap = 1;
  Index max_gap = 16;
  Index train_examples = 20000;
  Index validation_examples = 1000;
  Index test_examples = 1000;

  template <class Visitor>
  void fields(Visitor&& visit) {
    visit(Field{.name = "vocabulary",
                .help = "keys, values, and tokens for the gap: so many of each",
                .minimum = 1,
                .maximum = 10000},
          vocabulary);
    visit(Field{.name = "facts",
                .help = "keys with their values, before the gap",
                .minimum = 1,
                .maximum = 10000},
          facts);
    visit(Field{.name = "min_gap",
                .help = "fewest tokens between the last fact and the question",
                .minimum = 0,
                .maximum = 100000,
                .unit = "tokens"},
          min_gap);
    visit(Field{.name = "max_gap",
                .help = "most tokens between the last fact and the question",
                .minimum = 0,
                .maximum = 100000,
                .unit = "tokens"},
          max_gap);
    visit(Field{.name = "train_examples",
                .help = "sequences to train on",
                .minimum = 1,
                .maximum = 1e8},
          train_examples);
    visit(Field{.name = "validation_examples",
                .help = "held-out sequences that choose the best checkpoint",
                .minimum = 1,
                .maximum = 1e7},
          validation_examples);
    visit(Field{.name = "test_examples",
                .help = "held-out sequences for the final test",
                .minimum = 1,
                .maximum = 1e7},
          test_examples);
  }
};

}  // namespace tapehead
