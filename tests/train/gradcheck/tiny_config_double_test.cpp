// tiny_config() shrinks any valid config for the gradient check: the result loads, makes a model,
// has each kind of layer, and has correct gradients.
#include "train/gradcheck/tiny_config.hpp"

#include "datasets/make_task.hpp"
#include "datasets/task_kind.hpp"
#include "datasets/text/parallel_options.hpp"
#include "lab/removal/head_removal.hpp"
#include "nn/attention/spec.hpp"
#include "tests/support/proof.hpp"
#include "tests/support/random_config.hpp"
#include "tests/support/testing.hpp"
#include "train/experiment.hpp"
#include "train/gradcheck/check_config.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

constexpr Index entries = 24;  // of both vocabularies; tied embeddings need equal sizes

LoadedConfig parsed(const std::string& text, const std::vector<std::string>& set = {}) {
  return parse_config(text, "a.yaml", set);
}

// The stored config loads again with the same meaning.
void expect_stored(const Config& config) {
  const std::string stored = dump_config(config);
  EXPECT_EQ(dump_config(parse_config(stored, "run/config.yaml").config), stored);
}

// The numbers of heads and the patterns of all layers of a kind.
std::set<std::string> heads_and_patterns(const ModelOptions& model, AttentionKind kind) {
  std::set<std::string> values;
  for (Index layer = 0; layer < attention_layers(model, kind); ++layer) {
    const AttentionSpec spec = attention_spec(model, kind, layer);
    values.insert(std::to_string(spec.heads));
    for (const AttentionPattern& pattern : spec.pattern.values) {
      values.insert(pattern.text());
    }
  }
  return values;
}

// Makes a config small: the result is stored, makes a model, and keeps each kind of layer.
Config shrunk(const LoadedConfig& loaded) {
  const Config tiny = tiny_config(loaded);
  expect_stored(tiny);
  const ModelOptions& before = loaded.config.model;
  EXPECT_LE(tiny.model.d_model, before.d_model);
  EXPECT_LE(tiny.model.feed_forward_width(), before.feed_forward_width());
  EXPECT_EQ(*before.encoder_layers == 0, *tiny.model.encoder_layers == 0);
  for (const AttentionKind kind : attention_kinds) {
    EXPECT_EQ(heads_and_patterns(tiny.model, kind), heads_and_patterns(before, kind));
  }
  EXPECT_GT(Model(tiny, entries, entries).store.size(), 0);
  return tiny;
}

ModelGradcheckReport check(const Config& config) {
  const Task task = make_task(config, config.task);
  const Batch batch =
      small_batch(*task.split("train").source, std::min<Index>(160, config.model.max_positions));
  Model model(config, task);
  return check_model(model, config, batch, {});
}

// Records which options an accepted config had in lists, and which values.
void note_values(const Config& config, std::set<std::string>& seen) {
  for (const auto& [option, value] : option_values(config)) {
    const std::string name = option.substr(option.find('.') + 1);
    if (value.starts_with('[')) {
      seen.insert(name + " in a list");
    }
    if (value.starts_with("[[")) {
      seen.insert(name + " in lists of lists");
    }
    std::string words = value;
    std::erase_if(words, [](char c) { return c == '[' || c == ']'; });
    std::istringstream list(words);
    for (std::string word; std::getline(list >> std::ws, word, ',');) {
      seen.insert(name + ' ' + word);
    }
  }
}

void expect_all_kinds(const std::set<std::string>& seen) {
  const auto expect_seen = [&](const std::string& option, const auto& names) {
    for (const auto& name : names) {
      EXPECT_TRUE(seen.contains(fmt::format("{} {}", option, name)))
          << "never: " << option << ' ' << name;
    }
  };
  for (const TaskKind* kind : task_kinds()) {
    expect_seen("name", std::vector{kind->name});
  }
  for (const std::string option : {"heads", "clip", "score"}) {
    expect_seen(option, std::vector{"in a list"});
  }
  expect_seen("positions", EnumNames<AttentionPositions>::names);
  expect_seen("positions", EnumNames<PositionKind>::names);
  expect_seen("sharing", EnumNames<Sharing>::names);
  expect_seen("combine", EnumNames<Combine>::names);
  expect_seen("score", EnumNames<Score>::names);
  expect_seen("pattern", std::vector{"in lists of lists", "full", "causal", "window 3",
                                     "window 2 0", "blocks 4", "strided 3", "fixed 8 2",
                                     "window 4 top_k 2", "top_k 3", "sink_window 2 3"});
}

