// The options of training: optimiser, schedule, batches, when to stop, and which checkpoints stay.
#pragma once

#include "core/product/product_unit.hpp"
#include "datasets/layout.hpp"
#include "train/options/optimizer_kinds.hpp"

namespace tapehead {

// Which checkpoints stay. "2": the newest two. "2 every 10": also every tenth, for good. "all".
class KeptCheckpoints {
 public:
  static constexpr std::string_view notation =
      "N: the newest N; N every K: also each K-th forever; or all; N and K from 1 to 1000";
  static constexpr bool also_number = true;

  KeptCheckpoints() = default;
  explicit KeptCheckpoints(Index newest) : newest_(newest) {}
  // Throws ConfigError with the problem alone, without the place.
  explicit KeptCheckpoints(std::string_view text);

  std::string text() const;
  // Whether the `number`-th checkpoint of a training stays when `newer` checkpoints are newer.
  bool keep(Index number, Index newer) const {
    return newer < newest_ || (every_ > 0 && number % every_ == 0);
  }

  bool operator==(const KeptCheckpoints&) const = default;

 private:
  Index newest_ = 2;
  Index every_ = 0;  // 0: no checkpoint stays for good
};

enum class ScheduleKind { constant, linear, cosine, inverse_sqrt, noam };
constexpr ValueNames<5> value_names(ScheduleKind) {
  return {"constant", "linear", "cosine", "inverse_sqrt", "noam"};
}

struct TrainingOptions {
  OptimizerKind optimizer = OptimizerKind::adam;
  double learning_rate = 1e-3;
  double learning_rate_end = 0.0;
  double momentum = 0.9;
  double beta1 = 0.9;
  double beta2 = 0.98;
  double epsilon = 1e-9;
  double muon_rate = 0.02;
  double muon_momentum = 0.95;
  double weight_decay = 0.0;
  bool decay_gains = true;
  bool decay_biases = true;
  bool decay_embeddings = true;
  ScheduleKind schedule = ScheduleKind::inverse_sqrt;
  Index warmup = 0;
  double clip_norm = 1.0;
  double label_smoothing = 0.0;
  double gate_penalty = 0.0;
  double gate_rate = 10.0;
  Precision precision = Precision::float32;
  Index batch_tokens = 2048;
  BatchLengths batch_lengths = BatchLengths::alike;
  Index accumulate = 1;
  Index memory = 0;
  std::optional<Index> steps{};
  std::optional<Index> epochs{};
  std::optional<double> minutes{};
  Index patience = 0;
  std::optional<Index> checkpoint_every{};
  KeptCheckpoints checkpoint_keep{};
  Index average_last = 0;
  std::optional<Index> shards{};
  std::vector<std::string> freeze{};

  Batching batching() const {
    return {.tokens = batch_tokens,
            .lengths = batch_lengths,
            .memory = memory,
            .batches_of_step = memory > 0 ? accumulate : 1};
  }

