// A run with damaged checkpoints resumes from an intact one, or says what can be done.
#include "tests/support/testing.hpp"
#include "tests/support/tiny_runs.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

class ResumeFromDamaged : public TinyRuns {
 protected:
  void SetUp() override {
    train(tiny_training("a", {"training.average_last=2"}));
    copy_run("a", "unbroken");
    newest = step_checkpoint(here / "a", 40);
    previous = step_checkpoint(here / "a", 30);
  }
  static void flip_a_bit(const fs::path& file) {
    std::string bytes = content_of(file);
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x10);
    std::ofstream(file, std::ios::binary) << bytes;
  }
  void expect_the_previous_one_is_used() {
    const ProgramResult end = resume("a");
    EXPECT_EQ(end.exit_code, 0) << end.errors;
    EXPECT_THAT(end.errors, AllOf(HasSubstr("warning: "), HasSubstr(newest.filename().string()),
                                  HasSubstr("resuming a at step 30")));
    expect_same_runs(here / "unbroken", here / "a");
  }

  fs::path newest;
  fs::path previous;
};

TEST_F(ResumeFromDamaged, a_truncated_checkpoint_gives_way_to_the_previous_one) {
  fs::resize_file(newest, fs::file_size(newest) - 100);
  expect_the_previous_one_is_used();
}

TEST_F(ResumeFromDamaged, an_empty_checkpoint_gives_way_to_the_previous_one) {
  fs::resize_file(newest, 0);
  expect_the_previous_one_is_used();
}

TEST_F(ResumeFromDamaged, a_flipped_bit_is_seen) {
  flip_a_bit(newest);
  expect_the_previous_one_is_used();
}

TEST_F(ResumeFromDamaged, with_none_that_holds_nothing_is_touched) {
  flip_a_bit(newest);
  fs::resize_file(previous, 50);
  const auto expect_advice = [&](const std::string& advice) {
    fs::remove_all(here / "damaged");
    copy_run("a", "damaged");
    const ProgramResult end = resume("a");
    EXPECT_EQ(end.exit_code, 1);
    EXPECT_THAT(end.errors,
                AllOf(HasSubstr(newest.filename().string()),
                      HasSubstr(previous.filename().string()), HasSubstr(advice + "\n")));
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
  EXPECT_THAT(refusal(1, {"evaluate", "a"}), AllOf(HasSubstr("average.safetensors"),
                                                   HasSubstr("; try --checkpoint best or last")));
  EXPECT_EQ(run({"evaluate", "a", "--checkpoint", "best"}).exit_code, 0);
}

}}  // namespace tapehead
