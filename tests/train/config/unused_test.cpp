// An option without effect is rejected by name, but a run's stored config is accepted.
#include <variant>

#include "tests/support/config_error.hpp"
#include "tests/support/testing.hpp"
#include "train/config/rows.hpp"

namespace tapehead { namespace {

std::string stored(const std::string& text) {
  return dump_config(parse_config(text, "a.yaml").config);
}

struct Needed {
  std::string option;   // with a value other than its default
  std::string without;  // the option has no effect with this
  std::string reason;
  std::string with;  // the option has an effect with this
  std::string config = "seed: 1\n";
};

std::vector<Needed> needed() {
  const std::string decoder = "model: {family: decoder}\n";
  const std::string encoder = "model: {family: encoder}\n";
  const std::string text = "task: {name: text, train_text: a}\n";
  const std::string labelled = "task: {name: labelled_text, train_tsv: a}\n";
  const std::string pairs = "task: {name: parallel_text, train_tsv: a, validation_tsv: b}\n";
  std::vector<Needed> all{
      {"training.momentum=0.5", "training.optimizer=adamw",
       "with training.optimizer adamw (only with sgd)", "training.optimizer=sgd"},
      {"training.learning_rate_end=1e-4", "training.schedule=constant",
       "with training.schedule constant (only with linear, cosine)", "training.schedule=cosine"},
      {"model.bias_norm=false", "model.norm=rms_norm",
       "with model.norm rms_norm (only with layer_norm)", "model.norm=layer_norm"},
      {"model.position_scale=inverse_sqrt_d_model", "model.positions=none",
       "with model.positions none (only with sinusoidal, learned)", "model.positions=learned"},
      {"task.separator=x", "task.documents=line", "with task.documents line (only with separator)",
       "task.documents=separator", text + decoder},
      {"task.test_share=0.2", "task.test_text=b", "beside task.test_text",
       "task.test_text=", text + decoder},
      {"task.validation_share=0.2", "task.validation_text=b", "beside task.validation_text",
       "task.validation_text=", text + decoder},
      {"task.validation_share=0.2", "task.validation_tsv=b", "beside task.validation_tsv",
       "task.validation_tsv=", labelled + encoder},
      {"task.mask_share=0.2", "model.family=decoder",
       "with model.family decoder (only with encoder)", "model.family=encoder", text},
      {"task.mask_words=true", "task.tokenizer=word",
       "with task.tokenizer word (only with bpe, unigram, byte_bpe, word_piece)",
       "task.tokenizer=word_piece", text + encoder},
      {"task.mask_words=true", "model.family=decoder",
       "with model.family decoder (only with encoder)", "model.family=encoder", text},
      {"task.subword_dropout=0.1", "task.tokenizer=unigram",
       "with task.tokenizer unigram (only with bpe)", "task.tokenizer=bpe", pairs},
      {"task.subword_dropout=0.1", "task.tokenizer_of=run", "beside task.tokenizer_of",
       "task.tokenizer_of=", pairs}};
  for (const std::string option : {"beta1", "beta2", "epsilon"}) {
    all.push_back({"training." + option + "=0.5", "training.optimizer=sgd",
                   "with training.optimizer sgd (only with adam, adamw, muon)",
                   "training.optimizer=muon"});
  }
  for (const std::string option : {"muon_rate", "muon_momentum"}) {
    all.push_back({"training." + option + "=0.5", "training.optimizer=adam",
                   "with training.optimizer adam (only with muon)", "training.optimizer=muon"});
  }
  for (const std::string option : {"decay_gains", "decay_biases", "decay_embeddings"}) {
    all.push_back({"training." + option + "=false", "training.weight_decay=0",
                   "while training.weight_decay has its default", "training.weight_decay=0.1"});
  }
  for (const std::string option :
       {"norm_epsilon=1e-9", "norm_position=post", "embedding_norm=true"}) {
    all.push_back({"model." + option, "model.norm=none",
                   "with model.norm none (only with layer_norm, rms_norm)", "model.norm=rms_norm"});
  }
  for (const std::string& task : {text + decoder, labelled + encoder, pairs}) {
    all.push_back({"task.vocabulary=300", "task.tokenizer=byte",
                   "with task.tokenizer byte (only with word, character, bpe, unigram, byte_bpe, "
                   "word_piece)",
                   "task.tokenizer=byte_bpe", task});
    all.push_back({"task.lower_case=true", "task.tokenizer=byte_bpe",
                   "with task.tokenizer byte_bpe (only with word_piece)",
                   "task.tokenizer=word_piece", task});
    all.push_back({"task.character_coverage=0.99", "task.tokenizer=word",
                   "with task.tokenizer word (only with bpe, unigram)", "task.tokenizer=unigram",
                   task});
    for (const std::string option :
         {"tokenizer=character", "vocabulary=50", "character_coverage=0.99"}) {
      all.push_back({"task." + option, "task.tokenizer_of=run", "beside task.tokenizer_of",
                     "task.tokenizer=bpe", task});
    }
  }
  for (const std::string& task : {labelled + encoder, pairs}) {
    all.push_back({"task.normalization=nfkc", "task.tokenizer=word",
                   "with task.tokenizer word (only with bpe, unigram)", "task.tokenizer=bpe",
                   task});
    all.push_back({"task.normalization=nfkc", "task.tokenizer_of=run", "beside task.tokenizer_of",
                   "task.tokenizer=bpe", task});
  }
  return all;
}

TEST(ConfigUnused, an_option_needs_the_value_of_another) {
  for (const auto& [option, without, reason, with, config] : needed()) {
    EXPECT_EQ(config_error(config, {option, without}),
              "--set " + option + ": has no effect " + reason);
    std::vector<std::string> set{option, with};
    if (with == "task.documents=separator") {
      set.emplace_back("task.separator=x");
    }
    EXPECT_EQ(config_error(config, set), "accepted") << option << ' ' << with;
    EXPECT_EQ(config_error(config, {without}), "accepted") << without;
  }
}

// The options and values that a requirement names must exist.
TEST(ConfigUnused, what_options_need_exists) {
  for (const TaskKind* task : task_kinds()) {
    Config config = config_for(*task);
    std::map<std::string, Row> rows;
    for (const Section& section : sections(config)) {
      for (const Row& row : section.rows) {
        rows.emplace(full_name(section.name, row.field.name), row);
      }
    }
    for (const auto& [name, row] : rows) {
      for (const When& when : row.field.when) {
        if (when.option.empty()) {
          continue;
        }
        EXPECT_FALSE(std::holds_alternative<LayeredCell>(row.cell)) << name << " is not asked";
        ASSERT_TRUE(rows.contains(std::string(when.option))) << name << ' ' << when.option;
        EXPECT_FALSE(std::holds_alternative<LayeredCell>(rows.at(std::string(when.option)).cell));
        const auto* choice = std::get_if<Choice>(&rows.at(std::string(when.option)).cell);
        for (const std::string_view value : when.choices()) {
          ASSERT_NE(choice, nullptr) << name;
          EXPECT_THAT(choice->names, Contains(value)) << name;
        }
      }
    }
  }
}

TEST(ConfigUnused, options_of_positions_need_the_positions) {
  EXPECT_EQ(config_error("attention: {clip: 4}"),
            "a.yaml:1:19: attention.clip: no attention has positions that use attention.clip (4; "
            "only relative, relative_keys, transformer_xl)");
  EXPECT_THAT(config_error("attention: {positions: t5, clip: 4}"), HasSubstr("attention.clip (4"));
  EXPECT_THAT(config_error("attention: {positions: relative, buckets: 8}"),
              HasSubstr("attention.buckets (8; only t5)"));
  EXPECT_THAT(config_error("attention: {positions: alibi, farthest: 64}"),
              HasSubstr("attention.farthest (64; only t5)"));
  for (const std::string positions : {"relative", "relative_keys", "transformer_xl"}) {
    EXPECT_EQ(config_error("attention: {clip: 4, positions: " + positions + "}"), "accepted");
  }
  EXPECT_EQ(config_error("attention: {buckets: 8, farthest: 64, positions: t5}"), "accepted");
  EXPECT_EQ(config_error("attention: {clip: 4, positions: [none, relative]}"), "accepted");
}

TEST(ConfigUnused, options_of_rotary_positions_need_them) {
  EXPECT_THAT(config_error("attention: {rotary_base: 500}"),
              HasSubstr("attention.rotary_base (500; only rotary)"));
  EXPECT_THAT(config_error("attention: {positions: alibi, rotary_pairs: interleaved}"),
              HasSubstr("attention.rotary_pairs (interleaved; only rotary)"));
  EXPECT_EQ(config_error("attention: {positions: rotary, rotary_base: 500, rotary_pairs: "
                         "interleaved}"),
            "accepted");
}

TEST(ConfigUnused, smaller_last_maps_need_such_maps) {
  const std::string model = "model: {feed_forward: none, initializer_depth_scale: true}";
  EXPECT_EQ(config_error(model), "accepted");
  EXPECT_THAT(config_error(model + "\nattention: {combine: mean, d_v: 64}"),
              StartsWith("a.yaml:1:54: model.initializer_depth_scale: no block ends with a map"));
}

TEST(ConfigUnused, each_kind_of_attention_answers_for_its_own_section) {
  EXPECT_EQ(config_error("encoder_self: {positions: relative}\ndecoder_self: {clip: 4}"),
            "a.yaml:2:22: decoder_self.clip: no attention has positions that use decoder_self.clip "
            "(4; only relative, relative_keys, transformer_xl)");
  EXPECT_THAT(config_error("attention: {positions: relative}\ncross: {clip: 4}"),
              StartsWith("a.yaml:2:15: cross.clip: "));
  EXPECT_EQ(config_error("encoder_self: {positions: relative}\nattention: {clip: 4}"), "accepted");
  EXPECT_THAT(config_error("attention: {positions: relative, clip: 4}", {"attention.positions=t5"}),
              AllOf(StartsWith("--set attention.positions=t5: "), HasSubstr("attention.clip (4")));
}

TEST(ConfigUnused, a_budget_needs_widths_to_decide) {
  for (const std::string attention :
       {"budget: iso_params, d_qk: 4, d_v: 4", "budget: iso_params, sharing: identity",
        "budget: fixed_head_dim, combine: concatenate",
        "budget: iso_params, combine: mean, sharing: all"}) {
    EXPECT_THAT(config_error("attention: {" + attention + "}"),
                StartsWith("a.yaml:1:21: attention.budget: budget has no effect"))
        << attention;
    EXPECT_THAT(config_error("cross: {" + attention + "}"),
                StartsWith("a.yaml:1:17: cross.budget: budget has no effect"))
        << attention;
  }
  EXPECT_EQ(config_error("attention: {budget: iso_params, d_qk: 4}"), "accepted");
  EXPECT_EQ(config_error("attention: {budget: iso_params, combine: mean}"), "accepted");
  EXPECT_EQ(config_error("attention: {budget: iso_params, sharing: [identity, none]}"), "accepted");
}

TEST(ConfigUnused, a_width_of_heads_needs_a_budget_that_asks_for_it) {
  EXPECT_EQ(config_error("model: {d_head: 9}\nattention: {budget: iso_params}"),
            "a.yaml:1:17: model.d_head: no attention has its width from model.d_head (9)");
  EXPECT_THAT(config_error("model: {d_head: 9}\nattention: {d_qk: 4, d_v: 4}"),
              StartsWith("a.yaml:1:17: model.d_head: "));
  EXPECT_EQ(config_error("model: {d_head: 9}"), "accepted");
  EXPECT_EQ(config_error("model: {d_head: 9}\nattention: {budget: fixed_head_dim}"), "accepted");
  EXPECT_EQ(config_error("model: {d_head: 9}\nattention: {budget: [iso_params, fixed_head_dim]}"),
            "accepted");
  EXPECT_EQ(config_error("model: {d_head: 9}\nattention: {budget: iso_params}\n"
                         "cross: {budget: fixed_head_dim}"),
            "accepted");
}

// A stored config writes out every option, also inherited values in the sections of each kind.
TEST(ConfigUnused, what_a_run_stores_loads_again) {
  for (const std::string text :
       {"seed: 1", "attention: {clip: 4, positions: [none, relative]}",
        "encoder_self: {positions: relative}\nattention: {clip: 4}",
        "decoder_self: {positions: t5, farthest: 64}\nattention: {buckets: 8}",
        "attention: {clip: [4, 8], positions: [relative, none]}",
        "model: {d_head: 9}\nattention: {budget: fixed_head_dim}",
        "model: {d_head: 9}\nattention: {budget: iso_params}\ncross: {budget: fixed_head_dim}",
        "attention: {budget: iso_params, d_qk: 4}", "model: {encoder_layers: 0}",
        "attention: {budget: iso_params, sharing: [identity, none]}", "cross: {heads: 0}",
        "model: {feed_forward: none}", "model: {feed_forward: gated, activation: silu}",
        "attention: {positions: rotary, rotary_base: 500, rotary_pairs: interleaved}",
        "evaluation: {decode: false, decode_examples: 50}"}) {
    EXPECT_EQ(config_error(stored(text)), "accepted") << text;
  }
}

// A switch may turn off a feature whose other options stay in the config.
TEST(ConfigUnused, a_switch_leaves_what_it_turns_off) {
  for (const std::string text :
       {"evaluation: {decode: false, samples: 9}", "cross: {heads: 0, score: cosine}",
        "model: {encoder_layers: 0}\nencoder_self: {heads: 2}",
        "model: {feed_forward: none, d_ff: 8, activation: silu, bias_feed_forward: false}"}) {
    EXPECT_EQ(config_error(text), "accepted") << text;
  }
}

}}  // namespace tapehead