TEST(ProveConfigs, every_config_that_loads_can_be_made_small) {
  const Index cases = proof_cases(40, 500);
  RandomConfigs configs(1);
  Index checked = 0;
  std::set<std::string> seen;
  for (Index i = 0; i < cases && !Test::HasFailure(); ++i) {
    const LoadedConfig loaded = configs.next();
    SCOPED_TRACE(configs.file + "--set " + PrintToString(configs.set));
    note_values(loaded.config, seen);
    expect_stored(loaded.config);
    const Config tiny = shrunk(loaded);
    if (i % 20 == 0) {
      const ModelGradcheckReport report = check(tiny);
      EXPECT_TRUE(report.ok()) << report.message();
      ++checked;
    }
  }
  if (cases >= 500) {
    expect_all_kinds(seen);
  }
  tell_figures(
      fmt::format("configs: {} of {} drawn were accepted; each was made small, loads and "
                  "makes a model; {} had their gradients checked",
                  cases, cases + configs.refused, checked));
}

TEST(ProveConfigs, pruned_models_of_three_layers_can_be_made_small) {
  const Index cases = proof_cases(20, 200);
  RandomConfigs configs(2);
  configs.layers = 3;
  Index pruned = 0;
  while (pruned < cases && !Test::HasFailure()) {
    Config config = configs.next().config;
    SCOPED_TRACE(configs.file);
    const Model model(config, entries, entries);
    std::vector<HeadName> removed;
    for (const MultiHeadAttention* attention : model.transformer.attentions()) {
      for (Index head = 0; head < attention->spec.heads; ++head) {
        if (configs.below(3) == 0) {
          removed.push_back({attention->site, head});
        }
      }
    }
    try {
      config.model = options_without(config.model, model.transformer, removed);
    } catch (const ConfigError&) {
      continue;  // some attentions cannot lose single heads
    }
    ++pruned;
    expect_stored(config);
    shrunk(parsed(dump_config(config)));
  }
  tell_figures(fmt::format("configs: {} pruned models of 3 layers were made small", pruned));
}

TEST(TinyConfig, layers_of_each_kind_groups_of_layers_and_a_factored_embedding_stay) {
  const auto small = [](const std::string& options, const std::string& sections = "") {
    return tiny_config(parsed("model: {heads: 2, " + options + "}\n" + sections)).model;
  };
  // One layer of each kind; two where all are alike.
  EXPECT_EQ(small("d_model: 24", "encoder_self: {heads: 2}\n").encoder_layers, 2);
  EXPECT_EQ(small("d_model: 24", "attention: {heads: [2, 1]}\n").encoder_layers, 2);
  const ModelOptions four = small("d_model: 24, layers: 4", "attention: {heads: [2, 1, 2, 3]}\n");
  EXPECT_THAT(four.encoder_self.heads.values, ElementsAre(2, 1, 3));
  EXPECT_THAT(four.cross.heads.values, ElementsAre(2, 1, 3));

  const std::string six = "d_model: 64, layers: 6";
  EXPECT_EQ(small(six + ", d_embedding: 16").d_embedding, small(six).d_model / 2);
  EXPECT_EQ(small(six + ", d_embedding: 96").d_embedding, small(six).d_model + 2);
  for (const auto& [groups, layers] : {std::pair(1, 2), std::pair(3, 6)}) {
    const ModelOptions grouped = small(fmt::format("{}, layer_groups: {}", six, groups));
    EXPECT_EQ(grouped.layer_groups, groups);
    EXPECT_EQ(grouped.encoder_layers, layers);
  }
}

