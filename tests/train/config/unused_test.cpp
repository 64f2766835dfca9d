// An option that nothing uses is refused by its name, and what a run stores is not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/config_error.hpp"

namespace tapehead { namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string stored(const std::string& text) {
  return dump_config(parse_config(text, "a.yaml").config);
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

TEST(ConfigUnused, a_norm_without_a_bias_needs_no_word_for_it) {
  EXPECT_EQ(config_error("model: {norm: rms_norm, bias_norm: false}"),
            "a.yaml:1:36: model.bias_norm: rms_norm never has a bias; leave out model.bias_norm");
  EXPECT_EQ(config_error("model: {bias_norm: false}"), "accepted");
}

TEST(ConfigUnused, a_scale_of_positions_needs_positions_in_the_embedding) {
  const std::string scale = "model: {position_scale: inverse_sqrt_d_model, positions: ";
  EXPECT_THAT(config_error(scale + "none}"),
              StartsWith("a.yaml:1:25: model.position_scale: the embedding has no positions"));
  EXPECT_EQ(config_error(scale + "learned}"), "accepted");
  EXPECT_EQ(config_error("model: {positions: none}"), "accepted");
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

// It has every option written out, and in the kinds' sections what they have from all.
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

// A switch may turn off what stays described.
TEST(ConfigUnused, a_switch_leaves_what_it_turns_off) {
  for (const std::string text :
       {"evaluation: {decode: false, samples: 9}", "cross: {heads: 0, score: cosine}",
        "model: {encoder_layers: 0}\nencoder_self: {heads: 2}",
        "model: {feed_forward: none, d_ff: 8, activation: silu, bias_feed_forward: false}"}) {
    EXPECT_EQ(config_error(text), "accepted") << text;
  }
}

}}  // namespace tapehead
