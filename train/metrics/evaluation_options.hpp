// The options of evaluation: what is measured, when, and how outputs are generated.
#pragma once

#include "core/fields.hpp"
#include "train/metrics/code_points.hpp"
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
    visit(Field{"every", "steps between evaluations on the validation split; auto: once an epoch",
                1, 1e9, "steps"},
          every);
    visit(Field{"metric", "metric on the validation split that chooses the best checkpoint"},
          metric);
    visit(Field{"batch_tokens", "tokens of an evaluation batch", 1, 1e7, "tokens"}, batch_tokens);
    visit(
        Field{"beam", "hypotheses of the beam search in tests; 1: greedy, as validation always is",
              1, 256},
        beam);
    visit(Field{"length_penalty",
                "a hypothesis' score is its log-probability over its length to this power", 0, 10},
          length_penalty);
    visit(Field{"max_extra_length",
                "how many tokens longer than its source, whose end mark counts, an output can be",
                1, 100000, "tokens"},
          max_extra_length);
    visit(Field{"decode",
                "also write out the validation split, for the metrics of outputs, such as BLEU"},
          decode);
    visit(
        Field{"decode_examples",
              "how many examples, the first ones, are written out during training; 0: all", 0, 1e9},
        decode_examples);
    visit(Field{"samples",
                "outputs shown at each evaluation; for running text, samples of 200 tokens that "
                "are written then, and of which the console shows the first",
                0, 1000},
          samples);
    visit(Field{"stride",
                "running text: how far each window begins after the one before; what is in "
                "two windows is predicted in the earlier one and read only in the later. "
                "auto: task.context, so windows do not overlap",
                1, 1048576, "tokens"},
          stride);
    visit(Field{"memory",
                "running text: rows that the model remembers, as training.memory, when a "
                "split is evaluated; it can be more. auto: training.memory",
                0, 1048576, "tokens"},
          memory);
    visit(Field{"bleu_tokenizer",
                "how BLEU cuts sentences into words, as sacreBLEU's --tokenize; none for "
                "text that is tokenised"},
          bleu_tokenizer);
    visit(Field{"lowercase", "BLEU and chrF without regard to case"}, lowercase);
  }
};

}  // namespace tapehead
