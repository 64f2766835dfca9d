// An option without effect is rejected by name, but a run's stored config is accepted.
#include <variant>

#include "tests/support/config_error.hpp"
#include "tests/support/testing.hpp"
#include "train/config/rows.hpp"

namespace tapehead { namespace {

struct Needed {
  std::string option;     // with a value other than its default
  std::string without;    // the option has no effect with this
  std::string with;       // it has one with this
  std::string only = "";  // values with which it has one; if none are given: ""
  std::string config = "seed: 1\n";
};

std::vector<Needed> needed() {
  const std::string decoder = "model: {family: decoder}\n";
  const std::string encoder = "model: {family: encoder}\n";
  const std::string text = "task: {name: text, train_text: a}\n";
  const std::string labelled = "task: {name: labelled_text, train_tsv: a}\n" + encoder;
  const std::string written = text + decoder;
  const std::string pairs = "task: {name: parallel_text, train_tsv: a, validation_tsv: b}\n";
  std::vector<Needed> all{
      {"training.momentum=0.5", "training.optimizer=adamw", "training.optimizer=sgd", "sgd"},
      {"training.learning_rate_end=1e-4", "training.schedule=constant", "training.schedule=cosine",
       "linear, cosine"},
      {"model.bias_norm=false", "model.norm=rms_norm", "model.norm=layer_norm", "layer_norm"},
      {"model.position_scale=inverse_sqrt_d_model", "model.positions=none",
       "model.positions=learned", "sinusoidal, learned"},
      {"task.separator=x", "task.documents=line", "task.documents=separator", "separator", written},
      {"task.test_share=0.2", "task.test_text=b", "task.test_text=", "", written},
      {"task.validation_share=0.2", "task.validation_text=b", "task.validation_text=", "", written},
      {"task.validation_share=0.2", "task.validation_tsv=b", "task.validation_tsv=", "", labelled},
      {"task.mask_share=0.2", "model.family=decoder", "model.family=encoder", "encoder", text},
      {"task.mask_words=true", "task.tokenizer=word", "task.tokenizer=word_piece",
       "bpe, unigram, byte_bpe, word_piece", text + encoder},
      {"task.mask_words=true", "model.family=decoder", "model.family=encoder", "encoder", text},
      {"task.subword_dropout=0.1", "task.tokenizer=unigram", "task.tokenizer=bpe", "bpe", pairs},
      {"task.subword_dropout=0.1", "task.tokenizer_of=run", "task.tokenizer_of=", "", pairs}};
  for (const std::string option : {"beta1", "beta2", "epsilon"}) {
    all.push_back({"training." + option + "=0.5", "training.optimizer=sgd",
                   "training.optimizer=muon", "adam, adamw, muon"});
  }
  for (const std::string option : {"muon_rate", "muon_momentum"}) {
    all.push_back({"training." + option + "=0.5", "training.optimizer=adam",
                   "training.optimizer=muon", "muon"});
  }
  for (const std::string option :
       {"norm_epsilon=1e-9", "norm_position=post", "embedding_norm=true"}) {
    all.push_back(
        {"model." + option, "model.norm=none", "model.norm=rms_norm", "layer_norm, rms_norm"});
  }
  for (const std::string& task : {written, labelled, pairs}) {
    all.push_back({"task.vocabulary=300", "task.tokenizer=byte", "task.tokenizer=byte_bpe",
                   "word, character, bpe, unigram, byte_bpe, word_piece", task});
    all.push_back({"task.lower_case=true", "task.tokenizer=byte_bpe", "task.tokenizer=word_piece",
                   "word_piece", task});
    all.push_back({"task.character_coverage=0.99", "task.tokenizer=word", "task.tokenizer=unigram",
                   "bpe, unigram", task});
    for (const std::string option :
         {"tokenizer=character", "vocabulary=50", "character_coverage=0.99"}) {
      all.push_back({"task." + option, "task.tokenizer_of=run", "task.tokenizer=bpe", "", task});
    }
  }
  for (const std::string& task : {labelled, pairs}) {
    all.push_back({"task.normalization=nfkc", "task.tokenizer=word", "task.tokenizer=bpe",
                   "bpe, unigram", task});
    all.push_back(
        {"task.normalization=nfkc", "task.tokenizer_of=run", "task.tokenizer=bpe", "", task});
  }
  return all;
}

TEST(ConfigUnused, an_option_needs_the_value_of_another) {
  for (const auto& [option, without, with, only, config] : needed()) {
    SCOPED_TRACE(option + ' ' + without + ' ' + with);
    const std::size_t equals = without.find('=');
    const std::string other = without.substr(0, equals);
    const std::string reason = only.empty() ? "beside " + other
                                            : fmt::format("with {} {} (only with {})", other,
                                                          without.substr(equals + 1), only);
    EXPECT_EQ(config_error(config, {option, without}),
              "--set " + option + ": has no effect " + reason);
    std::vector<std::string> set{option, with};
    if (with == "task.documents=separator") {
      set.emplace_back("task.separator=x");
    }
    EXPECT_EQ(config_error(config, set), "accepted");
    EXPECT_EQ(config_error(config, {without}), "accepted");
  }
  for (const std::string option : {"gains", "biases", "embeddings"}) {
    const std::string set = "training.decay_" + option + "=false";
    const std::string reason = "has no effect while training.weight_decay has its default";
    expect_config_errors({{"{}", "--set " + set, reason, {set, "training.weight_decay=0"}},
                          {"{}", "accepted", "", {set, "training.weight_decay=0.1"}},
                          {"{}", "accepted", "", {"training.weight_decay=0"}}});
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
        const std::string other(when.option);
        if (other.empty()) {
          continue;
        }
        SCOPED_TRACE(name + ' ' + other);
        ASSERT_TRUE(rows.contains(other));
        EXPECT_FALSE(std::holds_alternative<LayeredCell>(row.cell)) << "is not asked";
        EXPECT_FALSE(std::holds_alternative<LayeredCell>(rows.at(other).cell));
        const auto* choice = std::get_if<Choice>(&rows.at(other).cell);
        for (const std::string_view value : when.choices()) {
          ASSERT_NE(choice, nullptr);
          EXPECT_THAT(choice->names, Contains(value));
        }
      }
    }
  }
}

