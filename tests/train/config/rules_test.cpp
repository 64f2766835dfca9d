// Contradicting options of model and training are rejected, at the place of the option to change.
#include "tests/support/config_error.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

const std::string encoder_alone = "model: {family: encoder}\n";
const std::string decoder_alone = "model: {family: decoder}\n";
const std::string labelled_task = "task: {name: labelled_text, train_tsv: a}\n";

TEST(ConfigRules, the_option_to_change_is_named) {
  const std::string factored = "model: {d_model: 64, d_embedding: 16, tie_embeddings: ";
  const std::string grouped = "model: {layers: 4, layer_groups: 2}\n";
  expect_config_errors({
      {"model:\n  d_model: 64\n  heads: 7\n", "3:10: model.heads", "(7 heads, d_model 64)"},
      {"model: {heads: 7, d_head: 9}", "accepted"},
      {"model: {d_model: 7, heads: 1}", "accepted"},
      {"model: {d_model: 70}", "1:18: model.d_model", "heads"},

      // An output layer that is the embedding is as wide as it.
      {factored + "target_output}", "1:55: model.tie_embeddings",
       "(64 columns, model.d_embedding 16)"},
      {factored + "all, head_transform: pooler}", "1:55: model.tie_embeddings", "an output layer"},
      {factored + "all, head_transform: masked}", "accepted"},
      {factored + "source_target}", "accepted"},
      {"model: {d_embedding: 64, tie_embeddings: all}", "accepted"},

      // The layers of a group have the same weights.
      {"model: {layers: 3, layer_groups: 4}", "1:34: model.layer_groups", "(4; allowed: 1 to 3)"},
      {"model: {layers: 2, encoder_layers: 4, layer_groups: 3}", "accepted"},
      {grouped + "cross: {heads: [4, 4, 2, 4]}", "1:34: model.layer_groups", "cross in layer 3"},
      {grouped + "cross: {heads: [4, 4, 2, 2]}", "accepted"},
      {grouped + "attention: {pattern: [full, causal, full, window 2]}", "accepted"},
      {grouped + "encoder_self: {shared_as: [a, b, a, a]}", "1:34: model.layer_groups", "weights"},
      {grouped + "encoder_self: {shared_as: a}", "accepted"},

      // The learning rate: the warmup ends before the run, falling schedules have an end.
      {"training: {warmup: 100, steps: 100}", "1:20: training.warmup", "(warmup 100, steps 100)"},
      {"training: {warmup: 99, steps: 100}", "accepted"},
      {"training: {warmup: 100, epochs: 1}", "accepted"},
      {"training: {schedule: cosine, minutes: 1}", "1:22: training.schedule", "need a last step"},
      {"training: {schedule: cosine, minutes: 1, epochs: 2}", "accepted"},
      {"training: {schedule: linear}", "accepted"},
      {"training: {schedule: inverse_sqrt, minutes: 1}", "accepted"},
      {"training: {schedule: linear, learning_rate_end: 1e-2}", "1:49: training.learning_rate_end",
       "(0.01; learning_rate 0.001)"},
      {"training: {schedule: noam}", "1:22: training.schedule", "needs a warmup"},
      {"training: {schedule: noam, warmup: 10}", "accepted"},
      {"training: {optimizer: muon, learning_rate: 0}", "1:44: training.learning_rate",
       "muon_rate moves in proportion"},
      {"training: {optimizer: adamw, learning_rate: 0}", "accepted"},

      // Options of gates need gates.
      {"training: {gate_penalty: 0.1}", "1:26: training.gate_penalty", "set attention.gates: l0"},
      {"training: {gate_rate: 3}", "1:23: training.gate_rate", "no attention has gates"},
      {"training: {gate_penalty: 0.1}\ncross: {gates: [none, l0]}", "accepted"},
      {"attention: {gates: l0}", "accepted"},

      // Positions reach the longest sequence. Without a position embedding, decoding ends there.
      {"model: {positions: learned, max_positions: 10}", "1:44: model.max_positions",
       "too few positions for 10 "},
      {"model: {positions: learned, max_positions: 11}", "accepted"},
      {"model: {max_positions: 10}", "1:24: model.max_positions", "too few positions for 10 "},
      {"task: {name: recall, max_gap: 1015}", "1:31: task.max_gap", "positions for 1024 "},
      {"task: {name: brackets, max_pairs: 512}", "1:35: task.max_pairs", "positions for 1024 "},
      {"model: {positions: none, max_positions: 10}", "1:41: model.max_positions",
       "too few positions for 10 "},

      // Metrics of outputs need outputs.
      {"evaluation: {decode: false, metric: sequence_accuracy}", "1:37: evaluation.metric"},
      {"evaluation: {decode: false, metric: bleu}", "1:37: evaluation.metric"},
      {"evaluation: {decode: false, metric: chrf}", "1:37: evaluation.metric"},
      {"evaluation: {decode: false, metric: token_accuracy}", "accepted"},
  });
}

