// The options of evaluation: what is measured, when, and how outputs are generated.
#pragma once

#include "train/metrics/code_points.hpp"
#include "train/metrics/metrics.hpp"

namespace tapehead {

// What the use of a model must have so that an option of evaluation has an effect.
enum class EvaluationNeed { references, entries, search, windows, overlap, text };

struct EvaluationField : Field {
  std::array<EvaluationNeed, 2> needs;
};

constexpr EvaluationField needing(EvaluationNeed first, EvaluationNeed second, const Field& field) {
  return {field, {first, second}};
}
constexpr EvaluationField needing(EvaluationNeed need, const Field& field) {
  return needing(need, need, field);
}

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

  void fields(const auto& row) {
    using enum EvaluationNeed;
    row(every, named("every", 1, 1e9, "steps"),
        "steps between evaluations on the validation split; auto: once an epoch");
    row(metric, named("metric"), "metric on the validation split that chooses the best checkpoint");
    row(batch_tokens, named("batch_tokens", 1, 1e7, "tokens"), "tokens of an evaluation batch");
    row(beam, needing(references, search, named("beam", 1, 256)),
        "hypotheses of the beam search in tests; 1: greedy, as validation always is");
    row(length_penalty, needing(references, search, named("length_penalty", 0, 10)),
        "a hypothesis' score is its log-probability divided by its length to this power");
    row(max_extra_length,
        needing(references, search, named("max_extra_length", 1, 100000, "tokens")),
        "how many more tokens an output can have than its source with end mark");
    row(decode, needing(references, entries, named("decode")),
        "also generate outputs for the validation split, for metrics of outputs, such as BLEU");
    row(decode_examples, needing(references, entries, named("decode_examples", 0, 1e9)),
        "number of examples, from the first, whose outputs are generated during training; 0: all");
    row(samples, needing(text, named("samples", 0, 1000)),
        "outputs shown at each evaluation; for running text, generated samples of 200 tokens, of "
        "which the console shows the first");
    row(stride, needing(windows, overlap, named("stride", 1, 1048576, "tokens")),
        "running text: tokens between the starts of successive windows; tokens in both windows are "
        "predicted in the earlier window and only read in the later window. auto: task.context, so "
        "windows do not overlap");
    row(memory, needing(windows, overlap, named("memory", 0, 1048576, "tokens")),
        "running text: as training.memory, but for evaluations; it can be larger. auto: "
        "training.memory");
    row(bleu_tokenizer, needing(references, entries, named("bleu_tokenizer")),
        "how BLEU cuts sentences into words, as sacreBLEU's --tokenize; none: the text is already "
        "tokenised");
    row(lowercase, needing(references, entries, named("lowercase")), "BLEU and chrF ignore case");
  }
};

}  // namespace tapehead
