// Every shipped config loads, trains two steps, and has correct gradients.
#include <cctype>
#include <regex>

#include "lab/sweep/plan.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

std::vector<fs::path> configs() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(TAPEHEAD_SOURCE_DIR "/configs")) {
    if (entry.is_regular_file() &&
        content_of(entry.path()).find("\nconfig: ") == std::string::npos) {  // no sweep
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

// The text of a config and of its bases.
std::string with_bases(const fs::path& file) {
  std::string text = content_of(file);
  const std::string key = "\nbase: ";
  const std::size_t at = text.find(key);
  if (at == std::string::npos) {
    return text;
  }
  const std::size_t name = at + key.size();
  return text + with_bases(file.parent_path() / text.substr(name, text.find('\n', name) - name));
}

// Options for a small part of the data, or for the fixture if the task reads files.
Arguments small_data(const std::string& config) {
  Arguments overrides;
  const auto set = [&](const std::string& option, const std::string& value) {
    if (config.find("\n  " + option + ":") != std::string::npos) {
      overrides.push_back("task." + option + "=" + value);
    }
  };
  const std::string fixtures = TAPEHEAD_FIXTURES;
  for (const std::string split : {"train", "validation", "test", "longer"}) {
    set(split + "_examples", split == "train" ? "400" : "10");
    set(split + "_source", fixtures + "/text/" + split + ".en");
    set(split + "_target", fixtures + "/text/" + split + ".de");
    set(split + "_tsv", fixtures + "/labelled/" + split + ".tsv");
  }
  set("further_sources", fixtures + "/text/test.en");
  set("further_targets", fixtures + "/text/test.de");
  set("further_types", "[]");
  set("type_groups", "[]");
  set("text", fixtures + "/text/train.en");
  set("train_text", fixtures + "/text/train.en");
  if (config.find("\n  tokenizer:") != std::string::npos) {
    overrides.emplace_back("task.vocabulary=120");
  }
  return overrides;
}

class Configs : public TestWithParam<fs::path> {};

TEST_P(Configs, passes_the_gradient_check) {
  const ProgramDirectory here;
  Arguments arguments{"gradcheck", GetParam().string()};
  set_options(arguments, small_data(with_bases(GetParam())));
  EXPECT_THAT(here.output(arguments), HasSubstr("all gradients are right"));
}

TEST_P(Configs, trains_two_steps) {
  const ProgramDirectory here;
  Arguments arguments{"train", GetParam().string(), "--run", "a"};
  const std::string config = with_bases(GetParam());
  set_options(arguments, small_data(config));
  set_options(arguments, {"training.steps=2", "training.warmup=1"});
  if (config.find("train_text") == std::string::npos &&
      config.find("train_tsv") == std::string::npos) {  // the task writes outputs
    set_options(arguments, {"evaluation.decode_examples=5"});
    if (!std::regex_search(config, std::regex("family: encoder\\s"))) {
      set_options(arguments, {"evaluation.max_extra_length=5"});
    }
  }
  here.output(arguments);
  EXPECT_TRUE(fs::exists(step_checkpoint(here / "a", 2)));
}

// Checks every option, value and combination. Paths in sweeps start at the repository's root.
TEST(Sweeps, can_be_planned) {
  const fs::path here = fs::current_path();
  fs::current_path(TAPEHEAD_SOURCE_DIR);
  for (const auto& entry : fs::directory_iterator("configs/sweeps")) {
    EXPECT_FALSE(plan_sweep(read_sweep(entry.path())).runs.empty()) << entry.path();
  }
  fs::current_path(here);
}

// As `sweep --example` finds it, from any directory. Each point is in a chapter.
TEST(Sweeps, see_heads_can_be_planned_from_anywhere) {
  const SweepPlan plan =
      plan_sweep(read_sweep(TAPEHEAD_SOURCE_DIR "/configs/see_heads.yaml", TAPEHEAD_SOURCE_DIR));
  EXPECT_EQ(plan.config, TAPEHEAD_SOURCE_DIR "/configs/grammar.yaml");
  EXPECT_EQ(plan.chapters.size(), 12U);
  std::set<std::string> asked;
  for (const SweepChapter& chapter : plan.chapters) {
    for (const PlacedName& point : chapter.points) {
      asked.insert(point.name);
    }
  }
  EXPECT_EQ(asked.size(), plan.cells.size());
}

INSTANTIATE_TEST_SUITE_P(Shipped, Configs, ValuesIn(configs()), [](const auto& test) {
  std::string name = test.param.stem().string();
  std::ranges::replace_if(name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

}}  // namespace tapehead