TEST(ConfigUnused, options_of_attentions_need_attentions_that_use_them) {
  const std::string mapless = "model: {feed_forward: none, initializer_depth_scale: true}";
  const std::string wide = "model: {d_head: 9}\n";
  const std::string iso = "attention: {budget: iso_params";
  std::vector<ConfigCase> cases{
      {"attention: {clip: 4}", "1:19: attention.clip",
       "positions that use attention.clip (4; used by relative, relative_keys, transformer_xl)"},
      {"attention: {positions: t5, clip: 4}", "attention.clip", "attention.clip (4"},
      {"attention: {positions: relative, buckets: 8}", "attention.buckets", "(8; used by t5)"},
      {"attention: {positions: alibi, farthest: 64}", "attention.farthest", "(64; used by t5)"},
      {"attention: {clip: 4, positions: relative}", "accepted"},
      {"attention: {clip: 4, positions: relative_keys}", "accepted"},
      {"attention: {clip: 4, positions: transformer_xl}", "accepted"},
      {"attention: {buckets: 8, farthest: 64, positions: t5}", "accepted"},
      {"attention: {rotary_base: 500}", "attention.rotary_base", "(500; used by rotary)"},
      {"attention: {positions: alibi, rotary_pairs: interleaved}", "attention.rotary_pairs",
       "(interleaved; used by rotary)"},

      // Each kind of attention answers for its own section.
      {"encoder_self: {positions: relative}\ndecoder_self: {clip: 4}", "2:22: decoder_self.clip",
       "positions that use decoder_self.clip (4; used by relative, relative_keys, transformer_xl)"},
      {"attention: {positions: relative}\ncross: {clip: 4}", "2:15: cross.clip"},
      {"attention: {positions: relative, clip: 4}", "--set attention.positions=t5",
       "attention.clip (4"},

      // Smaller last maps need a block that ends with a map.
      {mapless, "accepted"},
      {mapless + "\nattention: {combine: mean, d_v: 64}", "1:54: model.initializer_depth_scale",
       "no block ends with a linear layer"},

      // A width of heads needs a budget that asks for it.
      {iso + ", combine: mean}", "accepted"},
      {wide + iso + "}", "1:17: model.d_head", "width from model.d_head (9)"},
      {wide + "attention: {d_qk: 4, d_v: 4}", "1:17: model.d_head"},
      {wide, "accepted"},
      {wide + "attention: {budget: [iso_params, fixed_head_dim]}", "accepted"},
  };
  // A budget needs widths to decide.
  for (const std::string budget :
       {"iso_params, d_qk: 4, d_v: 4", "iso_params, sharing: identity",
        "fixed_head_dim, combine: concatenate", "iso_params, combine: mean, sharing: all"}) {
    cases.push_back(
        {"attention: {budget: " + budget + "}", "1:21: attention.budget", "has no effect"});
    cases.push_back({"cross: {budget: " + budget + "}", "1:17: cross.budget", "has no effect"});
  }
  expect_config_errors(cases);
}

// A stored config writes out every option, also inherited values in the sections of each kind. A
// switch may turn off a feature whose other options stay in the config.
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
        "evaluation: {decode: false, decode_examples: 50}",
        "evaluation: {decode: false, samples: 9}", "cross: {heads: 0, score: cosine}",
        "model: {encoder_layers: 0}\nencoder_self: {heads: 2}",
        "model: {feed_forward: none, d_ff: 8, activation: silu, bias_feed_forward: false}"}) {
    const std::string stored = dump_config(parse_config(text, "a.yaml").config);
    EXPECT_EQ(dump_config(parse_config(stored, "run/config.yaml").config), stored) << text;
  }
}

}}  // namespace tapehead
