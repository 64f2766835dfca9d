// Files that a resume makes stale are removed or rewritten, so no command reads a former state of
// the run. A run with damaged checkpoints resumes from an intact one, or says what can be done;
// files of a run that are links to other files change nothing there.
#include "core/files/tensor_file.hpp"
#include "tests/support/text_training.hpp"
#include "tests/support/tiny_runs.hpp"
#include "train/run/checkpoints.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

// The run `a` has 40 steps, with a checkpoint every 10 steps and an evaluation every 20.
class ResumeKeptFiles : public TinyRuns {
 protected:
  void train(const Arguments& overrides) {
    fs::remove_all(here / "a");
    output(tiny_training("a", overrides));
  }
  std::string resume(const Arguments& overrides = {}) { return resumed("a", overrides); }
  fs::path checkpoint(const std::string& name) const {
    return here / "a/checkpoints" / (name + ".safetensors");
  }
  std::string fact(const std::string& name, const std::string& key) const {
    return TensorFile(checkpoint(name)).metadata(key);
  }
  // The bytes of a checkpoint's output weights.
  std::string output_weights(const std::string& name) const {
    const TensorFile file(checkpoint(name));
    const auto bytes = file.bytes("output.weight");
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
};

TEST_F(ResumeKeptFiles, without_an_average_the_old_one_is_neither_tested_nor_there) {
  for (const Arguments& more : {Arguments{}, {"training.steps=60"}}) {
    train({"training.average_last=2"});
    ASSERT_TRUE(fs::exists(checkpoint("average")));
    EXPECT_THAT(
        resume(Arguments{"training.average_last=0"} + more),
        AllOf(HasSubstr("best.safetensors of a:"), Not(HasSubstr("average.safetensors of a:"))));
    EXPECT_FALSE(fs::exists(checkpoint("average")));
  }
  EXPECT_THAT(checkpoint_names(here / "a"), Not(Contains(StartsWith("weights_"))));
  const auto figures = [&](const std::string& options) {
    const std::string json = output("evaluate a --json" + options);
    return json.substr(0, json.find("\"seconds\""));
  };
  EXPECT_EQ(figures(""), figures(" --checkpoint best"));
}

TEST_F(ResumeKeptFiles, the_average_is_of_as_many_as_it_is_to_be) {
  train({"training.average_last=3"});
  ASSERT_EQ(fact("average", "averaged"), "3");
  copy_run("a", "trained");
  resume({"training.average_last=1"});
  EXPECT_EQ(fact("average", "averaged"), "1");
  EXPECT_EQ(output_weights("average"), output_weights("weights_00000040"));
  // Those of the former interval count.
  fs::remove_all(here / "a");
  copy_run("trained", "a");
  resume({"training.checkpoint_every=25", "training.steps=50"});
  EXPECT_EQ(fact("average", "averaged"), "3");
  EXPECT_TRUE(fs::exists(checkpoint("weights_00000030")));
}

TEST_F(ResumeKeptFiles, an_average_of_a_later_step_is_made_anew) {
  train({"training.average_last=2"});
  const std::string steps_30_and_40 = output_weights("average");
  fs::remove(step_checkpoint(here / "a", 40));
  EXPECT_THAT(
      resume({"training.steps=30"}),  // that checkpoint exists already
      HasSubstr("weights_00000040.safetensors is of step 40, but the run continues from step 30"));
  EXPECT_EQ(fact("average", "step"), "30");
  EXPECT_NE(output_weights("average"), steps_30_and_40);
  EXPECT_EQ(output_weights("average"), output_weights("weights_00000030"));
}

TEST_F(ResumeKeptFiles, a_best_of_a_later_step_goes) {
  train({"training.average_last=0"});
  ASSERT_EQ(fact("best", "step"), "40");
  fs::remove(step_checkpoint(here / "a", 40));
  resume({"training.steps=35", "training.learning_rate=0"});
  // Whatever the next evaluation gives: the resumed run has had no better one.
  EXPECT_EQ(fact("best", "step"), "35");
}

TEST_F(ResumeKeptFiles, a_best_of_the_step_resumed_from_is_made_anew) {
  train({"training.checkpoint_every=20", "evaluation.metric=loss"});
  fs::remove(step_checkpoint(here / "a", 40));
  EXPECT_THAT(resume({"training.learning_rate=100"}),  // makes the model worse
              HasSubstr("the weights of step 20 are the best so far"));
  EXPECT_EQ(fact("best", "step"), "20");
  EXPECT_EQ(output_weights("best"), output_weights("step_00000020"));
}

// Only the checkpoint of step 30 is left, but evaluations are at steps 20 and 40.
TEST_F(ResumeKeptFiles, without_the_best_a_worse_one_is_called_the_best_since_a_resume) {
  train({"evaluation.metric=loss"});
  fs::remove(step_checkpoint(here / "a", 40));
  copy_run("a", "without_best");
  fs::remove(here / "without_best/checkpoints/best.safetensors");
  EXPECT_THAT(resume({"training.learning_rate=100"}),
              AllOf(HasSubstr("(best since a resume; before the resume the best loss was "),
                    Not(HasSubstr("by the loss alone"))));
  EXPECT_EQ(fact("best", "step"), "40");
  EXPECT_THAT(resumed("without_best"),
              HasSubstr("warning: without_best/checkpoints/best.safetensors is missing; "));
}

// Like a training that was killed in its last save before it removed older checkpoints.
TEST_F(ResumeKeptFiles, what_an_interrupted_save_left_over_goes) {
  train({"training.average_last=1"});
  const auto names = checkpoint_names(here / "a");
  fs::copy_file(checkpoint("step_00000030"), checkpoint("step_00000020"));
  fs::copy_file(checkpoint("weights_00000040"), checkpoint("weights_00000030"));
  resume();
  EXPECT_EQ(checkpoint_names(here / "a"), names);
}

TEST_F(ResumeKeptFiles, a_best_by_another_metric_goes) {
  train({"evaluation.metric=token_accuracy"});
  ASSERT_TRUE(fs::exists(checkpoint("best")));
  EXPECT_THAT(resume({"evaluation.metric=loss"}),
              AllOf(HasSubstr("by loss, not by token_accuracy"),
                    HasSubstr("step_00000040.safetensors of a:")));
  EXPECT_FALSE(fs::exists(checkpoint("best")));
  resume({"training.steps=50"});
  EXPECT_EQ(fact("best", "step"), "50");
  // BLEU of ten outputs and BLEU of all outputs are not comparable.
  train({"evaluation.metric=bleu"});
  resume({"evaluation.decode_examples=10"});
  EXPECT_FALSE(fs::exists(checkpoint("best")));
}

TEST_F(ResumeKeptFiles, a_best_and_weights_that_do_not_hold_go) {
  train({"training.average_last=2"});
  fs::resize_file(checkpoint("best"), 100);
  fs::copy_file(checkpoint("weights_00000030"), checkpoint("weights_00000040"),
                fs::copy_options::overwrite_existing);
  here.write("a/checkpoints/weights_00000030.safetensors", "x");
  EXPECT_THAT(resume({"training.steps=60"}),
              AllOf(HasSubstr("best.safetensors: it is truncated"),
                    HasSubstr("weights_00000030.safetensors: it is truncated")));
  EXPECT_EQ(fact("best", "step"), "60");
  EXPECT_EQ(fact("average", "averaged"), "2");
}

TEST_F(ResumeKeptFiles, page_scores_and_replay_go_with_the_first_new_step) {
  train({});
  const auto files = {"a/report.html", "a/scores.jsonl", "a/replay.safetensors"};
  for (const char* file : files) {
    here.write(file, "of 40 steps");
  }
  resume();
  EXPECT_TRUE(fs::exists(here / "a/report.html")) << "nothing has changed";
  fs::remove(here / "a/checkpoints/elapsed.json");
  std::ofstream(here / "a/times.jsonl", std::ios::app)
      << R"({"step": 40, "seconds": 1000})" << '\n';
  resume({"training.steps=41"});
  for (const char* file : files) {
    EXPECT_FALSE(fs::exists(here / file)) << file;
  }
  EXPECT_GE(read_elapsed_seconds(here / "a/checkpoints"), 1000) << "time goes on";
  here.write("a/scores.jsonl", "of a beam of 1");
  resume({"evaluation.beam=4"});
  EXPECT_FALSE(fs::exists(here / "a/scores.jsonl")) << "other options";
}

// A link to itself stands for what the system refuses to read, perhaps for a moment only.
TEST_F(ResumeKeptFiles, what_cannot_be_read_now_is_named_and_stays) {
  const auto loop = [](const fs::path& file) {
    fs::remove(file);
    fs::create_symlink(file.filename(), file);
  };
  train({"training.average_last=2"});
  copy_run("a", "trained");
  const Arguments resume_of_a = resumed_training("a");
  for (const fs::path& file : {checkpoint("best"), checkpoint("average"),
                               checkpoint("weights_00000030"), here / "a/record.json"}) {
    fs::remove_all(here / "a");
    copy_run("trained", "a");
    loop(file);
    EXPECT_THAT(complaint(resume_of_a),
                AllOf(HasSubstr(file.filename()), HasSubstr("Too many levels of symbolic links")));
    EXPECT_TRUE(fs::is_symlink(file));
  }
  fs::remove_all(here / "a");
  copy_run("trained", "a");
  loop(checkpoint("step_00000030"));
  loop(checkpoint("step_00000040"));
  EXPECT_THAT(complaint(resume_of_a), AllOf(HasSubstr("repair what the messages above name"),
                                            Not(HasSubstr("--overwrite"))));
}

class ResumeFromDamaged : public TinyRuns {
 protected:
  void SetUp() override {
    train(tiny_training("a", {"training.average_last=2"}));
    copy_run("a", "unbroken");
  }
  static void flip_a_bit(const fs::path& file) {
    std::string bytes = content_of(file);
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x10);
    std::ofstream(file, std::ios::binary) << bytes;
  }
  fs::path newest = step_checkpoint(here / "a", 40);
  fs::path previous = step_checkpoint(here / "a", 30);
};

