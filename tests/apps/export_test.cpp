// `tapehead export` makes a directory that another program can read.
#include <fcntl.h>
#include <sys/file.h>

#include "core/files/files.hpp"
#include "core/files/json_text.hpp"
#include "core/files/tensor_file.hpp"
#include "tests/support/labelled_training.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

std::vector<std::string> names_in(const fs::path& directory) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

class Export : public ProgramRuns {};

TEST_F(Export, writes_weights_code_and_vocabulary) {
  output(tiny_training("r"));
  EXPECT_THAT(output({"export", "r", "e", "--as", "pytorch"}),
              AllOf(HasSubstr("e: model.py of "),
                    HasSubstr("files: model.safetensors, model.py, vocabulary.json\n")));
  const TensorFile weights(here / "e/model.safetensors", Trust::any);
  const TensorFile best(here / "r/checkpoints/best.safetensors");
  ASSERT_EQ(weights.entries().size(), best.entries().size());
  for (const TensorEntry& entry : best.entries()) {
    const TensorEntry& written = weights.entry(entry.name);
    EXPECT_EQ(written.shape, entry.shape) << entry.name;
    EXPECT_EQ(written.dtype, DType::f32);
    EXPECT_TRUE(std::ranges::equal(written.bytes, entry.bytes)) << entry.name;
  }
  const Json vocabulary = Json::parse(content_of(here / "e/vocabulary.json"));
  for (const char* side : {"source", "target"}) {
    EXPECT_EQ(vocabulary[side][1], "<s>");
    EXPECT_EQ(
        vocabulary[side].size(),
        static_cast<std::size_t>(weights.entry(std::string(side) + ".embedding").shape.front()));
  }
  const ProgramResult compiled =
      Program({"-m", "py_compile", "e/model.py"}, here.path(), "/usr/bin/python3").wait();
  EXPECT_EQ(compiled.exit_code, 0) << compiled.errors;
}

TEST_F(Export, has_the_options_and_the_name_of_the_run_beside_the_weights) {
  Arguments training = tiny_training("r");
  set_options(training, {"model.family=decoder", "attention.positions=alibi"});
  output(training);
  output({"export", "r", "e", "--as", "pytorch"});
  const TensorFile weights(here / "e/model.safetensors", Trust::any);
  const Json settings = Json::parse(weights.metadata("tapehead"));
  EXPECT_EQ(settings["run"], "r (best.safetensors)");
  EXPECT_EQ(settings["model"]["family"], "decoder");
  EXPECT_EQ(settings["decoder_self"]["positions"], "alibi");
  EXPECT_FALSE(settings["model"].contains("init_from")) << "a path";
  const Json vocabulary = Json::parse(content_of(here / "e/vocabulary.json"));
  EXPECT_TRUE(vocabulary.contains("input") && vocabulary.contains("output")) << "of one sequence";
  EXPECT_EQ(content_of(here / "e/model.py"),
            content_of(TAPEHEAD_SOURCE_DIR "/python/tapehead_torch.py"));
}

// Runs with numpy instead of PyTorch. At these learning rates the models learn to write something.
TEST_F(Export, writes_greedily_what_translate_writes) {
  std::ofstream(here / "lines") << "3 1 2\n0 5 5 8 1 2 9\n4\n9 9 7\n6 6 6 6 6\n";
  std::ofstream(here / "write.py") << R"(
import json
import torch
from model import greedy, load

model, entries = load("e"), json.load(open("e/vocabulary.json"))
source, target = entries.values()
end = [2] if model.settings.model.family == "encoder_decoder" else []
for line in open("lines"):
    read = [source.index(word) for word in line.split()]
    print(*(target[token] for token in greedy(model, torch.tensor(read + end), len(read) + 9)))
)";
  for (const auto& [family, rate] : {std::pair("encoder_decoder", "0.003"), {"decoder", "0.001"}}) {
    SCOPED_TRACE(family);
    output(tiny_training("r",
                         {std::string("model.family=") + family, "evaluation.max_extra_length=9",
                          std::string("training.learning_rate=") + rate},
                         {"--overwrite"}));
    output({"export", "r", "e", "--as", "pytorch", "--overwrite"});
    const ProgramResult written =
        Program({"PYTHONPATH=e:" TAPEHEAD_SOURCE_DIR "/tests/python/numpy_torch",
                 "/usr/bin/python3", "-B", "write.py"},
                here.path(), "/usr/bin/env")
            .wait();
    EXPECT_EQ(written.exit_code, 0) << written.errors;
    EXPECT_EQ(written.output, output({"translate", "r", "--beam", "1", "--input", "lines"}));
    EXPECT_NE(written.output, "\n\n\n\n\n");
  }
}

