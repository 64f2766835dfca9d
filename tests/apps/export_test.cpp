// `tapehead export` makes a directory that another program can read.
#include <sys/file.h>

#include "core/files/files.hpp"
#include "core/files/json_text.hpp"
#include "core/files/tensor_file.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/text_training.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

std::vector<std::string> names_in(const fs::path& directory) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

const std::vector<std::string> pytorch_files{"model.safetensors", "model.py", "vocabulary.json"};

class Export : public SharedRuns<Export> {
 public:
  static void prepare() { here->output(tiny_training("r")); }

 protected:
  static Json json_in(const std::string& file) { return Json::parse(content_of(*here / file)); }
  // Exports r for PyTorch.
  static std::string export_r(const std::string& to, const Arguments& options = {}) {
    return here->output(Arguments{"export", "r", to, "--as", "pytorch"} + options);
  }
};

TEST_F(Export, writes_weights_code_and_vocabulary) {
  EXPECT_THAT(export_r("e"),
              AllOf(HasSubstr("e: model.py of "),
                    HasSubstr("files: model.safetensors, model.py, vocabulary.json\n")));
  const TensorFile weights(*here / "e/model.safetensors", Trust::any);
  const TensorFile best(*here / "r/checkpoints/best.safetensors");
  ASSERT_EQ(weights.entries().size(), best.entries().size());
  for (const TensorEntry& entry : best.entries()) {
    const TensorEntry& written = weights.entry(entry.name);
    EXPECT_EQ(written.shape, entry.shape) << entry.name;
    EXPECT_EQ(written.dtype, DType::f32);
    EXPECT_TRUE(std::ranges::equal(written.bytes, entry.bytes)) << entry.name;
  }
  const Json vocabulary = json_in("e/vocabulary.json");
  for (const std::string side : {"source", "target"}) {
    EXPECT_EQ(vocabulary[side][1], "<s>");
    EXPECT_EQ(vocabulary[side].size(),
              static_cast<std::size_t>(weights.entry(side + ".embedding").shape.front()));
  }
  const ProgramResult compiled =
      Program({"-m", "py_compile", "e/model.py"}, here->path(), "/usr/bin/python3").wait();
  EXPECT_EQ(compiled.exit_code, 0) << compiled.errors;
}

TEST_F(Export, has_the_options_and_the_name_of_the_run_beside_the_weights) {
  here->output(tiny_training("decoder", {"model.family=decoder", "attention.positions=alibi"}));
  here->output("export decoder options --as pytorch");
  const TensorFile weights(*here / "options/model.safetensors", Trust::any);
  const Json settings = Json::parse(weights.metadata("tapehead"));
  EXPECT_EQ(settings["run"], "decoder (best.safetensors)");
  EXPECT_EQ(settings["model"]["family"], "decoder");
  EXPECT_EQ(settings["decoder_self"]["positions"], "alibi");
  EXPECT_FALSE(settings["model"].contains("init_from")) << "a path";
  const Json vocabulary = json_in("options/vocabulary.json");
  EXPECT_TRUE(vocabulary.contains("input") && vocabulary.contains("output")) << "of one sequence";
  expect_same_file(*here / "options/model.py", TAPEHEAD_SOURCE_DIR "/python/tapehead_torch.py");
}

// Runs with numpy instead of PyTorch. At these learning rates the models learn to write something.
TEST_F(Export, writes_greedily_what_translate_writes) {
  here->write("lines", "3 1 2\n0 5 5 8 1 2 9\n4\n9 9 7\n6 6 6 6 6\n");
  here->write("write.py", R"(
import json
import torch
from model import greedy, load

model, entries = load("g"), json.load(open("g/vocabulary.json"))
source, target = entries.values()
end = [2] if model.settings.model.family == "encoder_decoder" else []
for line in open("lines"):
    read = [source.index(word) for word in line.split()]
    print(*(target[token] for token in greedy(model, torch.tensor(read + end), len(read) + 9)))
)");
  for (const std::string family : {"encoder_decoder", "decoder"}) {
    SCOPED_TRACE(family);
    here->output(tiny_training(
        "g_run",
        {"model.family=" + family, "evaluation.max_extra_length=9",
         family == "decoder" ? "training.learning_rate=0.001" : "training.learning_rate=0.003"},
        {"--overwrite"}));
    here->output("export g_run g --as pytorch --overwrite");
    const ProgramResult written =
        Program({"PYTHONPATH=g:" TAPEHEAD_SOURCE_DIR "/tests/python/numpy_torch",
                 "/usr/bin/python3", "-B", "write.py"},
                here->path(), "/usr/bin/env")
            .wait();
    EXPECT_EQ(written.exit_code, 0) << written.errors;
    EXPECT_EQ(written.output, here->output("translate g_run --beam 1 --input lines"));
    EXPECT_NE(written.output, "\n\n\n\n\n");
  }
}