TEST_F(ResumeFromDamaged, a_checkpoint_gives_way_to_the_previous_one) {
  using Damage = void (*)(const fs::path&);
  for (const auto& [name, damage] :
       {std::pair<const char*, Damage>{
            "truncated", [](const fs::path& it) { fs::resize_file(it, fs::file_size(it) - 100); }},
        {"empty", [](const fs::path& it) { fs::resize_file(it, 0); }},
        {"of a flipped bit", flip_a_bit}}) {
    SCOPED_TRACE(name);
    damage(newest);
    EXPECT_THAT(resumed("a"), AllOf(HasSubstr("warning: "), HasSubstr(newest.filename().string()),
                                    HasSubstr("resuming a at step 30")));
    expect_same_runs(here / "unbroken", here / "a");
  }
}

TEST_F(ResumeFromDamaged, with_none_that_holds_nothing_is_touched) {
  flip_a_bit(newest);
  fs::resize_file(previous, 50);
  const auto expect_advice = [&](const std::string& advice) {
    fs::remove_all(here / "damaged");
    copy_run("a", "damaged");
    expect_refusals({{resumed_training("a"),
                      1,
                      {newest.filename().string(), previous.filename().string(), advice + "\n"}}});
    expect_same_runs(here / "damaged", here / "a");
  };
  expect_advice("start another run from its weights: --set model.init_from=a --run DIR");
  for (const char* name : {"best", "average"}) {
    flip_a_bit(here / fmt::format("a/checkpoints/{}.safetensors", name));
  }
  expect_advice("start again with --overwrite");
}

