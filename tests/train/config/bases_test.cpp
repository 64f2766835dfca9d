// Configs that inherit from others with `base`.
#include "datasets/task_kind.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"
#include "train/config/config.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

class ConfigBases : public Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    fs::create_directories((here / name).parent_path());
    std::ofstream(here / name) << text;
    return (here / name).string();
  }

  static std::string error_of(const std::string& file,
                              const std::vector<std::string>& overrides = {}) {
    try {
      load_config(file, overrides);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "accepted";
  }

  TemporaryDirectory here;
};

TEST_F(ConfigBases, give_what_a_config_does_not_set) {
  const std::string base = write("base.yaml", "seed: 3\nmodel: {d_model: 24, layers: 3}\n");
  const std::string file = write("a.yaml", "base: base.yaml\nmodel:\n  layers: 1\n");
  const LoadedConfig loaded = load_config(file);
  EXPECT_EQ(loaded.config.seed, 3U);
  EXPECT_EQ(loaded.config.model.d_model, 24);
  EXPECT_EQ(loaded.config.model.layers, 1);
  EXPECT_EQ(loaded.origins.at("seed"), base + ":1:7");
  EXPECT_EQ(loaded.origins.at("model.d_model"), base + ":2:18");
  EXPECT_EQ(loaded.origins.at("model.layers"), file + ":3:11");
  EXPECT_EQ(loaded.origins.at("model.d_ff"), "auto");
  EXPECT_EQ(loaded.origins.at("training.warmup"), "default");
  EXPECT_THAT(loaded.files, ElementsAre(fs::path(file), fs::path(base)));
}

TEST_F(ConfigBases, give_way_to_the_command_line) {
  write("base.yaml", "seed: 3\n");
  const std::string file = write("a.yaml", "base: base.yaml\nseed: 4\n");
  const LoadedConfig loaded = load_config(file, {"seed=5"});
  EXPECT_EQ(loaded.config.seed, 5U);
  EXPECT_EQ(loaded.origins.at("seed"), "--set");
}

// A list is one value: it replaces the base's list completely.
TEST_F(ConfigBases, lists_are_replaced_as_a_whole) {
  write("base.yaml",
        "model: {d_model: 24, layers: 3}\n"
        "attention: {heads: [4, 2, 1], pattern: [[full, window 3, causal, full], [causal], full]}\n"
        "decoder_self: {heads: [4, 2, 1]}\n");
  const std::string file = write("a.yaml",
                                 "attention: {heads: 2, pattern: [window 4, full]}\n"
                                 "decoder_self: {heads: auto}\nbase: base.yaml\n");
  const ModelOptions model = load_config(file).config.model;
  EXPECT_THAT(model.encoder_self.heads.values, ElementsAre(2));
  EXPECT_THAT(model.decoder_self.heads.values, ElementsAre(2));
  EXPECT_EQ(model.encoder_self.pattern.at(2).at(0), model.encoder_self.pattern.at(0).at(0));
}

// A relative path starts at the file that names it, in YAML and JSON.
TEST_F(ConfigBases, have_bases_of_their_own) {
  const std::string lowest =
      write("shared/low.json", R"({"seed": 1, "training": {"warmup": 7, "steps": 50}})");
  const std::string middle =
      write("shared/deep/middle.yaml", "base: ../low.json\ntraining: {steps: 60}\n");
  const std::string file =
      write("own/a.json", R"({"base": "../shared/deep/middle.yaml", "seed": 2})");
  const LoadedConfig loaded = load_config(file);
  EXPECT_EQ(loaded.config.seed, 2U);
  EXPECT_EQ(loaded.config.training.warmup, 7);
  EXPECT_EQ(loaded.config.training.steps, 60);
  EXPECT_THAT(loaded.files, ElementsAre(fs::path(file), fs::path(middle), fs::path(lowest)));
  const std::string absolute = write("b.yaml", "base: " + middle + "\n");
  EXPECT_EQ(load_config(absolute).config.training.warmup, 7);
}

TEST_F(ConfigBases, are_not_part_of_what_is_written) {
  write("base.yaml", "model: {d_model: 24}\n");
  const LoadedConfig loaded = load_config(write("a.yaml", "base: base.yaml\n"));
  const std::string dump = dump_config(loaded.config);
  EXPECT_THAT(dump, Not(HasSubstr("\nbase:")));
  EXPECT_EQ(dump_config(parse_config(dump, "run/config.yaml").config), dump);
}

