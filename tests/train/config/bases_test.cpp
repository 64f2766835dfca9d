// Config files that inherit from others with `base`, config files that cannot be read, and the
// reference.
#include "datasets/task_kind.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"
#include "train/config/config.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

std::string error_of(const fs::path& file, const std::vector<std::string>& set = {}) {
  return message_of<ConfigError>([&] { load_config(file, set); });
}

class ConfigBases : public Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    fs::create_directories((here / name).parent_path());
    std::ofstream(here / name) << text;
    return (here / name).string();
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
  // They are not part of what is written, and give way to the command line.
  const std::string dump = dump_config(loaded.config);
  EXPECT_THAT(dump, Not(HasSubstr("\nbase:")));
  EXPECT_EQ(dump_config(parse_config(dump, "run/config.yaml").config), dump);
  const LoadedConfig changed = load_config(file, {"model.layers=5"});
  EXPECT_EQ(changed.config.model.layers, 5);
  EXPECT_EQ(changed.origins.at("model.layers"), "--set");
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
  EXPECT_EQ(error_of(write("a.yaml", "seed: 1\n"), {"base=b.yaml"}),
            "--set base=b.yaml: base can be set in a config file only");
  EXPECT_THAT(error_of(write("b.yaml", "model: {base: a.yaml}\n")),
              HasSubstr("b.yaml:1:9: model.base: unknown option"));
}

TEST_F(ConfigBases, do_not_form_cycles) {
  const std::string itself = ": base: a config cannot inherit from itself (";
  const std::string own = write("own.yaml", "base: own.yaml\n");
  EXPECT_EQ(error_of(own), own + ":1:7" + itself + own + " -> " + own + ")");
  const std::string first = write("first.yaml", "base: second.yaml\n");
  const std::string second = write("second.yaml", "seed: 1\nbase: ./first.yaml\n");
  EXPECT_EQ(error_of(first),
            second + ":2:7" + itself + first + " -> " + second + " -> " + first + ")");
  EXPECT_THAT(error_of(write("into.yaml", "base: first.yaml\n")),
              HasSubstr("(" + first + " -> " + second + " -> "));
  fs::create_symlink(here / "linked.yaml", here / "link.yaml");
  EXPECT_THAT(error_of(write("linked.yaml", "base: link.yaml\n")), HasSubstr(itself));
}

// A mistake is reported in the file that has it, even if the config overrides the option. If both
// files together break a rule, the error points at the first option that the rule names.
TEST_F(ConfigBases, are_checked_like_any_config) {
  for (const auto& [base, inheriting, error] : std::vector<std::array<std::string, 3>>{
           {"model: {d_model: many}", "model: {d_model: 8}", "1:18: model.d_model: not a number"},
           {"seed: 1\nseed: 2", "", "2:1: seed: written twice"},
           {"training: {warmup: 30}", "training: {steps: 20}",
            "1:20: training.warmup: the warmup"}}) {
    const std::string file = write("base.yaml", base + "\n");
    EXPECT_THAT(error_of(write("a.yaml", "base: base.yaml\n" + inheriting)),
                HasSubstr(file + ":" + error));
  }
}

TEST(ConfigFiles, that_cannot_be_read_are_named) {
  const std::string configs = TAPEHEAD_SOURCE_DIR "/configs";
  EXPECT_EQ(error_of(configs + "/cpoy.yaml"),
            configs + "/cpoy.yaml: no such file; did you mean " + configs + "/copy.yaml?");
  EXPECT_EQ(error_of("/nowhere/a.yaml"), "/nowhere/a.yaml: no such file");
  EXPECT_EQ(error_of(""), ": no such file");
  EXPECT_THAT(error_of(configs), EndsWith("configs: a directory, not a config file"));
  EXPECT_EQ(error_of("/dev/zero"), "/dev/zero: larger than 1 MiB, so not a config");
  // read(2) at the start of this file fails with EIO.
  EXPECT_EQ(error_of("/proc/self/mem"), "/proc/self/mem: cannot be read: Input/output error");
  const TemporaryDirectory here;
  fs::create_symlink("loop.yaml", here / "loop.yaml");
  EXPECT_THAT(error_of(here / "loop.yaml"),
              EndsWith("loop.yaml: cannot be read: Too many levels of symbolic links"));
}

TEST(ConfigFiles, the_reference_is_fresh) {
  std::ifstream stream(TAPEHEAD_SOURCE_DIR "/docs/config.md");
  const std::string page{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_TRUE(page == config_reference())
      << "docs/config.md is stale: run ./dev config --reference > docs/config.md";
}

}}  // namespace tapehead
