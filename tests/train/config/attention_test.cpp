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
  EXPECT_EQ(spec_of(text, AttentionKind::encoder_self, 0).heads, 2);
  EXPECT_EQ(spec_of(text, AttentionKind::decoder_self, 1).heads, 3);
  EXPECT_EQ(spec_of(text, AttentionKind::decoder_self, 1).d_qk, 8);  // 24 / 3
  EXPECT_EQ(spec_of(text, AttentionKind::cross, 1).heads, 6);
  EXPECT_EQ(spec_of(text, AttentionKind::cross, 0).d_qk, 5);
  EXPECT_EQ(spec_of(text, AttentionKind::cross, 1).d_qk, 7);
  EXPECT_EQ(spec_of(text, AttentionKind::cross, 1).dropout, 0.25);
  EXPECT_EQ(spec_of(text, AttentionKind::cross, 1, {"cross.heads=[1, 12]"}).heads, 12);
}

// Encoder and decoder may differ in their number of layers; then no list fits the section
// `attention`.
TEST(ConfigAttention, a_list_has_a_value_for_each_layer) {
  EXPECT_EQ(config_error("model: {layers: 2}\nencoder_self:\n  heads: [4, 2, 1]\n"),
            "a.yaml:3:10: encoder_self.heads: a list over layers has one value for each (3 values, "
            "2 layers of encoder_self)");
  EXPECT_THAT(config_error("model: {encoder_layers: 3, decoder_layers: 2}\n"
                           "attention: {heads: [4, 2, 1]}\n"),
              HasSubstr("3 values, 2 layers of decoder_self)"));
  EXPECT_EQ(config_error("model: {encoder_layers: 3, decoder_layers: 2}\n"
                         "encoder_self: {heads: [4, 2, 1]}\n"),
            "accepted");
}

TEST(ConfigAttention, a_list_for_all_attention_is_for_the_kinds_that_the_model_has) {
  const std::string list = "attention: {heads: [4, 2], pattern: [[causal], [window 3]]}\n";
  for (const std::string model :
       {"model: {family: decoder, layers: 2, d_model: 16, preset: gpt2}\n",
        "model: {family: encoder, layers: 2, d_model: 16}\n",
        "model: {encoder_layers: 0, decoder_layers: 2, d_model: 16}\n"}) {
    EXPECT_EQ(config_error(model + list), "accepted") << model;
    EXPECT_EQ(config_error(model, {"attention.heads=[4,2]"}), "accepted") << model;
    EXPECT_THAT(config_error(model + list, {"attention.heads=[4,2,1]"}),
                HasSubstr("3 values, 2 layers of "))
        << model;
    const std::string stored = dump_config(parse_config(model + list, "a.yaml").config);
    EXPECT_EQ(dump_config(parse_config(stored, "run/config.yaml").config), stored) << model;
  }
  const std::string decoder = "model: {family: decoder, layers: 2, d_model: 16}\n";
  EXPECT_EQ(spec_of(decoder + list, AttentionKind::decoder_self, 0).heads, 4);
  EXPECT_EQ(spec_of(decoder + list, AttentionKind::decoder_self, 1).heads, 2);
  EXPECT_EQ(spec_of(decoder + list, AttentionKind::decoder_self, 1).d_qk, 8);  // 16 / 2
  EXPECT_EQ(config_error("model: {encoder_layers: 0}\nencoder_self: {heads: [4, 2, 1]}"),
            "accepted");
}

TEST(ConfigAttention, lists_of_what_takes_none_or_holds_nothing_are_refused) {
  EXPECT_THAT(config_error("attention: {heads: []}"), HasSubstr("an empty list"));
  EXPECT_THAT(config_error("attention: {heads: [1, x]}"),
              AllOf(HasSubstr("not a number ([1, x]; allowed: whole number, or a list over layers, "
                              "0 to 1024, or auto)")));
  EXPECT_THAT(config_error("attention: {heads: [[1]]}"), HasSubstr("values that are none"));
  EXPECT_THAT(config_error("attention: {pattern: [full, [causal], {a: 1}]}"),
              HasSubstr("values that are none"));
  EXPECT_THAT(config_error("attention: {pattern: windows}"),
              AllOf(HasSubstr("no such pattern"), HasSubstr("full, causal, window N")));
  EXPECT_THAT(config_error("attention: {pattern: window 0}"), HasSubstr("a window of 0"));
  EXPECT_THAT(config_error("attention: {pattern: top_k 0}"), HasSubstr("leaves no key"));
  EXPECT_THAT(config_error("attention: {pattern: fixed 2 3}"), HasSubstr("more summaries"));
  EXPECT_THAT(config_error("attention: {pattern: strided}"), HasSubstr("no such pattern"));
  EXPECT_THAT(config_error("attention: {pattern: sink_window 4}"), HasSubstr("no such pattern"));
  EXPECT_THAT(config_error("attention: {pattern: sink_window 0 9}"), HasSubstr("a window 9 0"));
  EXPECT_THAT(config_error("attention: {pattern: sink_window 4 9 top_k 2}"),
              HasSubstr("top_k does not follow sink_window"));
  EXPECT_THAT(config_error("attention: {pattern: window x}"),
              HasSubstr("x is not a number of positions"));
  EXPECT_THAT(config_error("attention: {sharing: al}"), HasSubstr("did you mean all?"));
}

