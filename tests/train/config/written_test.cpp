// The options chosen for a run decide what `--set` changes; nothing else of the run changes.
#include "tests/support/message_of.hpp"
#include "tests/support/program.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"
#include "train/config/config.hpp"
#include "train/config/rows.hpp"

namespace tapehead { namespace {

Config resolved(std::string_view text, const std::vector<std::string>& overrides = {}) {
  return parse_config(text, "a.yaml", overrides).config;
}

// A run's config.yaml and written.yaml.
class ConfigOfRun : public Test {
 protected:
  // `change` holds values that another version of the program would have stored.
  void store(const LoadedConfig& loaded, const std::vector<std::string>& change = {}) const {
    const std::string dump = dump_config(loaded.config);
    std::ofstream(config()) << dump_config(parse_config(dump, "a.yaml", change).config);
    std::ofstream(written()) << written_text(*loaded.written);
  }
  void store(std::string_view text, const std::vector<std::string>& change = {}) const {
    store(parse_config(text, "a.yaml"), change);
  }
  LoadedConfig loaded(const std::vector<std::string>& overrides) const {
    return load_config(config(), overrides);
  }
  std::string error(const std::vector<std::string>& overrides) const {
    return message_of<std::exception>([&] { loaded(overrides); });
  }
  std::string config() const { return (here.path() / "config.yaml").string(); }
  std::string written() const { return (here.path() / "written.yaml").string(); }