TEST(ConfigRules, a_family_has_no_options_of_other_parts) {
  const std::string vocabularies =
      "task: {name: parallel_text, train_tsv: a, validation_tsv: b, joint_vocabulary: false}\n";
  const std::string classes = labelled_task + "model: {family: encoder, ";
  const std::string unmarked = "task: {name: text, train_text: a, begin_mark: false";
  const std::string masked = "task: {name: text, train_text: a, mask_words: true}\n";
  const std::string prefix = "model: {family: decoder, prefix: full}\n";
  expect_config_errors({
      {encoder_alone, "accepted"},
      {encoder_alone + "decoder_self: {kv_heads: 1}", "2:26: decoder_self.kv_heads",
       "only an encoder"},
      {"model: {family: encoder, decoder_layers: 1}", "1:42: model.decoder_layers",
       "only an encoder"},
      {"model: {decoder_layers: 0}", "1:25: model.decoder_layers", "has one layer or more"},
      {decoder_alone, "accepted"},
      {decoder_alone + "cross: {kv_heads: 1}", "2:19: cross.kv_heads", "only a decoder has no"},
      {decoder_alone + "encoder_self: {positions: alibi}", "2:27: encoder_self.positions",
       "only a decoder"},
      {decoder_alone + "decoder_self: {kv_heads: 1}", "accepted"},
      {"model: {family: decoder, encoder_layers: 1}", "1:42: model.encoder_layers",
       "only a decoder"},

      // Tied embeddings share a vocabulary, and one sequence has one vocabulary.
      {"model: {family: decoder, tie_embeddings: all}", "1:42: model.tie_embeddings",
       "one embedding"},
      {"model: {family: decoder, tie_embeddings: target_output}", "accepted"},
      {vocabularies + "model: {tie_embeddings: all}", "2:25: model.tie_embeddings"},
      {vocabularies + "model: {tie_embeddings: source_target}", "2:25: model.tie_embeddings"},
      {vocabularies + "model: {tie_embeddings: target_output}", "accepted"},
      {"task: {name: parallel_text, train_source: a, train_target: b, validation_source: c, "
       "validation_target: d, max_length: 30, joint_vocabulary: false}\n" +
           decoder_alone,
       "1:141: task.joint_vocabulary", "source and target"},
      {"task: {max_length: 10}\nmodel: {family: decoder, max_positions: 21}", "accepted"},
      {"task: {max_length: 10}\nmodel: {family: decoder, max_positions: 20}",
       "2:41: model.max_positions", "positions for 20 tokens"},

      // Classes need one stack and an output of their own.
      {labelled_task, "task.name", "a classifier is an encoder or a decoder, not both"},
      {labelled_task + encoder_alone, "accepted"},
      {labelled_task + decoder_alone, "accepted"},
      {classes + "tie_embeddings: target_output}", "2:42: model.tie_embeddings", "classes"},
      {classes + "max_positions: 257}", "2:41: model.max_positions",
       "texts of 256 tokens and their marks (257; allowed: 258 or more)"},

      // A begin mark is left out only where documents have one.
      {unmarked + "}\n" + decoder_alone, "accepted"},
      {unmarked + "}\n" + encoder_alone, "task.begin_mark", "in front of each window"},
      {unmarked + ", stream: true}\n" + decoder_alone, "task.begin_mark", "in a stream"},
      {unmarked + "}\nmodel: {family: decoder, positions: none, max_positions: 2048}\n"
                  "training: {memory: 8}",
       "task.begin_mark", "with a memory"},

      // Masks are for encoders; samples, strides and beams are not.
      {masked + encoder_alone, "accepted"},
      {masked + encoder_alone + "evaluation: {samples: 1}", "3:23: evaluation.samples",
       "writes no"},
      {masked + encoder_alone + "evaluation: {stride: 8}", "3:22: evaluation.stride",
       "masked tokens"},
      {encoder_alone + "evaluation: {beam: 3}", "2:20: evaluation.beam", "its labels in one pass"},

      // A prefix needs a decoder that reads the source, and patterns that are ranges.
      {"model: {prefix: full}", "1:17: model.prefix", "only a decoder that reads the source"},
      {prefix + "attention: {pattern: [[window 3, full, causal, full]]}", "accepted"},
      {prefix + "attention: {pattern: strided 4}", "2:22: attention.pattern"},
      {prefix + "attention: {pattern: blocks 3}", "2:22: attention.pattern"},
      {prefix + "attention: {pattern: fixed 4 1}", "2:22: attention.pattern"},
      {prefix + "attention: {pattern: top_k 2}", "2:22: attention.pattern"},
  });
}

// It is to blame before the file, and for what it makes of an option of the file or of a preset.
TEST(ConfigRules, the_command_line_is_to_blame_for_what_it_makes_of_an_option_of_the_file) {
  expect_config_errors({
      {"model: {heads: 4}", "--set model.d_model=70", "(4 heads"},
      {"model: {d_model: 64}", "--set model.heads=7", "must divide d_model"},
      {"training: {optimizer: sgd, momentum: 0.5}",
       "--set training.optimizer=adamw: a.yaml:1:38: training.momentum",
       "has no effect with training.optimizer adamw (only with sgd)"},
      {"task: {name: text, train_text: a, vocabulary: 300}\n" + decoder_alone,
       "--set task.tokenizer_of=r: a.yaml:1:47: task.vocabulary", "has no effect"},
      {"training: {optimizer: sgd}",
       "--set training.momentum=0.5",
       "has no effect with training.optimizer adamw (only with sgd)",
       {"training.momentum=0.5", "training.optimizer=adamw"}},
      {labelled_task + "model: {preset: bert, family: encoder}",
       "--set model.norm=none: preset bert: model.norm_epsilon", "has no "},
  });
}

// These values mean the same as `auto`, which weights from before these options have.
TEST(ConfigRules, a_value_that_says_what_auto_does_is_auto) {
  const ModelOptions model =
      parse_config("model: {d_model: 64, d_embedding: 64, layers: 3, layer_groups: 3}", "a.yaml")
          .config.model;
  EXPECT_FALSE(model.d_embedding.has_value());
  EXPECT_FALSE(model.layer_groups.has_value());
}

}}  // namespace tapehead
