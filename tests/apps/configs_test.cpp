// Every shipped config loads, trains two steps, and has correct gradients.
#include <cctype>
#include <regex>

#include "lab/sweep/plan.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

std::vector<fs::path> configs() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(TAPEHEAD_SOURCE_DIR "/configs")) {
    if (entry.is_regular_file()) {
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
  const auto has = [&](const std::string& option) {
    return config.find("\n  " + option + ":") != std::string::npos;
  };
  Arguments overrides;
  for (const std::string split : {"train", "validation", "test", "longer"}) {
    if (has(split + "_examples")) {
      overrides.push_back("task." + split + "_examples=" + (split == "train" ? "400" : "10"));
    }
    for (const std::string side : {"source", "target"}) {
      if (has(split + "_" + side)) {
        overrides.push_back("task." + split + "_" + side + "=" TAPEHEAD_FIXTURES "/text/" + split +
                            (side == "source" ? ".en" : ".de"));
      }
    }
  }
  if (has("further_tests")) {
    overrides.insert(overrides.end(), {"task.further_sources=" TAPEHEAD_FIXTURES "/text/test.en",
                                       "task.further_targets=" TAPEHEAD_FIXTURES "/text/test.de",
                                       "task.further_types=[]", "task.type_groups=[]"});
  }
  for (const std::string split : {"train", "validation", "test"}) {
    if (has(split + "_tsv")) {
      overrides.push_back("task." + split + "_tsv=" TAPEHEAD_FIXTURES "/labelled/" + split +
                          ".tsv");
    }
  }
  if (has("text")) {
    overrides.emplace_back("task.text=" TAPEHEAD_FIXTURES "/text/train.en");
  }
  if (has("train_text")) {
    overrides.emplace_back("task.train_text=" TAPEHEAD_FIXTURES "/text/train.en");
  }
  if (has("tokenizer")) {
    overrides.emplace_back("task.vocabulary=120");
  }
  return overrides;
}

class Configs : public TestWithParam<fs::path> {};

TEST_P(Configs, passes_the_gradient_check) {
  const ProgramDirectory here;
  Arguments arguments{"gradcheck", GetParam().string()};
  set_options(arguments, small_data(with_bases(GetParam())));
  const ProgramResult result = here.run(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  EXPECT_NE(result.output.find("all gradients are right"), std::string::npos) << result.output;
}

TEST_P(Configs, trains_two_steps) {
  const ProgramDirectory here;
  Arguments arguments{"train", GetParam().string(), "--run", "a"};
  set_options(arguments, small_data(with_bases(GetParam())));
  set_options(arguments, {"training.steps=2", "training.warmup=1"});
  const std::string config = with_bases(GetParam());
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

INSTANTIATE_TEST_SUITE_P(Shipped, Configs, ValuesIn(configs()), [](const auto& test) {
  std::string name = test.param.stem().string();
  std::ranges::replace_if(name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

}}  // namespace tapehead