TEST_F(ConfigBases, can_choose_the_task) {
  write("base.yaml", "task: {name: recall, facts: 3}\n");
  const std::string same = write("same.yaml", "base: base.yaml\ntask: {facts: 4}\n");
  EXPECT_EQ(load_config(same).config.task.kind().name, "recall");
  const std::string other = write("other.yaml", "base: base.yaml\ntask: {name: copy}\n");
  EXPECT_EQ(error_of(other),
            (here / "base.yaml").string() +
                ":1:22: task.facts: not an option of the task copy; it belongs to recall");
}

TEST_F(ConfigBases, that_are_not_there_are_named_with_their_place) {
  write("base.yaml", "seed: 3\n");
  const std::string file = write("a.yaml", "seed: 1\nbase: bsae.yaml\n");
  const std::string folder = here.path().string();
  EXPECT_EQ(error_of(file), file + ":2:7: base: " + folder +
                                "/bsae.yaml: no such file; did you mean " + folder + "/base.yaml?");
  const std::string middle = write("middle.yaml", "\n\nbase: none/x.yaml\n");
  EXPECT_EQ(error_of(write("b.yaml", "base: middle.yaml\n")),
            middle + ":3:7: base: " + folder + "/none/x.yaml: no such file");
  EXPECT_THAT(error_of(write("c.yaml", "base: .\n")), HasSubstr("a directory, not a config file"));
}

TEST_F(ConfigBases, need_a_path) {
  for (const std::string value : {"", "[b.yaml]", "{seed: 1}", "\"\""}) {
    const std::string file = write("a.yaml", "base: " + value + "\nseed: 1\n");
    EXPECT_THAT(error_of(file), HasSubstr("base: expected the path of a config file")) << value;
  }
}

TEST_F(ConfigBases, do_not_form_cycles) {
  const std::string own = write("own.yaml", "base: own.yaml\n");
  EXPECT_EQ(error_of(own),
            own + ":1:7: base: a config cannot inherit from itself (" + own + " -> " + own + ")");
  const std::string first = write("first.yaml", "base: second.yaml\n");
  const std::string second = write("second.yaml", "seed: 1\nbase: ./first.yaml\n");
  EXPECT_EQ(error_of(first), second + ":2:7: base: a config cannot inherit from itself (" + first +
                                 " -> " + second + " -> " + first + ")");
  const std::string into = write("into.yaml", "base: first.yaml\n");
  EXPECT_THAT(error_of(into), HasSubstr("(" + first + " -> " + second + " -> "));
  fs::create_symlink(here / "linked.yaml", here / "link.yaml");
  EXPECT_THAT(error_of(write("linked.yaml", "base: link.yaml\n")),
              HasSubstr("cannot inherit from itself"));
}

// A mistake is reported in the file that has it, even if the config overrides the option.
TEST_F(ConfigBases, are_checked_like_any_config) {
  const std::string base = write("base.yaml", "model: {d_model: many}\n");
  EXPECT_THAT(error_of(write("a.yaml", "base: base.yaml\nmodel: {d_model: 8}\n")),
              HasSubstr(base + ":1:18: model.d_model: not a number (many"));
  const std::string broken = write("broken.yaml", "seed: 1\nseed: 2\n");
  EXPECT_THAT(error_of(write("b.yaml", "base: broken.yaml\n")),
              HasSubstr(broken + ":2:1: seed: written twice"));
}

// If both files together break a rule, the error points at the first option that the rule names.
TEST_F(ConfigBases, share_rules_with_what_inherits) {
  const std::string base = write("base.yaml", "training: {warmup: 30}\n");
  EXPECT_THAT(error_of(write("a.yaml", "base: base.yaml\ntraining: {steps: 20}\n")),
              HasSubstr(base + ":1:20: training.warmup: the warmup must end before"));
}

TEST_F(ConfigBases, belong_to_files_alone) {
  const std::string file = write("a.yaml", "seed: 1\n");
  EXPECT_EQ(error_of(file, {"base=b.yaml"}), "--set base=b.yaml: only a config file has a base");
  EXPECT_THAT(error_of(write("b.yaml", "model: {base: a.yaml}\n")),
              HasSubstr("b.yaml:1:9: model.base: unknown option"));
}

}}  // namespace tapehead
