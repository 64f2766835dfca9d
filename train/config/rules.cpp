// The list of all rules. A rule with a fixed message is a plain_rule; any other rule is a function.
#include "train/config/rules.hpp"

#include "core/text.hpp"
#include "datasets/text/labelled_options.hpp"
#include "datasets/text/parallel_options.hpp"
#include "datasets/text/text_options.hpp"
#include "nn/attention/model_rules.hpp"
#include "nn/attention/spec.hpp"
#include "train/options/application.hpp"

namespace tapehead {
namespace {

using Verdict = std::optional<Violation>;

// Reports the first list whose length is not the number of layers of a kind.
Verdict lists_over_layers(const Config& config) {
  const ModelOptions& model = config.model;
  Verdict verdict;
  for (const AttentionKind kind : attention_kinds) {
    const Index layers = attention_layers(model, kind);
    const auto check = [&](std::string_view section, const AttentionSettings& settings) {
      AttentionSettings::walk(
          [&](const Field& field, const auto& option) {
            const Index values = std::ssize(option.values);
            if (!verdict && layers > 0 && values > 1 && values != layers) {
              verdict = Violation{{fmt::format("{}.{}", section, field.name), "model.layers"},
                                  fmt::format("a list over layers has one value for each layer ({} "
                                              "values, {} layers of {})",
                                              values, layers, name_of(kind))};
            }
          },
          settings);
    };
    check(name_of(kind), model.settings(kind));
    check("attention", model.attention);
  }
  return verdict;
}

Verdict warmup_ends(const Config& config) {
  const TrainingOptions& training = config.training;
  const Index steps = training.steps.value_or(training.warmup + 1);
  return violation_if(training.warmup >= steps, {"training.warmup", "training.steps"},
                      "the warmup must end before the run does (warmup {}, steps {})",
                      training.warmup, steps);
}

Verdict rate_falls_to_its_end(const Config& config) {
  const TrainingOptions& training = config.training;
  return violation_if(
      training.learning_rate_end > training.learning_rate,
      {"training.learning_rate_end", "training.learning_rate"},
      "the learning rate must not end above its highest value ({}; learning_rate {})",
      training.learning_rate_end, training.learning_rate);
}

Verdict metric_is_measured(const Config& config) {
  const MetricKind& kind = kind_of(config.evaluation.metric);
  std::vector<std::string_view> measured;
  for (const MetricKind* other : metric_kinds) {
    if (is_measured(*other, config) && (config.evaluation.decode || !needs_outputs(*other))) {
      measured.push_back(other->name);
    }
  }
  if (std::ranges::find(measured, kind.name) != measured.end()) {
    return {};
  }
  const auto because = [&](bool broken, std::string_view option, std::string_view reason) {
    return violation_if(broken, {"evaluation.metric", std::string(option)}, "{} {} (allowed: {})",
                        kind.name, reason, join(measured, ", "));
  };
  return first_violation(
      {because(!is_measured(kind, config.task.kind().examples), "task.name",
               "is not measured for this task"),
       because(!is_measured(kind, config), "model.family",
               "needs a prediction of every token, and an encoder predicts only masked tokens"),
       because(true, "evaluation.decode", "needs evaluation.decode, which is false")});
}

Verdict tied_share_words(const Config& config) {
  return first_violation(
      {tied_source_exists(config.model),
       violation_if(ties_source(config.model.tie_embeddings) && has_two_vocabularies(config),
                    {"model.tie_embeddings", "task.joint_vocabulary"},
                    "source and target embeddings cannot be shared with two vocabularies (allowed "
                    "with task.joint_vocabulary false: none, target_output)")});
}

Verdict positions_suffice(const Config& config) {
  const auto [longest, option] = config.task.kind().longest(config.task);
  const Use& use = use_of(config);
  const Index tokens = use.sides * longest;
  const Index rows = tokens + use.marks_beside;
  const Index positions = config.model.max_positions;
  return violation_if(rows > positions,
                      {"model.max_positions", std::string(option), "model.positions"},
                      "too few positions for {} ({}; allowed: {} or more)",
                      fmt::format(fmt::runtime(use.longest), tokens), positions, rows);
}

Verdict stride_covers(const Config& config) {
  const auto* text = config.task.find<TextOptions>();
  const Index stride = config.evaluation.stride.value_or(0);
  const Index context = text == nullptr ? stride : text->context;
  return violation_if(stride > context, {"evaluation.stride", "task.context"},
                      "windows of {} tokens would leave some out ({}; allowed: 1 to {})", context,
                      stride, context);
}

// Makes a rule of nn/attention/model_rules.hpp a rule about a config.
template <Verdict (*rule)(const ModelOptions&)>
Verdict of_model(const Config& config) {
  return rule(config.model);
}

// Appends the rules of all tasks. A rule that several tasks share is listed once.
std::vector<Rule> with_task_rules(std::vector<Rule> rules) {
  for (const TaskKind* kind : task_kinds()) {
    for (const TaskRule& rule : kind->rules) {
      if (std::ranges::find(rules, rule.says, &Rule::says) != rules.end()) {
        continue;
      }
      rules.push_back({rule.says, [&rule](const Config& config) {
                         const auto own = config.task.kind().rules;
                         const auto found = std::ranges::find(own, rule.says, &TaskRule::says);
                         return found != own.end() ? found->check(config.task) : std::nullopt;
                       }});
    }
  }
  return rules;
}

}  // namespace

bool has_two_vocabularies(const Config& config) {
  const auto* text = config.task.find<ParallelTextOptions>();
  return text != nullptr && !text->joint_vocabulary;
}

std::span<const Rule> rules() {
  static const std::vector<Rule> all = with_task_rules({
      {"With `model.family: decoder`, `encoder_self`, `cross` and `model.encoder_layers` are not "
       "given; with `encoder`, `decoder_self`, `cross` and `model.decoder_layers` are not.",
       parts_exist},
      {"The tasks `text` and `labelled_text` need `model.family: decoder` or `encoder`; `text` "
       "needs `model.prefix: causal`.",
       text_has_one_stack},
      {"With `labelled_text`, `model.tie_embeddings` is `none`.",
       [](const Config& config) {
         return violation_if(
             !use_of(config).gives_entries() && config.model.tie_embeddings != Tying::none,
             {"model.tie_embeddings", "model.preset", "task.name"},
             "the outputs are classes, not entries of the vocabulary (allowed: none)");
       }},
      {"With `task.texts: 2`, `model.token_types` is 0, or 2 or more.",
       [](const Config& config) {
         const auto* text = config.task.find<LabelledTextOptions>();
         return violation_if(
             text != nullptr && text->texts > 1 && config.model.token_types == 1,
             {"model.token_types", "task.texts"},
             "two texts need two token types (1; allowed: 0 for no types, 2 or more)");
       }},
      {"`task.begin_mark: false` is for `model.family: decoder`, without `task.stream` and without "
       "a memory.",
       begin_mark_is_used},
      {"A list over layers, in `attention`, `encoder_self`, `decoder_self` or `cross`, has a value "
       "for each layer.",
       lists_over_layers},
      {"`model.prefix: full` needs `model.family: decoder` and patterns `full`, `causal` or "
       "`window`.",
       of_model<prefix_fits>},
      {"With `model.family: decoder`, `parallel_text` needs `task.joint_vocabulary: true`.",
       [](const Config& config) {
         return violation_if(config.model.traits().one_sequence && has_two_vocabularies(config),
                             {"task.joint_vocabulary", "model.family"},
                             "a decoder reads source and target with one vocabulary; set "
                             "task.joint_vocabulary: true");
       }},
      {"The heads divide `model.d_model`, unless `model.d_head`, or `d_qk` and `d_v`, are given. "
       "Other incompatible options of attention are rejected with the reason.",
       of_model<attentions_compose>},
      {"Attentions with the same name in `shared_as` differ only in pattern and dropout.",
       of_model<names_share>},
      {"`training.gate_penalty` and `training.gate_rate` need `gates: l0` in some attention.",
       unused_gate_options},
      {"`training.warmup` is less than `training.steps`, where that is set.", warmup_ends},
      {"The schedules `linear` and `cosine` need `training.steps` or `training.epochs`. The last "
       "step has the rate `training.learning_rate_end`; with the rate 0 the last step changes no "
       "weights, so a training of one step without a warmup changes nothing. Without "
       "`training.warmup` no step has the rate `training.learning_rate`.",
       [](const Config& config) {
         const TrainingOptions& training = config.training;
         const bool falls =
             training.schedule == ScheduleKind::linear || training.schedule == ScheduleKind::cosine;
         return violation_if(
             falls && training.minutes && !training.steps && !training.epochs,
             {"training.schedule", "training.minutes"},
             "linear and cosine need a last step, which minutes alone do not determine; set "
             "training.steps or training.epochs too");
       }},
      {"The schedule `noam` needs a `training.warmup` of at least 1.",
       [](const Config& config) {
         return violation_if(
             config.training.schedule == ScheduleKind::noam && config.training.warmup == 0,
             {"training.warmup", "training.schedule"},
             "the noam schedule needs a warmup (0; allowed: 1 or more)");
       }},
      {"An option whose meaning says `only with X` or `only without X` keeps its default "
       "otherwise.",
       unused_by_another},
      {"`training.learning_rate_end` is at most `training.learning_rate`.", rate_falls_to_its_end},
      {"With `training.optimizer: muon`, `training.learning_rate` is more than 0.",
       [](const Config& config) {
         const TrainingOptions& training = config.training;
         return violation_if(
             training.optimizer == OptimizerKind::muon && training.learning_rate == 0,
             {"training.learning_rate", "training.optimizer"},
             "muon_rate moves in proportion to learning_rate, which must be more than 0");
       }},
      {"An `evaluation.metric` of generated outputs needs `evaluation.decode`, and is not for "
       "`text`. `bits_per_byte` and `word_perplexity` are for `text`, `accuracy`, `macro_f1` and "
       "`mcc` for `labelled_text`, `label_f1` and `entity_f1` for `tagged_text`. `bleu`, `chrf`, "
       "`rouge_l`, `token_f1` and `exact_match` are not for `tagged_text`.",
       metric_is_measured},
      {"`evaluation.stride` is for `text` in a decoder, and at most `task.context`.",
       stride_covers},
      {"`training.memory` and `evaluation.memory` are for `text` in a decoder with "
       "`model.positions: none`, without `evaluation.stride`; `model.max_positions` is at least "
       "`task.context` and the memory together.",
       memory_fits},
      {"Options of `evaluation` about outputs keep their defaults if the task or the family does "
       "not use them.",
       unused_by_evaluation},
      {"An option of attention that only some positions use keeps its default if no attention has "
       "such positions.",
       unused_by_positions},
      {"`budget` and `model.d_head` are rejected if `d_qk`, `d_v`, `sharing` or `combine` decide "
       "all widths.",
       unused_widths},
      {"`model.initializer_depth_scale` needs an attention with `combine: output` or a "
       "feed-forward block.",
       unused_depth_scale},
      {"If `model.d_embedding` differs from `model.d_model`, a tied output layer needs "
       "`model.head_transform: masked`.",
       of_model<tied_output_fits>},
      {"`model.layer_groups` is at most the number of layers, and the layers of a group differ "
       "only in pattern and dropout.",
       of_model<layer_groups_fit>},
      {"`model.tie_embeddings` `source_target` and `all` need `task.joint_vocabulary` and "
       "`model.family: encoder_decoder`.",
       tied_share_words},
      {"`model.max_positions` is more than the tokens of the task's longest sequence; in a "
       "decoder, of the longest source and target together. For `text` it is at least "
       "`task.context`.",
       positions_suffice},
  });
  return all;
}

}  // namespace tapehead