// 4 d_model² = 4 · 16² = 1024 weights.
TEST(ConfigAttention, budgets_decide_the_widths) {
  const auto d = [](const std::string& attention, AttentionKind kind = AttentionKind::cross) {
    const AttentionSpec spec =
        spec_of("model: {d_model: 16, heads: 4}\nattention: {" + attention + "}\n", kind);
    return std::pair(spec.d_qk, spec.d_v);
  };
  const auto both = [](Index width) { return std::pair(width, width); };
  EXPECT_EQ(d(""), both(4));
  EXPECT_EQ(d("heads: 2"), both(8));
  EXPECT_EQ(d("budget: fixed_head_dim"), both(64));
  EXPECT_EQ(d("budget: iso_params"), both(4));
  EXPECT_EQ(d("budget: iso_params, kv_heads: 1"), both(6));   // 1024 / (16 (4 + 1 + 1 + 4)) = 6.4
  EXPECT_EQ(d("budget: iso_params, sharing: all"), both(8));  // 1024 / (16 (4 + 4))
  EXPECT_EQ(d("combine: mean"), std::pair(Index{4}, Index{16}));
  EXPECT_EQ(d("combine: mean, sharing: all"), both(16));
  EXPECT_EQ(d("sharing: identity_query, combine: mean, heads: 3"), both(16));
  EXPECT_EQ(d("sharing: identity"), both(16));
  EXPECT_EQ(d("sharing: identity, input: narrow"), both(4));
  EXPECT_EQ(d("sharing: identity_query"), std::pair(Index{16}, Index{4}));
  EXPECT_EQ(d("sharing: identity_query, input: narrow"), both(4));
  // (1024 - 16 16) / (16 (1 + 4)) = 9.6; the single key head is as wide as the model.
  EXPECT_EQ(d("sharing: identity_query, budget: iso_params, kv_heads: 1"),
            std::pair(Index{16}, Index{10}));
}

// The budget is 4 · 16² = 1024 weights. Subtracts the weights of the given width, then divides by
// the weights of one column.
TEST(ConfigAttention, a_budget_counts_the_weights_of_widths_that_it_does_not_decide) {
  const auto d = [](const std::string& attention) {
    const std::string text =
        "model: {d_model: 16, heads: 4}\nattention: {budget: iso_params, " + attention + "}\n";
    const AttentionSpec spec = spec_of(text, AttentionKind::cross);
    return std::pair(spec.d_qk, spec.d_v);
  };
  const auto widths = [](Index d_qk, Index d_v) { return std::pair(d_qk, d_v); };
  // If head outputs are added, values are as wide as the model.
  EXPECT_EQ(d("combine: mean, heads: 2"), widths(8, 16));  // (1024 - 2 16 16) / (2 2 16)
  EXPECT_EQ(d("combine: weighted, heads: 2"), widths(8, 16));
  EXPECT_EQ(d("combine: mean"), widths(1, 16));       // nothing left: 4 16 16 = 1024
  EXPECT_EQ(d("d_v: 2"), widths(6, 2));               // (1024 - 2 4 16 2) / (2 4 16)
  EXPECT_EQ(d("d_qk: 6"), widths(6, 2));              // the same budget for the other width
  EXPECT_EQ(d("d_qk: 12"), widths(12, 1));            // nothing left: 2 4 16 12 = 1536
  EXPECT_EQ(d("kv_heads: 1, d_v: 4"), widths(9, 4));  // (1024 - 16 4 (1 + 4)) / (16 (4 + 1)) = 8.8
}

