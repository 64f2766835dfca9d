// The options of evaluation: what is measured, when, and how outputs are generated.
#pragma once

#include <optional>

#include "core/fields.hpp"
#include "core/types.hpp"
#include "train/metrics/bleu_tokenizer.hpp"
#include "train/metrics/metrics.hpp"

namespace tapehead {

struct EvaluationOptions {
  std::optional<Index> every{};
  Metric metric = Metric::loss;
  Index batch_tokens = 4096;
  Index beam = 1;
  double length_penalty = 1.0;
  Index max_extra_length = 50;
  bool decode = true;
  Index decode_examples = 0;
  Index samples = 3;
  std::optional<Index> stride{};
  std::optional<Index> memory{};
  BleuTokenizer bleu_tokenizer = BleuTokenizer::v13a;
  bool lowercase = false;

  template <class Visitor>
  void fields(Visitor&& visit) {
    visit(Field{.name = "every",
                .help = "steps between evaluations on the validation split; auto: once an epoch",
                .minimum = 1,
                .maximum = 1e9,
                .unit = "steps"},
          every);
    visit(Field{.name = "metric",
                .help = "metric on the validation split that chooses the best checkpoint"},
          metric);
    visit(Field{.name = "batch_tokens",
                .help = "tokens of an evaluation batch",
                .minimum = 1,
                .maximum = 1e7,
                .unit = "tokens"},
          batch_tokens);
    visit(
        Field{.name = "beam",
              .help = "hypotheses of the beam search in tests; 1: greedy, as validation always is",
              .minimum = 1,
              .maximum = 256},
        beam);
    visit(Field{.name = "length_penalty",
                .help = "a hypothesis' score is its log-probability over its length to this power",
                .minimum = 0,
                .maximum = 10},
          length_penalty);
    visit(
        Field{.name = "max_extra_length",
              .help =
                  "how many tokens longer than its source, whose end mark counts, an output can be",
              .minimum = 1,
              .maximum = 100000,
              .unit = "tokens"},
        max_extra_length);
    visit(
        Field{.name = "decode",
              .help =
                  "also write out the validation split, for the metrics of outputs, such as BLEU"},
        decode);
    visit(
        Field{.name = "decode_examples",
              .help = "how many examples, the first ones, are written out during training; 0: all",
              .minimum = 0,
              .maximum = 1e9},
        decode_examples);
    visit(
        Field{.name = "samples",
              .help =
                  "outputs shown at each evaluation; for running text, samples of 200 tokens that "
                  "are written then, and of which the console shows the first",
              .minimum = 0,
              .maximum = 1000},
        samples);
    visit(Field{.name = "stride",
                .help = "running text: how far each window begins after the one before; what is in "
                        "two windows is predicted in the earlier one and read only in the later. "
                        "auto: task.context, so windows do not overlap",
                .minimum = 1,
                .maximum = 1048576,
                .unit = "tokens"},
          stride);
    visit(Field{.name = "memory",
                .help = "running text: rows that the model remembers, as training.memory, when a "
                        "split is evaluated; it can be more. auto: training.memory",
                .minimum = 0,
                .maximum = 1048576,
                .unit = "tokens"},
          memory);
    visit(Field{.name = "bleu_tokenizer",
                .help = "how BLEU cuts sentences into words, as sacreBLEU's --tokenize; none for "
                        "text that is tokenised"},
          bleu_tokenizer);
    visit(Field{.name = "lowercase", .help = "BLEU and chrF without regard to case"}, lowercase);
  }
};

}  // namespace tapehead
