// Contradicting options of model and training are rejected, at the place of the option to change.
#include "tests/support/config_error.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

TEST(ConfigRules, heads_divide_the_width) {
  EXPECT_EQ(config_error("model:\n  d_model: 64\n  heads: 7\n"),
            "a.yaml:3:10: model.heads: heads must divide d_model (7 heads, d_model 64); change one "
            "of them, or give model.d_head");
  EXPECT_EQ(config_error("model: {heads: 7, d_head: 9}"), "accepted");
  EXPECT_EQ(config_error("model: {d_model: 7, heads: 1}"), "accepted");
}

TEST(ConfigRules, the_command_line_is_to_blame_before_the_file_and_a_default_never) {
  EXPECT_THAT(config_error("model: {heads: 4}", {"model.d_model=70"}),
              StartsWith("--set model.d_model=70: heads must divide d_model (4 heads"));
  EXPECT_THAT(config_error("model: {d_model: 64}", {"model.heads=7"}),
              StartsWith("--set model.heads=7: heads must divide d_model"));
  EXPECT_THAT(config_error("model: {d_model: 70}"),
              StartsWith("a.yaml:1:18: model.d_model: heads"));
}

TEST(ConfigRules, the_command_line_is_to_blame_for_what_it_makes_of_an_option_of_the_file) {
  EXPECT_EQ(config_error("training: {optimizer: sgd, momentum: 0.5}", {"training.optimizer=adamw"}),
            "--set training.optimizer=adamw: a.yaml:1:38: training.momentum: has no effect with "
            "training.optimizer adamw (only with sgd)");
  EXPECT_THAT(config_error("task: {name: text, train_text: a, vocabulary: 300}\n"
                           "model: {family: decoder}",
                           {"task.tokenizer_of=r"}),
              StartsWith("--set task.tokenizer_of=r: a.yaml:1:47: task.vocabulary: has no effect"));
  EXPECT_EQ(config_error("training: {optimizer: sgd}",
                         {"training.momentum=0.5", "training.optimizer=adamw"}),
            "--set training.momentum=0.5: has no effect with training.optimizer adamw (only with "
            "sgd)");
}

TEST(ConfigRules, the_option_of_a_preset_that_does_not_fit_is_named) {
  const std::string bert =
      "task: {name: labelled_text, train_tsv: a}\nmodel: {preset: bert, family: encoder}";
  EXPECT_THAT(config_error(bert, {"model.norm=none"}),
              StartsWith("--set model.norm=none: preset bert: model.norm_epsilon: has no "));
}

TEST(ConfigRules, an_output_layer_that_is_the_embedding_is_as_wide) {
  const std::string model = "model: {d_model: 64, d_embedding: 16, tie_embeddings: ";
  EXPECT_EQ(config_error(model + "target_output}"),
            "a.yaml:1:55: model.tie_embeddings: an output layer that is the embedding needs rows "
            "as wide as it (64 columns, model.d_embedding 16); set model.head_transform: masked, "
            "or leave out model.d_embedding");
  EXPECT_THAT(config_error(model + "all, head_transform: pooler}"),
              StartsWith("a.yaml:1:55: model.tie_embeddings: an output layer"));
  EXPECT_EQ(config_error(model + "all, head_transform: masked}"), "accepted");
  EXPECT_EQ(config_error(model + "source_target}"), "accepted");
  EXPECT_EQ(config_error("model: {d_embedding: 64, tie_embeddings: all}"), "accepted");
}