// Cross-attention has no distances, so it does not inherit these from the section `attention`.
TEST(ConfigAttention, patterns_and_positions_for_all_are_those_of_self_attention) {
  const std::string text = "attention: {pattern: window 3, positions: rotary}\n";
  EXPECT_EQ(spec_of(text, AttentionKind::encoder_self).pattern.at(0).text(), "window 3");
  EXPECT_EQ(spec_of(text, AttentionKind::decoder_self).positions, AttentionPositions::rotary);
  EXPECT_EQ(spec_of(text, AttentionKind::cross).pattern.at(0).text(), "full");
  EXPECT_EQ(spec_of(text, AttentionKind::cross).positions, AttentionPositions::none);
  EXPECT_EQ(spec_of("cross: {pattern: window 3}\n", AttentionKind::cross).pattern.at(0).text(),
            "window 3");
}

struct Refused {
  std::string attention;
  std::string place;  // the option that the error names
  std::string reason;

  friend std::ostream& operator<<(std::ostream& out, const Refused& c) {
    return out << c.attention;
  }
};

class ConfigAttentionRefused : public TestWithParam<Refused> {};

INSTANTIATE_TEST_SUITE_P(
    Compositions, ConfigAttentionRefused,
    Values(Refused{"kv_heads: 3", "kv_heads", "must divide the heads (3 for 4 heads)"},
           Refused{"pattern: [sink_window 2 9, full, sink_window 4 9, full], positions: rotary",
                   "pattern", "have the same sink_window"},
           Refused{"kv_heads: 2, sharing: query_key", "kv_heads", "queries can share weights"},
           Refused{"d_qk: 4, d_v: 5, sharing: key_value", "sharing",
                   "a shared weight needs equal widths"},
           Refused{"sharing: identity, d_qk: 8", "sharing", "as wide as their input"},
           Refused{"sharing: identity_query, d_qk: 8", "sharing", "are as wide as it (16; d_qk 8)"},
           Refused{"sharing: identity, head_weights: tied", "head_weights", "no weights to tie"},
           Refused{"head_weights: tied, kv_heads: 2", "head_weights", "one set of weights anyway"},
           Refused{"combine: concatenate, d_v: 5", "combine", "as wide as the model"},
           Refused{"combine: mean, d_v: 5", "combine", "values as wide as the model"},
           Refused{"heads: 5, d_qk: 4, d_v: 4, input: narrow", "heads", "must divide d_model"},
           Refused{"score: [dot, cosine]", "score", "one value for each head (2 for 4 heads)"},
           Refused{"pattern: [full, causal]", "pattern", "one value for each head (2 for 4 heads)"},
           Refused{"score: [dot, dot, dot, cosine], kv_heads: 1", "score", "must score them alike"},
           Refused{"positions: t5, buckets: 32, farthest: 16", "farthest",
                   "must be more than buckets / 2"},
           Refused{"positions: rotary, score: additive", "score", "products of queries and keys"},
           Refused{"positions: t5, buckets: 5, farthest: 9", "buckets", "must be even (5)"},
           Refused{"positions: rotary, d_qk: 5", "positions", "d_qk must be even (5)"},
           Refused{"start: identical, sharing: identity", "start", "no weights that could start"},
           Refused{"start: identical, combine: mean", "start", "no output weight"},
           Refused{"start: identical_projections, head_weights: tied", "start",
                   "identical anyway"}),
    [](const auto& test) { return test.param.place + std::to_string(test.index); });

TEST_P(ConfigAttentionRefused, is_said_at_the_option_to_blame) {
  const Refused& c = GetParam();
  const std::string error =
      config_error("model: {d_model: 16, heads: 4}\nencoder_self: {" + c.attention + "}\n");
  EXPECT_THAT(error, AllOf(StartsWith("a.yaml:2:"), HasSubstr(" encoder_self." + c.place + ": "),
                           HasSubstr(c.reason)));
}

TEST(ConfigAttention, cross_attention_has_no_distances) {
  EXPECT_THAT(config_error("cross: {positions: rotary}"),
              AllOf(StartsWith("a.yaml:1:20: cross.positions: "), HasSubstr("no distances")));
}

TEST(ConfigAttention, one_name_for_unlike_attentions_is_refused) {
  EXPECT_THAT(config_error("attention: {shared_as: all, positions: rotary}"),
              AllOf(HasSubstr("attention.shared_as"), HasSubstr("encoder_self and cross do not")));
  EXPECT_EQ(config_error("attention: {shared_as: all, pattern: window 2}"), "accepted");
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
