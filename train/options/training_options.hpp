// The options of training: optimiser, schedule, batches, when to stop, and which checkpoints stay.
#pragma once

#include "core/fields.hpp"
#include "datasets/layout.hpp"
#include "train/options/optimizer_kinds.hpp"

namespace tapehead {

// Which checkpoints stay. "2": the newest two. "2 every 10": also every tenth, for good. "all".
class KeptCheckpoints {
 public:
  static constexpr std::string_view notation =
      "N, the newest ones; N every K, also each K-th for good; or all; N and K from 1 to 1000";
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

  // An option in the range [0, 1).
  static constexpr Field below_one(std::string_view name, std::string_view help,
                                   const std::array<When, 2>& when = {}) {
    return {.name = name,
            .help = help,
            .minimum = 0,
            .maximum = 1,
            .exclusive_maximum = true,
            .when = when};
  }

  template <class Visitor>
  void fields(Visitor&& visit) {
    visit(Field{.name = "optimizer",
                .help = "sgd (with momentum), adam (Kingma and Ba 2015), adamw (Loshchilov and "
                        "Hutter 2019) or muon (Jordan et al. 2024): orthogonal steps for hidden "
                        "matrices, adamw for all other parameters",
                .kept_by_resume = true},
          optimizer);
    visit(Field{"learning_rate", "highest learning rate (noam: factor on its formula)", 0, 1000},
          learning_rate);
    visit(Field{.name = "learning_rate_end",
                .help = "the learning rate at the last step",
                .minimum = 0,
                .maximum = 1000,
                .when = only(When::with("training.schedule", {"linear", "cosine"}))},
          learning_rate_end);
    const auto with_adam = only(When::with("training.optimizer", {"adam", "adamw", "muon"}));
    const auto with_muon = only(When::with("training.optimizer", {"muon"}));
    visit(below_one("momentum", "momentum", only(When::with("training.optimizer", {"sgd"}))),
          momentum);
    visit(below_one("beta1", "decay of Adam's first moment", with_adam), beta1);
    visit(below_one("beta2", "decay of Adam's second moment", with_adam), beta2);
    visit(Field{.name = "epsilon",
                .help = "term in Adam's denominator",
                .minimum = 0,
                .maximum = 1,
                .exclusive_minimum = true,
                .when = with_adam},
          epsilon);
    visit(Field{.name = "muon_rate",
                .help = "highest learning rate of hidden matrices; it follows the schedule "
                        "in proportion to learning_rate, which is that of the other parameters",
                .minimum = 0,
                .maximum = 1000,
                .when = with_muon},
          muon_rate);
    visit(below_one("muon_momentum", "Nesterov momentum of hidden matrices", with_muon),
          muon_momentum);
    visit(Field{"weight_decay",
                "decoupled in adamw and muon, added to the gradient in sgd and adam", 0, 10},
          weight_decay);
    visit(Field{.name = "decay_gains",
                .help = "weight_decay also for gains: of norms, and factors on heads and scores; "
                        "GPT (Radford et al. 2018) and nanoGPT: false",
                .when = only(When::with("training.weight_decay"))},
          decay_gains);
    visit(Field{.name = "decay_biases",
                .help = "weight_decay also for biases; GPT and nanoGPT: false",
                .when = only(When::with("training.weight_decay"))},
          decay_biases);
    visit(Field{.name = "decay_embeddings",
                .help = "weight_decay also for embeddings, of positions and distances too, and an "
                        "output layer that shares one; GPT and nanoGPT: true",
                .when = only(When::with("training.weight_decay"))},
          decay_embeddings);
    visit(Field{"schedule", "how the learning rate moves after warmup"}, schedule);
    visit(Field{"warmup", "steps of linear rise at the start", 0, 1e8, "steps"}, warmup);
    visit(Field{"clip_norm", "largest norm of the whole gradient; 0: no clipping", 0, 1e9},
          clip_norm);
    visit(below_one("label_smoothing",
                    "share of the target's probability spread over the vocabulary"),
          label_smoothing);
    visit(Field{"gate_penalty",
                "penalty for each head that is expected to be open, added to the mean loss "
                "of a token (Voita et al. 2019, equation 9); for heads with gates: l0",
                0, 1000},
          gate_penalty);
    visit(Field{"gate_rate",
                "factor on the learning rate of gates, which have farther to go than weights", 0,
                1000},
          gate_rate);
    visit(Field{"batch_tokens", "tokens of a batch, counted on its longer side", 1, 1e7, "tokens"},
          batch_tokens);
    visit(Field{"batch_lengths",
                "alike: a batch holds sentences of like length; mixed: of any lengths"},
          batch_lengths);
    visit(Field{"accumulate", "batches whose gradients make one step", 1, 10000, "batches"},
          accumulate);
    visit(Field{"memory",
                "running text: rows that the model remembers before each layer, of the "
                "windows before (Dai et al. 2019); the text is cut evenly into lanes, and "
                "a batch has the next window of each; 0: windows are shuffled, and nothing "
                "is remembered",
                0, 1048576, "tokens"},
          memory);
    visit(Field{"steps", "stop after so many steps; auto: no limit", 1, 1e9, "steps"}, steps);
    visit(Field{"epochs",
                "stop after so many passes over the training data; auto: 10 if no other "
                "limit is set",
                1, 1e6, "epochs"},
          epochs);
    visit(Field{.name = "minutes",
                .help = "stop after so much time in steps, evaluations apart; auto: no limit",
                .minimum = 0,
                .maximum = 1e6,
                .unit = "minutes",
                .exclusive_minimum = true},
          minutes);
    visit(Field{"patience",
                "stop after so many evaluations without a better evaluation.metric; 0: never", 0,
                1e6, "evaluations"},
          patience);
    visit(Field{"checkpoint_every", "steps between checkpoints; auto: evaluation.every", 1, 1e9,
                "steps"},
          checkpoint_every);
    visit(Field{"checkpoint_keep", "checkpoints with optimiser state that are kept"},
          checkpoint_keep);
    visit(Field{"average_last", "checkpoints whose mean becomes the average checkpoint; 0: none", 0,
                1000},
          average_last);
    visit(Field{"shards",
                "parts of a batch that can be computed side by side; auto: one for each "
                "1024 of batch_tokens, 2 to 8",
                1, 1024},
          shards);
    visit(Field{.name = "freeze",
                .help = "parameters that stay as they start, each text a name or a pattern in "
                        "which * stands for any characters, as in decoder.layers.0.*; no gradient "
                        "is computed for them",
                .kept_by_resume = true},
          freeze);
  }
};

// Whether weight decay applies to parameters of this kind. Kinds without an option of their own
// always decay (if `weight_decay` is not 0).
constexpr bool decays(const TrainingOptions& options, ParameterKind kind) {
  switch (kind) {
    case ParameterKind::gain:
      return options.decay_gains;
    case ParameterKind::bias:
      return options.decay_biases;
    case ParameterKind::embedding:
      return options.decay_embeddings;
    default:
      return true;
  }
}

// The weight decay of parameters of this kind.
constexpr double weight_decay_of(const TrainingOptions& options, ParameterKind kind) {
  return decays(options, kind) ? options.weight_decay : 0;
}

}  // namespace tapehead