TEST(ConfigRules, layers_of_a_group_can_have_the_same_weights) {
  EXPECT_EQ(config_error("model: {layers: 3, layer_groups: 4}"),
            "a.yaml:1:34: model.layer_groups: there are fewer layers than groups (4; allowed: 1 to "
            "3)");
  EXPECT_EQ(config_error("model: {layers: 2, encoder_layers: 4, layer_groups: 3}"), "accepted");
  const std::string model = "model: {layers: 4, layer_groups: 2}\n";
  EXPECT_EQ(config_error(model + "cross: {heads: [4, 4, 2, 4]}"),
            "a.yaml:1:34: model.layer_groups: layers that share weights may differ only in pattern "
            "and dropout, but cross in layer 3 differs from layer 2 in more");
  EXPECT_EQ(config_error(model + "cross: {heads: [4, 4, 2, 2]}"), "accepted");
  EXPECT_EQ(config_error(model + "attention: {pattern: [full, causal, full, window 2]}"),
            "accepted");
  EXPECT_THAT(config_error(model + "encoder_self: {shared_as: [a, b, a, a]}"),
              StartsWith("a.yaml:1:34: model.layer_groups: layers that share weights"));
  EXPECT_EQ(config_error(model + "encoder_self: {shared_as: a}"), "accepted");
}

// These values mean the same as `auto`, which weights from before these options have.
TEST(ConfigRules, a_value_that_says_what_auto_does_is_auto) {
  const ModelOptions model =
      parse_config("model: {d_model: 64, d_embedding: 64, layers: 3, layer_groups: 3}", "a.yaml")
          .config.model;
  EXPECT_FALSE(model.d_embedding.has_value());
  EXPECT_FALSE(model.layer_groups.has_value());
}

TEST(ConfigRules, the_warmup_ends_before_the_run) {
  EXPECT_EQ(config_error("training: {warmup: 100, steps: 100}"),
            "a.yaml:1:20: training.warmup: the warmup must end before the run does (warmup 100, "
            "steps 100)");
  EXPECT_EQ(config_error("training: {warmup: 99, steps: 100}"), "accepted");
  EXPECT_EQ(config_error("training: {warmup: 100, epochs: 1}"), "accepted");
}

TEST(ConfigRules, options_of_gates_need_gates) {
  EXPECT_EQ(config_error("training: {gate_penalty: 0.1}"),
            "a.yaml:1:26: training.gate_penalty: no attention has gates to train; set "
            "attention.gates: l0 too");
  EXPECT_THAT(config_error("training: {gate_rate: 3}"),
              StartsWith("a.yaml:1:23: training.gate_rate: no attention has gates"));
  EXPECT_EQ(config_error("training: {gate_penalty: 0.1}\ncross: {gates: [none, l0]}"), "accepted");
  EXPECT_EQ(config_error("attention: {gates: l0}"), "accepted");
}

TEST(ConfigRules, falling_schedules_have_an_end) {
  EXPECT_THAT(config_error("training: {schedule: cosine, minutes: 1}"),
              StartsWith("a.yaml:1:22: training.schedule: linear and cosine need a last step"));
  EXPECT_EQ(config_error("training: {schedule: cosine, minutes: 1, epochs: 2}"), "accepted");
  EXPECT_EQ(config_error("training: {schedule: linear}"), "accepted");
  EXPECT_EQ(config_error("training: {schedule: inverse_sqrt, minutes: 1}"), "accepted");
}

TEST(ConfigRules, a_learning_rate_ends_below_its_highest_value) {
  EXPECT_THAT(config_error("training: {schedule: linear, learning_rate_end: 1e-2}"),
              StartsWith("a.yaml:1:49: training.learning_rate_end: the learning rate must not end "
                         "above its highest value (0.01; learning_rate 0.001)"));
}

TEST(ConfigRules, noam_needs_a_warmup) {
  EXPECT_THAT(config_error("training: {schedule: noam}"),
              StartsWith("a.yaml:1:22: training.schedule: the noam schedule needs a warmup"));
  EXPECT_EQ(config_error("training: {schedule: noam, warmup: 10}"), "accepted");
}

TEST(ConfigRules, muon_needs_a_learning_rate_to_follow) {
  EXPECT_THAT(config_error("training: {optimizer: muon, learning_rate: 0}"),
              StartsWith("a.yaml:1:44: training.learning_rate: muon_rate moves in proportion"));
  EXPECT_EQ(config_error("training: {optimizer: adamw, learning_rate: 0}"), "accepted");
}