  void fields(const auto& row) {
    row(optimizer, kept_by_resume(named("optimizer")),
        "sgd (with momentum), adam (Kingma and Ba 2015), adamw (Loshchilov and Hutter 2019) or "
        "muon (Jordan et al. 2024): orthogonal steps for hidden matrices, adamw for all other "
        "parameters");
    row(learning_rate, named("learning_rate", 0, 1000),
        "highest learning rate (noam: factor on its formula)");
    row(learning_rate_end,
        only_with(When::with("training.schedule", {"linear", "cosine"}),
                  named("learning_rate_end", 0, 1000)),
        "the learning rate at the last step");
    const When with_adam = When::with("training.optimizer", {"adam", "adamw", "muon"});
    const When with_muon = When::with("training.optimizer", {"muon"});
    const When with_decay = When::with("training.weight_decay");
    row(momentum,
        only_with(When::with("training.optimizer", {"sgd"}), below(named("momentum", 0, 1))),
        "momentum");
    row(beta1, only_with(with_adam, below(named("beta1", 0, 1))), "decay of Adam's first moment");
    row(beta2, only_with(with_adam, below(named("beta2", 0, 1))), "decay of Adam's second moment");
    row(epsilon, only_with(with_adam, above(named("epsilon", 0, 1))), "term in Adam's denominator");
    row(muon_rate, only_with(with_muon, named("muon_rate", 0, 1000)),
        "highest learning rate of hidden matrices; it follows the schedule in proportion to "
        "learning_rate, the rate of all other parameters");
    row(muon_momentum, only_with(with_muon, below(named("muon_momentum", 0, 1))),
        "Nesterov momentum of hidden matrices");
    row(weight_decay, named("weight_decay", 0, 10),
        "decoupled in adamw and muon, added to the gradient in sgd and adam");
    row(decay_gains, only_with(with_decay, named("decay_gains")),
        "weight_decay also for gains: of norms, and factors on heads and scores; GPT (Radford et "
        "al. 2018) and nanoGPT: false");
    row(decay_biases, only_with(with_decay, named("decay_biases")),
        "weight_decay also for biases; GPT and nanoGPT: false");
    row(decay_embeddings, only_with(with_decay, named("decay_embeddings")),
        "weight_decay also for embeddings, including positions and distances, and a tied output "
        "layer; GPT and nanoGPT: true");
    row(schedule, named("schedule"), "how the learning rate moves after warmup");
    row(warmup, named("warmup", 0, 1e8, "steps"), "steps of linear rise at the start");
    row(clip_norm, named("clip_norm", 0, 1e9),
        "largest norm of the whole gradient; 0: no clipping");
    row(label_smoothing, below(named("label_smoothing", 0, 1)),
        "share of the target's probability spread over the vocabulary");
    row(gate_penalty, named("gate_penalty", 0, 1000),
        "factor on the expected number of open heads, added to the mean loss of a token (Voita et "
        "al. 2019, equation 9); for heads with gates: l0");
    row(gate_rate, named("gate_rate", 0, 1000),
        "factor on the learning rate of gates, which must change more than weights");
    row(precision, keeping_meaning(named("precision")),
        "of the products of linear maps in steps: bfloat16 rounds their factors, and is faster "
        "where the CPU multiplies bfloat16; evaluations and all else are float32");
    row(batch_tokens, named("batch_tokens", 1, 1e7, "tokens"),
        "tokens of a batch: source or target, whichever is longer");
    row(batch_lengths, named("batch_lengths"),
        "alike: a batch holds sentences of similar length; mixed: of any lengths");
    row(accumulate, named("accumulate", 1, 10000, "batches"),
        "batches whose gradients make one step");
    row(memory, named("memory", 0, 1048576, "tokens"),
        "running text: rows of earlier windows that the model remembers before each layer (Dai et "
        "al. 2019); the text is cut evenly into lanes, and a batch has the next window of each "
        "lane; 0: windows are shuffled, and nothing is remembered");
    row(steps, named("steps", 1, 1e9, "steps"), "stop after so many steps; auto: no limit");
    row(epochs, named("epochs", 1, 1e6, "epochs"),
        "stop after so many passes over the training data; auto: 10 if no other limit is set");
    row(minutes, above(named("minutes", 0, 1e6, "minutes")),
        "stop after so much time in steps, without evaluations; auto: no limit");
    row(patience, named("patience", 0, 1e6, "evaluations"),
        "stop after so many evaluations without a better evaluation.metric; 0: never");
    row(checkpoint_every, named("checkpoint_every", 1, 1e9, "steps"),
        "steps between checkpoints; auto: evaluation.every");
    row(checkpoint_keep, named("checkpoint_keep"),
        "checkpoints with optimiser state that are kept");
    row(average_last, named("average_last", 0, 1000),
        "checkpoints whose mean becomes the average checkpoint; 0: none");
    row(shards, named("shards", 1, 1024),
        "parts of a batch that can be computed in parallel; auto: one for each 1024 of "
        "batch_tokens, 2 to 8");
    row(freeze, kept_by_resume(named("freeze")),
        "parameters that are not trained: names, or patterns in which * stands for any characters, "
        "such as decoder.layers.0.*; no gradient is computed for them");
  }
};

// Whether weight decay applies to parameters of this kind. Kinds without an option of their own
// always decay (if `weight_decay` is not 0).
constexpr bool decays(const TrainingOptions& options, ParameterKind kind) {
  return kind == ParameterKind::gain        ? options.decay_gains
         : kind == ParameterKind::bias      ? options.decay_biases
         : kind == ParameterKind::embedding ? options.decay_embeddings
                                            : true;
}

constexpr double weight_decay_of(const TrainingOptions& options, ParameterKind kind) {
  return decays(options, kind) ? options.weight_decay : 0;
}

}  // namespace tapehead