TEST_F(Export, gives_one_object_of_json) {
  output(labelled_training(here, "r", {"training.steps=2", "evaluation.every=2"}));
  const Json said = Json::parse(output({"export", "r", "e", "--as", "pytorch", "--json"}));
  EXPECT_EQ(said["run"], "r");
  EXPECT_EQ(said["directory"], "e");
  EXPECT_EQ(said["as"], "pytorch");
  EXPECT_THAT(said["files"], ElementsAre("model.safetensors", "model.py", "vocabulary.json"));
  EXPECT_GT(said["parameters"], 0);
  const Json vocabulary = Json::parse(content_of(here / "e/vocabulary.json"));
  EXPECT_EQ(vocabulary["input"][2], "</s>");
}

TEST_F(Export, keeps_what_is_in_the_directory) {
  output(tiny_training("r"));
  fs::create_directory(here / "e");
  output({"export", "r", "e", "--as", "pytorch"});
  std::ofstream(here / "e/model.py") << "mine";
  std::ofstream(here / "e/notes") << "mine";
  EXPECT_THAT(refusal(1, {"export", "r", "e", "--as", "pytorch"}),
              HasSubstr("e is not empty; --overwrite replaces the files"));
  EXPECT_EQ(content_of(here / "e/model.py"), "mine");
  output({"export", "r", "e", "--as", "pytorch", "--overwrite"});
  EXPECT_THAT(content_of(here / "e/model.py"), HasSubstr("class Transformer("));
  EXPECT_EQ(content_of(here / "e/notes"), "mine");
  std::ofstream(here / "file") << "mine";
  EXPECT_EQ(run({"export", "r", "file", "--as", "pytorch"}).exit_code, 1);
  EXPECT_EQ(content_of(here / "file"), "mine");
}

// A file cannot be renamed to another file system; on Linux /dev/shm is a separate one.
TEST_F(Export, replaces_one_on_another_file_system_through_a_link) {
  if (!fs::is_directory("/dev/shm")) {
    GTEST_SKIP() << "there is no /dev/shm";
  }
  const fs::path elsewhere = "/dev/shm" / here.path().filename();
  fs::create_directory(elsewhere);
  fs::create_directory_symlink(elsewhere, here / "e");
  output(tiny_training("r"));
  output({"export", "r", "e", "--as", "pytorch"});
  output({"export", "r", "e", "--as", "pytorch", "--overwrite"});
  EXPECT_THAT(names_in(elsewhere),
              UnorderedElementsAre("model.safetensors", "model.py", "vocabulary.json"));
  fs::remove_all(elsewhere);
}

TEST_F(Export, touches_nothing_beside_the_directory) {
  output(tiny_training("r"));
  fs::create_directory(here / "e.unfinished");
  std::ofstream(here / "e.unfinished/notes") << "mine";
  output({"export", "r", "e", "--as", "pytorch"});
  EXPECT_EQ(content_of(here / "e.unfinished/notes"), "mine");
  EXPECT_THAT(names_in(here.path()), UnorderedElementsAre("r", "e", "e.unfinished"));
  EXPECT_THAT(names_in(here / "e"),
              UnorderedElementsAre("model.safetensors", "model.py", "vocabulary.json"));
}

TEST_F(Export, removes_what_a_killed_one_left_but_not_that_of_one_that_runs) {
  output(tiny_training("r"));
  for (const char* name : {"killed", "runs"}) {
    fs::create_directories(here / "e" / (std::string(".unfinished-") + name) / "target");
  }
  const OpenFile lock(here / "e/.unfinished-runs", O_RDONLY);
  ASSERT_EQ(::flock(lock.descriptor(), LOCK_EX), 0);
  output({"export", "r", "e", "--as", "pytorch"});
  EXPECT_THAT(names_in(here / "e"), UnorderedElementsAre(".unfinished-runs", "model.safetensors",
                                                         "model.py", "vocabulary.json"));
}

// config.json, the first file of the new form, cannot be put in place.
TEST_F(Export, that_fails_removes_nothing_of_an_earlier_one) {
  Arguments training = tiny_training("r");
  set_options(training, {"model.preset=vaswani"});
  output(training);
  output({"export", "r", "e", "--as", "pytorch"});
  fs::create_directories(here / "e/config.json/mine");
  EXPECT_THAT(refusal(1, {"export", "r", "e", "--overwrite"}),
              HasSubstr("cannot write e/config.json: "));
  EXPECT_THAT(names_in(here / "e"), UnorderedElementsAre("config.json", "model.safetensors",
                                                         "model.py", "vocabulary.json"));
}

TEST_F(Export, says_what_is_missing) {
  EXPECT_THAT(run({"export", "r", "e", "--as", "pytorch"}).errors,
              HasSubstr("error: there is no run r"));
  EXPECT_THAT(refusal(2, {"export", "r", "e", "--as", "tensorflow"}),
              HasSubstr("--as tensorflow: there is no such form (one of: transformers, pytorch)"));
  EXPECT_THAT(run({"export", "r", "e"}).errors, HasSubstr("error: there is no run r"));
  EXPECT_FALSE(fs::exists(here / "e"));
}

}}  // namespace tapehead