TEST(ConfigRules, a_metric_of_outputs_needs_outputs) {
  for (const auto* metric : {"sequence_accuracy", "bleu", "chrf"}) {
    const std::string text = std::string("evaluation: {decode: false, metric: ") + metric + "}";
    EXPECT_THAT(config_error(text), StartsWith("a.yaml:1:37: evaluation.metric: "));
  }
  EXPECT_EQ(config_error("evaluation: {decode: false, metric: token_accuracy}"), "accepted");
}

TEST(ConfigRules, tied_embeddings_share_a_vocabulary) {
  const std::string text =
      "task: {name: parallel_text, train_tsv: a, validation_tsv: b, joint_vocabulary: false}\n";
  for (const std::string tied : {"all", "source_target"}) {
    EXPECT_THAT(config_error(text + "model: {tie_embeddings: " + tied + "}"),
                StartsWith("a.yaml:2:25: model.tie_embeddings: "));
  }
  EXPECT_EQ(config_error(text + "model: {tie_embeddings: target_output}"), "accepted");
}

TEST(ConfigRules, positions_reach_the_longest_sequence) {
  EXPECT_THAT(config_error("model: {positions: learned, max_positions: 10}"),
              StartsWith("a.yaml:1:44: model.max_positions: too few positions for 10 "));
  EXPECT_EQ(config_error("model: {positions: learned, max_positions: 11}"), "accepted");
  EXPECT_THAT(config_error("model: {max_positions: 10}"),
              StartsWith("a.yaml:1:24: model.max_positions: too few positions for 10 "));
  EXPECT_THAT(config_error("task: {name: recall, max_gap: 1015}"),
              StartsWith("a.yaml:1:31: task.max_gap: too few positions for 1024 "));
  EXPECT_THAT(config_error("task: {name: brackets, max_pairs: 512}"),
              StartsWith("a.yaml:1:35: task.max_pairs: too few positions for 1024 "));
  // The limit also applies without a position embedding: decoding ends there.
  EXPECT_THAT(config_error("model: {positions: none, max_positions: 10}"),
              StartsWith("a.yaml:1:41: model.max_positions: too few positions for 10 "));
}

TEST(ConfigRules, an_encoder_alone_has_no_options_of_other_parts) {
  EXPECT_EQ(config_error("model: {family: encoder}"), "accepted");
  EXPECT_THAT(config_error("model: {family: encoder}\ndecoder_self: {kv_heads: 1}"),
              StartsWith("a.yaml:2:26: decoder_self.kv_heads: a model that is only an encoder"));
  EXPECT_THAT(config_error("model: {family: encoder, decoder_layers: 1}"),
              StartsWith("a.yaml:1:42: model.decoder_layers: a model that is only an encoder"));
  EXPECT_THAT(config_error("model: {decoder_layers: 0}"),
              StartsWith("a.yaml:1:25: model.decoder_layers: a decoder has one layer or more"));
}

TEST(ConfigRules, classes_need_one_stack_and_an_output_of_their_own) {
  const std::string task = "task: {name: labelled_text, train_tsv: a}\n";
  EXPECT_THAT(config_error(task),
              HasSubstr("task.name: a class is no target that a decoder could write"));
  EXPECT_EQ(config_error(task + "model: {family: encoder}"), "accepted");
  EXPECT_EQ(config_error(task + "model: {family: decoder}"), "accepted");
  EXPECT_THAT(config_error(task + "model: {family: encoder, tie_embeddings: target_output}"),
              StartsWith("a.yaml:2:42: model.tie_embeddings: the outputs are classes"));
  EXPECT_THAT(config_error(task + "model: {family: encoder, max_positions: 257}"),
              StartsWith("a.yaml:2:41: model.max_positions: too few positions for texts of 256 "
                         "tokens and their marks (257; allowed: 258 or more)"));
}

TEST(ConfigRules, a_begin_mark_is_left_out_only_where_documents_have_one) {
  const std::string text = "task: {name: text, train_text: a, begin_mark: false";
  EXPECT_EQ(config_error(text + "}\nmodel: {family: decoder}"), "accepted");
  EXPECT_THAT(config_error(text + "}\nmodel: {family: encoder}"),
              HasSubstr("task.begin_mark: an encoder reads a begin mark in front of each window"));
  EXPECT_THAT(config_error(text + ", stream: true}\nmodel: {family: decoder}"),
              HasSubstr("task.begin_mark: in a stream, the text begins with a begin mark"));
  EXPECT_THAT(config_error(text + "}\nmodel: {family: decoder, positions: none, max_positions: "
                                  "2048}\ntraining: {memory: 8}"),
              HasSubstr("task.begin_mark: with a memory, the text begins with a begin mark"));
}