TEST_F(Export, gives_one_object_of_json) {
  here->output(labelled_training(*here, "classes", {"training.steps=2", "evaluation.every=2"}));
  const auto said = here->json_of("export classes labels --as pytorch --json");
  EXPECT_EQ(said["run"], "classes");
  EXPECT_EQ(said["directory"], "labels");
  EXPECT_EQ(said["as"], "pytorch");
  EXPECT_EQ(said["files"], pytorch_files);
  EXPECT_GT(said["parameters"], 0);
  EXPECT_EQ(json_in("labels/vocabulary.json")["input"][2], "</s>");
}

TEST_F(Export, keeps_what_is_in_the_directory) {
  fs::create_directory(*here / "kept");
  export_r("kept");
  here->write("kept/model.py", "mine");
  here->write("kept/notes", "mine");
  here->write("file", "mine");
  here->expect_refusals({{{"export", "r", "kept", "--as", "pytorch"},
                          1,
                          {"kept is not empty; --overwrite replaces the files"}},
                         {{"export", "r", "file", "--as", "pytorch"}, 1, {"file"}}});
  EXPECT_EQ(content_of(*here / "kept/model.py"), "mine");
  EXPECT_EQ(content_of(*here / "file"), "mine");
  export_r("kept", {"--overwrite"});
  EXPECT_THAT(content_of(*here / "kept/model.py"), HasSubstr("class Transformer("));
  EXPECT_EQ(content_of(*here / "kept/notes"), "mine");
}

// A file cannot be renamed to another file system; on Linux /dev/shm is a separate one.
TEST_F(Export, replaces_one_on_another_file_system_through_a_link) {
  if (!fs::is_directory("/dev/shm")) {
    GTEST_SKIP() << "there is no /dev/shm";
  }
  const fs::path elsewhere = "/dev/shm" / here->path().filename();
  fs::create_directory(elsewhere);
  fs::create_directory_symlink(elsewhere, *here / "link");
  export_r("link");
  export_r("link", {"--overwrite"});
  EXPECT_THAT(names_in(elsewhere), UnorderedElementsAreArray(pytorch_files));
  fs::remove_all(elsewhere);
}

TEST_F(Export, removes_what_a_killed_one_left_but_nothing_of_one_that_runs_or_beside_it) {
  for (const char* name : {"beside/e.unfinished", "beside/e/.unfinished-killed/target",
                           "beside/e/.unfinished-runs/target"}) {
    fs::create_directories(*here / name);
  }
  here->write("beside/e.unfinished/notes", "mine");
  const OpenFile lock(*here / "beside/e/.unfinished-runs", O_RDONLY);
  ASSERT_EQ(::flock(lock.descriptor(), LOCK_EX), 0);
  export_r("beside/e");
  EXPECT_EQ(content_of(*here / "beside/e.unfinished/notes"), "mine");
  EXPECT_THAT(names_in(*here / "beside"), UnorderedElementsAre("e", "e.unfinished"));
  EXPECT_THAT(
      names_in(*here / "beside/e"),
      UnorderedElementsAre(".unfinished-runs", "model.safetensors", "model.py", "vocabulary.json"));
}

// config.json, the first file of the new form, cannot be put in place.
TEST_F(Export, that_fails_removes_nothing_of_an_earlier_one) {
  here->output(tiny_training("marian", {"model.preset=vaswani"}));
  here->output("export marian failed --as pytorch");
  fs::create_directories(*here / "failed/config.json/mine");
  EXPECT_THAT(here->refusal(1, "export marian failed --overwrite"),
              HasSubstr("cannot write failed/config.json: "));
  EXPECT_THAT(names_in(*here / "failed"), UnorderedElementsAre("config.json", "model.safetensors",
                                                               "model.py", "vocabulary.json"));
}

}}  // namespace tapehead