TEST(TinyConfig, what_the_command_line_set_stays) {
  const std::string text = "model: {d_model: 64, heads: 4, layers: 3}\n";
  const auto with = [&](const std::string& set) { return tiny_config(parsed(text, {set})); };
  EXPECT_EQ(tiny_config(parsed(text)).model.d_model, 16);
  EXPECT_EQ(with("model.d_model=48").model.d_model, 48);
  EXPECT_EQ(with("cross.d_qk=9").model.cross.d_qk.values.front(), 9);
  EXPECT_EQ(*with("model.layers=5").model.decoder_layers, 5);
  EXPECT_EQ(with("task.max_length=90").task.as<SyntheticOptions>().max_length, 90);
  EXPECT_EQ(with("model.max_positions=5000").model.max_positions, 5000);
}

// d_model must be a multiple of 5 and of 3 heads, and of 2 for rotary positions: 30.
TEST(TinyConfig, the_width_stays_a_multiple_of_what_shares_it) {
  const Config tiny = tiny_config(
      parsed("model: {d_model: 120, heads: 2}\ncross: {heads: 5, input: narrow}\n"
             "decoder_self: {heads: 3, combine: concatenate, sharing: all, positions: rotary}\n"));
  EXPECT_EQ(tiny.model.d_model, 30);
  EXPECT_EQ(tiny.model.decoder_self.d_qk.values.front(), 10);
  expect_stored(tiny);
}

// Each kind inherits clip from `attention`, but only encoder_self uses it.
TEST(TinyConfig, what_a_kind_makes_no_use_of_is_left_to_its_default) {
  LoadedConfig loaded =
      parsed("model: {layers: 3}\nattention: {clip: 4}\nencoder_self: {positions: relative}\n");
  const Config tiny = tiny_config(loaded);
  EXPECT_EQ(tiny.model.encoder_self.clip.values.front(), 4);
  expect_stored(tiny);
  const Model model(loaded.config, entries, entries);
  loaded.config.model = options_without(loaded.config.model, model.transformer,
                                        {{.site = {AttentionKind::encoder_self, 0}, .head = 0}});
  expect_stored(loaded.config);
}

// Parameters read only by an attention without heads do not affect the loss; its output bias does.
TEST(TinyConfig, attentions_without_heads_are_no_mistake) {
  for (const std::string attention :
       {"decoder_self: {heads: [0, 2]}", "cross: {heads: 0}", "encoder_self: {heads: 0}",
        "decoder_self: {heads: [0, 2], d_qk: 4, d_v: 4, positions: relative}",
        "decoder_self: {heads: 0, scale: learned}"}) {
    const std::string model = "model: {d_model: 8, heads: 2, layers: 2, encoder_layers: 1}\n";
    const Config tiny = tiny_config(parsed(model + attention));
    const ModelGradcheckReport report = check(tiny);
    EXPECT_TRUE(report.ok()) << attention << '\n' << report.message();
    EXPECT_GT(report.parameters.size(), 10U);
    EXPECT_EQ(1, std::ranges::count(report.parameters, "decoder.layers.0.self.output.bias",
                                    &ParameterCheck::name));
  }
}

// Subword dropout and normalisation exist for SentencePiece only, not for characters.
TEST(TinyConfig, text_becomes_characters_with_positions_for_them) {
  const auto small = [](const std::vector<std::string>& set) {
    return tiny_config(
        parsed("task: {name: parallel_text, train_tsv: a, validation_tsv: b, subword_dropout: 0.1, "
               "normalization: nfkc, max_length: 40}\nmodel: {max_positions: 64}\n",
               set));
  };
  const Config tiny = small({});
  EXPECT_EQ(tiny.task.as<ParallelTextOptions>().tokenizer, TokenizerKind::character);
  EXPECT_EQ(tiny.task.as<ParallelTextOptions>().max_length, 1000);
  EXPECT_EQ(tiny.model.max_positions, 1001);
  expect_stored(tiny);
  const Config kept = small({"model.max_positions=64"});
  EXPECT_EQ(kept.task.as<ParallelTextOptions>().max_length, 63);
  expect_stored(kept);
  EXPECT_EQ(small({"task.tokenizer=bpe"}).task.as<ParallelTextOptions>().tokenizer,
            TokenizerKind::bpe);
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