  TemporaryDirectory here;
};

TEST_F(ConfigOfRun, changes_as_the_config_that_was_written) {
  const std::string text =
      "model: {d_model: 48, heads: 4, preset: gpt2, d_ff: 100, dropout_residual: 0.1}\n"
      "evaluation: {beam: 3}\ndecoder_self: {pattern: window 2}";
  store(text);
  const std::map<std::string, std::vector<std::string>> changes{
      {"model",
       {"dropout=0.5", "dropout_attention=0.5", "layers=3", "heads=1", "d_head=5", "d_model=96",
        "feed_forward=gated", "family=decoder", "preset=vaswani", "preset=none"}},
      {"attention",
       {"heads=1", "kv_heads=2", "d_qk=7", "budget=iso_params", "sharing=key_value", "score=cosine",
        "pattern=window 1", "positions=rotary", "dropout=0.3", "gates=l0"}},
      {"cross", {"heads=2"}},
      {"task", {"name=recall"}},
      {"training", {"batch_tokens=8192", "minutes=5"}},
      {"", {"seed=7"}}};
  for (const auto& [section, options] : changes) {
    for (const std::string& option : options) {
      const std::string set = full_name(section, option);
      EXPECT_EQ(dump_config(loaded({set}).config), dump_config(resolved(text, {set}))) << set;
    }
  }
}

// The run keeps the values from older defaults: warmup 77 and dropout 0.2.
TEST_F(ConfigOfRun, keeps_the_defaults_that_it_began_with) {
  const std::string text = "seed: 3\nmodel: {d_model: 32}";
  const auto with_dropout = [](const std::string& value) {
    std::vector<std::string> set;
    for (const std::string option :
         {"model.dropout", "model.dropout_embedding", "model.dropout_attention",
          "model.dropout_residual", "model.dropout_feed_forward", "encoder_self.dropout",
          "decoder_self.dropout", "cross.dropout"}) {
      set.push_back(option + "=" + value);
    }
    return set;
  };
  std::vector<std::string> former = with_dropout("0.2");
  former.emplace_back("training.warmup=77");
  store(text, former);
  const auto expect_changed = [&](const std::vector<std::string>& overrides,
                                  const std::vector<std::string>& changed) {
    std::vector<std::string> all = former;
    all.insert(all.end(), changed.begin(), changed.end());
    EXPECT_EQ(dump_config(loaded(overrides).config), dump_config(resolved(text, all)));
  };
  expect_changed({}, {});
  for (const std::string set : {"model.heads=2", "model.d_model=16", "training.warmup=9"}) {
    expect_changed({set}, {set});
  }
  expect_changed({"model.dropout=0.1"}, with_dropout("0.1"));  // today's default
  // `auto` was chosen, and had another value than today.
  store("model: {d_model: 32, d_ff: auto}", {"model.d_ff=64"});
  EXPECT_EQ(loaded({"seed=9"}).config.model.d_ff, 64);
  EXPECT_EQ(load_chosen(config(), {}).written->back().value, "auto");
}

TEST_F(ConfigOfRun, has_what_was_written_with_its_origin) {
  store(parse_config("seed: 1\nmodel:\n  heads: 4\nattention: {heads: [2, 4]}\n", "configs/a.yaml",
                     {"task.name=recall", "training.steps=9"}));
  EXPECT_THAT(content_of(written()),
              EndsWith("seed: 1          # configs/a.yaml:1:7\n\n"
                       "task:\n  name: recall   # --set\n\n"
                       "model:\n  heads: 4       # configs/a.yaml:3:10\n\n"
                       "attention:\n  heads: [2, 4]  # configs/a.yaml:4:20\n\n"
                       "training:\n  steps: 9       # --set\n"));
  const std::string before = content_of(written());
  EXPECT_EQ(written_text(*load_chosen(config(), {}).written), before);
  const LoadedConfig changed = loaded({"training.warmup=8", "evaluation.every=3"});
  store(changed);
  const LoadedConfig again = loaded({"seed=2"});
  EXPECT_EQ(again.config.evaluation.every, 3);
  const std::string shown = dump_config_with_origins(again);
  EXPECT_THAT(shown, ContainsRegex("seed: 2 +# --set\n"));
  EXPECT_THAT(shown, ContainsRegex("  heads: \\[2, 4\\] +# configs/a.yaml:4:20\n"));
  EXPECT_THAT(shown, ContainsRegex("  beam: 1 +# [^ ]*/config.yaml:"));
  EXPECT_EQ(again.origins.at("training.warmup").rfind(config(), 0), 0U);  // not from this --set
}

TEST_F(ConfigOfRun, has_any_origin_in_one_line) {
  const Written hard{{"seed", "1", "a\n  # b.yaml:1:2"},
                     {"run.name", "\"a  # b\"", "c  # d.yaml:3:4"}};
  const std::string text = written_text(hard);
  EXPECT_EQ(std::ranges::count(text, '\n'), 5);  // heading, seed, blank, section, name
  const auto origins = origins_in(text);
  EXPECT_EQ(origins.at(2).find('\n'), std::string::npos);
  EXPECT_EQ(origins.at(5), "c # d.yaml:3:4");
}

TEST_F(ConfigOfRun, that_is_not_as_written_is_told) {
  store("seed: 1\nmodel: {d_model: 32, d_ff: 8}", {"model.d_model=64"});
  EXPECT_THAT(error({"model.heads=2"}),
              AllOf(StartsWith(written() + ":5:12: model.d_model: 32, but " + config() +
                               " has 64; restore"),
                    EndsWith("--set model.d_model=VALUE")));
  EXPECT_EQ(error({}), "no error");  // without --set, config.yaml alone counts
  EXPECT_EQ(load_chosen(config(), {}).config.model.d_model, 64);
  EXPECT_EQ(loaded({"model.d_model=64"}).config.model.d_model, 64);
  std::ofstream(written()) << "model:\n  d_modl: 3\n";
  EXPECT_THAT(error({"seed=2"}), StartsWith(written() + ":2:3: model.d_modl: unknown option"));
  std::ofstream(written()) << "model: [\n";
  EXPECT_THAT(error({"seed=2"}), StartsWith(written() + ":"));
  std::filesystem::remove(written());
  std::filesystem::create_symlink("/dev/zero", written());
  EXPECT_EQ(error({"seed=2"}), "cannot read " + written() + ": it is not a regular file");
  EXPECT_EQ(error({}), "no error");
}

TEST_F(ConfigOfRun, names_the_override_that_does_not_fit) {
  store(parse_config("model: {heads: 4}", "a.yaml", {"model.d_model=32"}));
  for (const auto& [set, words] : std::vector<std::pair<std::string, std::string>>{
           {"model.heads=7", "heads must divide"},
           {"model.hedas=7", "unknown option"},
           {"training.momentum=0.5", "has no effect with training.optimizer"}}) {
    EXPECT_THAT(error({set}), StartsWith("--set " + set + ": " + words));
  }
}

TEST_F(ConfigOfRun, is_the_origin_of_what_an_override_does_not_change) {
  store("{}");
  EXPECT_EQ(loaded({"model.dropout=0.3"}).config.model.dropout_residual, 0.3);
  const auto origins = loaded({"model.heads=2"}).origins;
  EXPECT_EQ(origins.at("model.heads"), "--set");
  EXPECT_EQ(origins.at("encoder_self.heads"), "auto");
  EXPECT_THAT(origins.at("encoder_self.pattern"), StartsWith(config() + ":"));
  EXPECT_THAT(origins.at("model.d_ff"), StartsWith(config() + ":"));
}

}}  // namespace tapehead