TEST_F(ResumeFromDamaged, what_else_can_be_evaluated_is_named) {
  flip_a_bit(here / "a/checkpoints/average.safetensors");
  expect_refusals({{"evaluate a", 1, {"average.safetensors", "; try --checkpoint best or last"}}});
  output("evaluate a --checkpoint best");
}

class Links : public TinyRuns {
 protected:
  void SetUp() override {
    train(text_training(here, "r", {"training.average_last=1", "run.tensorboard=true"}));
    for (const char* name : {"report.html", "scores.jsonl", "replay.safetensors"}) {
      std::ofstream(here / "r" / name) << "of the run";
    }
  }
};

TEST_F(Links, to_files_are_refused_or_replaced) {
  std::set<fs::path> names;
  for (const auto& entry : fs::recursive_directory_iterator(here / "r")) {
    if (entry.is_regular_file()) {
      names.insert(entry.path().lexically_relative(here / "r"));
    }
  }
  ASSERT_GE(names.size(), 16U);
  const std::set<fs::path> appended{".lock", "log.txt", "metrics.jsonl", "times.jsonl"};
  for (const fs::path& name : names) {
    fs::remove_all(here / "copy");
    copy_run("r", "copy");
    const std::string before = content_of(here / "r" / name);
    std::ofstream(here / "victim", std::ios::binary) << before;
    fs::remove(here / "copy" / name);
    fs::create_symlink(here / "victim", here / "copy" / name);
    const ProgramResult end = run("train a.yaml --run copy --resume --set training.steps=41");
    EXPECT_TRUE(content_of(here / "victim") == before) << name << '\n' << end.errors;
    EXPECT_EQ(end.exit_code, appended.contains(name) ? 1 : 0) << name << '\n' << end.errors;
    if (end.exit_code != 0) {
      EXPECT_THAT(end.errors, HasSubstr("copy/" + name.string() + ": it is a symbolic link"));
    }
  }
}

TEST_F(Links, to_directories_are_refused_but_the_run_may_be_one) {
  fs::rename(here / "r", here / "elsewhere");
  fs::create_directory_symlink("elsewhere", here / "r");
  const Arguments again = resumed_training("r", {"training.steps=41"});
  for (const std::string name : {"checkpoints", "tokens"}) {
    fs::rename(here / "r" / name, here / name);
    fs::create_directory_symlink(here / name, here / "r" / name);
    here.write(name + "/step_00000050.safetensors", "of somebody else");
    expect_refusals({{again, 1, {"r/" + name + ": it is a symbolic link"}}});
    EXPECT_EQ(content_of(here / name / "step_00000050.safetensors"), "of somebody else");
    fs::remove(here / "r" / name);
    fs::rename(here / name, here / "r" / name);
  }
  fs::remove(here / "r/checkpoints/step_00000050.safetensors");
  output(again);
}

}}  // namespace tapehead