TEST(ConfigRules, masks_and_samples_are_for_the_family_that_has_them) {
  const std::string text = "task: {name: text, train_text: a, mask_words: true}\n";
  EXPECT_EQ(config_error(text + "model: {family: encoder}"), "accepted");
  EXPECT_THAT(config_error(text + "model: {family: encoder}\nevaluation: {samples: 1}"),
              StartsWith("a.yaml:3:23: evaluation.samples: a masked language model writes no"));
  EXPECT_THAT(config_error(text + "model: {family: encoder}\nevaluation: {stride: 8}"),
              StartsWith("a.yaml:3:22: evaluation.stride: an encoder predicts masked tokens"));
  EXPECT_THAT(config_error("model: {family: encoder}\nevaluation: {beam: 3}"),
              StartsWith("a.yaml:2:20: evaluation.beam: the model gives its labels in one pass"));
}

TEST(ConfigRules, a_decoder_alone_has_no_options_of_other_parts) {
  EXPECT_EQ(config_error("model: {family: decoder}"), "accepted");
  EXPECT_THAT(config_error("model: {family: decoder}\ncross: {kv_heads: 1}"),
              StartsWith("a.yaml:2:19: cross.kv_heads: a model that is only a decoder has no"));
  EXPECT_THAT(config_error("model: {family: decoder}\nencoder_self: {positions: alibi}"),
              StartsWith("a.yaml:2:27: encoder_self.positions: a model that is only a decoder"));
  EXPECT_EQ(config_error("model: {family: decoder}\ndecoder_self: {kv_heads: 1}"), "accepted");
  EXPECT_THAT(config_error("model: {family: decoder, encoder_layers: 1}"),
              StartsWith("a.yaml:1:42: model.encoder_layers: a model that is only a decoder"));
  EXPECT_THAT(config_error("model: {family: decoder, tie_embeddings: all}"),
              StartsWith("a.yaml:1:42: model.tie_embeddings: there is one embedding"));
  EXPECT_EQ(config_error("model: {family: decoder, tie_embeddings: target_output}"), "accepted");
}

TEST(ConfigRules, a_prefix_needs_a_decoder_that_reads_the_source) {
  EXPECT_THAT(config_error("model: {prefix: full}"),
              StartsWith("a.yaml:1:17: model.prefix: only a decoder that reads the source itself"));
  const std::string decoder = "model: {family: decoder, prefix: full}\n";
  EXPECT_EQ(config_error(decoder + "attention: {pattern: [[window 3, full, causal, full]]}"),
            "accepted");
  for (const std::string pattern : {"strided 4", "blocks 3", "fixed 4 1", "top_k 2"}) {
    EXPECT_THAT(config_error(decoder + "attention: {pattern: " + pattern + "}"),
                StartsWith("a.yaml:2:22: attention.pattern: "));
  }
}

TEST(ConfigRules, one_sequence_has_one_vocabulary_and_room_for_both_sides) {
  const std::string text =
      "task: {name: parallel_text, train_source: a, train_target: b, validation_source: c, "
      "validation_target: d, max_length: 30, joint_vocabulary: false}\n";
  EXPECT_THAT(config_error(text + "model: {family: decoder}"),
              StartsWith("a.yaml:1:141: task.joint_vocabulary: a decoder reads source and target"));
  EXPECT_EQ(config_error("task: {max_length: 10}\nmodel: {family: decoder, max_positions: 21}"),
            "accepted");
  EXPECT_THAT(config_error("task: {max_length: 10}\nmodel: {family: decoder, max_positions: 20}"),
              StartsWith("a.yaml:2:41: model.max_positions: too few positions for 20 tokens"));
}

}}  // namespace tapehead
