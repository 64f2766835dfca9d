// The attention sections: by kind and by layer, lists, budgets, and incompatible options.
#include "nn/attention/spec.hpp"
#include "tests/support/config_error.hpp"
#include "tests/support/testing.hpp"
#include "train/config/config.hpp"
#include "train/config/rows.hpp"
#include "train/config/values.hpp"

namespace tapehead { namespace {

AttentionSpec spec_of(const std::string& text, AttentionKind kind, Index layer = 0,
                      const std::vector<std::string>& set = {}) {
  return attention_spec(parse_config(text, "a.yaml", set).config.model, kind, layer);
}

TEST(ConfigAttention, a_kind_differs_from_the_rest_layer_by_layer) {
  const std::string text =
      "model: {d_model: 24, heads: 4, layers: 2}\n"
      "attention: {heads: [2, 3], dropout: 0.25}\n"
      "cross: {heads: 6, d_qk: [5, 7]}\n";
  expect_options(parse_config(text, "a.yaml").config,
                 {"encoder_self.heads: [2, 3]", "decoder_self.d_qk: [12, 8]", "cross.heads: 6",
                  "cross.d_qk: [5, 7]", "cross.dropout: 0.25"});
  EXPECT_EQ(spec_of(text, AttentionKind::decoder_self, 1).d_qk, 8);  // 24 / 3
  EXPECT_EQ(spec_of(text, AttentionKind::cross, 1).d_qk, 7);
  EXPECT_EQ(spec_of(text, AttentionKind::cross, 1, {"cross.heads=[1, 12]"}).heads, 12);
}

// Encoder and decoder may differ in their number of layers; then no list fits the section
// `attention`.
TEST(ConfigAttention, a_list_has_a_value_for_each_layer) {
  const std::string unequal = "model: {encoder_layers: 3, decoder_layers: 2}\n";
  expect_config_errors({
      {"model: {layers: 2}\nencoder_self:\n  heads: [4, 2, 1]\n", "3:10: encoder_self.heads",
       "(3 values, 2 layers of encoder_self)"},
      {unequal + "attention: {heads: [4, 2, 1]}", "attention.heads",
       "(3 values, 2 layers of decoder_self)"},
      {unequal + "encoder_self: {heads: [4, 2, 1]}", "accepted"},
      {"model: {encoder_layers: 0}\nencoder_self: {heads: [4, 2, 1]}", "accepted"},
  });
}

TEST(ConfigAttention, a_list_for_all_attention_is_for_the_kinds_that_the_model_has) {
  const std::string list = "attention: {heads: [4, 2], pattern: [[causal], [window 3]]}\n";
  for (const std::string model :
       {"model: {family: decoder, layers: 2, d_model: 16, preset: gpt2}\n",
        "model: {family: encoder, layers: 2, d_model: 16}\n",
        "model: {encoder_layers: 0, decoder_layers: 2, d_model: 16}\n"}) {
    expect_config_errors({
        {model + list, "accepted"},
        {model, "accepted", "", {"attention.heads=[4,2]"}},
        {model + list, "--set attention.heads=[4,2,1]", "3 values, 2 layers of "},
    });
    const std::string stored = dump_config(parse_config(model + list, "a.yaml").config);
    EXPECT_EQ(dump_config(parse_config(stored, "run/config.yaml").config), stored) << model;
  }
  const std::string decoder = "model: {family: decoder, layers: 2, d_model: 16}\n";
  expect_options(parse_config(decoder + list, "a.yaml").config,
                 {"decoder_self.heads: [4, 2]", "decoder_self.d_qk: [4, 8]"});
}

TEST(ConfigAttention, lists_of_what_takes_none_or_holds_nothing_are_refused) {
  for (const auto& [attention, words] : std::vector<std::pair<std::string, std::string>>{
           {"heads: []", "an empty list"},
           {"heads: [1, x]",
            "not a number ([1, x]; allowed: whole number, or a list over layers, 0 to 1024, or "
            "auto)"},
           {"heads: [[1]]", "each item must be a single value"},
           {"pattern: [full, [causal], {a: 1}]", "each item must be a single value"},
           {"pattern: windows", "no such pattern"},
           {"pattern: windows", "full, causal, window N"},
           {"pattern: window 0", "a window of 0"},
           {"pattern: top_k 0", "leaves no key"},
           {"pattern: fixed 2 3", "more summaries"},
           {"pattern: strided", "no such pattern"},
           {"pattern: sink_window 4", "no such pattern"},
           {"pattern: sink_window 0 9", "a window 9 0"},
           {"pattern: sink_window 4 9 top_k 2", "top_k cannot follow sink_window"},
           {"pattern: window x", "x is not a number of positions"},
           {"sharing: al", "did you mean all?"}}) {
    EXPECT_THAT(config_error("attention: {" + attention + "}"), HasSubstr(words));
  }
}

// The budget is 4 d_model² = 4 · 16² = 1024 weights, less the weights of a width that is given or
// follows from another option, divided by the weights of one column.
TEST(ConfigAttention, budgets_decide_the_widths) {
  for (const auto& [attention, d_qk, d_v] : std::vector<std::tuple<std::string, Index, Index>>{
           {"", 4, 4},
           {"heads: 2", 8, 8},
           {"budget: fixed_head_dim", 64, 64},
           {"budget: iso_params", 4, 4},
           {"budget: iso_params, kv_heads: 1", 6, 6},   // 1024 / (16 (4 + 1 + 1 + 4)) = 6.4
           {"budget: iso_params, sharing: all", 8, 8},  // 1024 / (16 (4 + 4))
           {"combine: mean", 4, 16},  // if head outputs are added, values are as wide as the model
           {"combine: mean, sharing: all", 16, 16},
           {"sharing: identity_query, combine: mean, heads: 3", 16, 16},
           {"sharing: identity", 16, 16},
           {"sharing: identity, input: narrow", 4, 4},
           {"sharing: identity_query", 16, 4},
           {"sharing: identity_query, input: narrow", 4, 4},
           // (1024 - 16 16) / (16 (1 + 4)) = 9.6; the single key head is as wide as the model.
           {"sharing: identity_query, budget: iso_params, kv_heads: 1", 16, 10},
           {"budget: iso_params, combine: mean, heads: 2", 8, 16},  // (1024 - 2 16 16) / (2 2 16)
           {"budget: iso_params, combine: weighted, heads: 2", 8, 16},
           {"budget: iso_params, combine: mean", 1, 16},  // nothing left: 4 16 16 = 1024
           {"budget: iso_params, d_v: 2", 6, 2},          // (1024 - 2 4 16 2) / (2 4 16)
           {"budget: iso_params, d_qk: 6", 6, 2},         // the same budget for the other width
           {"budget: iso_params, d_qk: 12", 12, 1},       // nothing left: 2 4 16 12 = 1536
           // (1024 - 16 4 (1 + 4)) / (16 (4 + 1)) = 8.8
           {"budget: iso_params, kv_heads: 1, d_v: 4", 9, 4}}) {
    const AttentionSpec spec = spec_of(
        "model: {d_model: 16, heads: 4}\nattention: {" + attention + "}\n", AttentionKind::cross);
    EXPECT_THAT(std::pair(spec.d_qk, spec.d_v), Pair(d_qk, d_v)) << attention;
  }
}

// Cross-attention has no distances, so it does not inherit these from the section `attention`.
TEST(ConfigAttention, patterns_and_positions_for_all_are_those_of_self_attention) {
  expect_options(parse_config("attention: {pattern: window 3, positions: rotary}", "a.yaml").config,
                 {"encoder_self.pattern: window 3", "decoder_self.positions: rotary",
                  "cross.pattern: full", "cross.positions: none"});
  expect_options(parse_config("cross: {pattern: window 3}", "a.yaml").config,
                 {"cross.pattern: window 3"});
}

TEST(ConfigAttention, compositions_are_refused_at_the_option_to_blame) {
  for (const auto& [attention, option, reason] :
       std::vector<std::tuple<std::string, std::string, std::string>>{
           {"kv_heads: 3", "kv_heads", "must divide the heads (3 for 4 heads)"},
           {"pattern: [sink_window 2 9, full, sink_window 4 9, full], positions: rotary", "pattern",
            "have the same sink_window"},
           {"kv_heads: 2, sharing: query_key", "kv_heads", "queries can share weights"},
           {"d_qk: 4, d_v: 5, sharing: key_value", "sharing", "needs equal widths"},
           {"sharing: identity, d_qk: 8", "sharing", "must equal the input width of a head"},
           {"sharing: identity_query, d_qk: 8", "sharing",
            "must equal the input width (16; d_qk 8)"},
           {"sharing: identity, head_weights: tied", "head_weights", "no weights to tie"},
           {"head_weights: tied, kv_heads: 2", "head_weights",
            "one set of weights, so leave out kv_heads"},
           {"combine: concatenate, d_v: 5", "combine", "heads times d_v must equal d_model"},
           {"combine: mean, d_v: 5", "combine", "to add heads, d_v must equal d_model"},
           {"heads: 5, d_qk: 4, d_v: 4, input: narrow", "heads", "must divide d_model"},
           {"score: [dot, cosine]", "score", "one value for each head (2 for 4 heads)"},
           {"pattern: [full, causal]", "pattern", "one value for each head (2 for 4 heads)"},
           {"score: [dot, dot, dot, cosine], kv_heads: 1", "score", "must score them alike"},
           {"positions: t5, buckets: 32, farthest: 16", "farthest", "more than buckets / 2"},
           {"positions: rotary, score: additive", "score", "products of queries and keys"},
           {"positions: t5, buckets: 5, farthest: 9", "buckets", "buckets must be even (5)"},
           {"positions: rotary, d_qk: 5", "positions", "d_qk must be even (5)"},
           {"start: identical, sharing: identity", "start", "no weights that could start"},
           {"start: identical, combine: mean", "start", "no output weight"},
           {"start: identical_projections, head_weights: tied", "start", "identical anyway"}}) {
    EXPECT_THAT(config_error("model: {d_model: 16, heads: 4}\nencoder_self: {" + attention + "}\n"),
                AllOf(StartsWith("a.yaml:2:"), HasSubstr(" encoder_self." + option + ": "),
                      HasSubstr(reason)));
  }
  expect_config_errors({
      {"cross: {positions: rotary}", "1:20: cross.positions", "no distances"},
      {"attention: {shared_as: all, positions: rotary}", "attention.shared_as",
       "encoder_self and cross differ in more"},
      {"attention: {shared_as: all, pattern: window 2}", "accepted"},
  });
}

// Leaves out the options that follow other options.
TEST(ConfigAttention, help_says_the_defaults) {
  const std::set<std::string_view> following{"heads",  "kv_heads",  "d_qk",   "d_v",
                                             "budget", "shared_as", "dropout"};
  Config config = parse_config("seed: 1\n", "a.yaml").config;
  const std::vector<Section> all = sections(config);
  for (const Row& row : std::ranges::find(all, "encoder_self", &Section::name)->rows) {
    if (!following.contains(row.field.name)) {
      EXPECT_THAT(row.field.help, EndsWith("auto: " + write_value(row))) << row.field.name;
    }
  }
}

TEST(ConfigAttention, what_was_decided_is_written_out) {
  const LoadedConfig loaded = parse_config(
      "model: {d_model: 16, heads: 4, layers: 2}\nencoder_self: {heads: [4, 2]}\n", "a.yaml");
  const std::string dump = dump_config_with_origins(loaded);
  EXPECT_THAT(dump, HasSubstr("\nencoder_self:\n  heads: [4, 2] "));
  EXPECT_THAT(dump, ContainsRegex("  d_qk: .4, 8. +# auto\n"));
  EXPECT_EQ(loaded.origins.at("encoder_self.heads"), "a.yaml:2:23");
}

}}  // namespace tapehead
