// Checkpoints: which are kept, from which one training resumes, and that a killed writer leaves a
// valid one.
#include <chrono>
#include <thread>

#include "core/files/files.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/io_error.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"
#include "train/run/checkpoints.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

// Saves a checkpoint whose values all equal its step, with further metadata.
void save_with(const Metadata& metadata, const Checkpoints& checkpoints, Index step,
               std::size_t count = 4) {
  const std::vector<float> values(count, static_cast<float>(step));
  const std::vector<TensorEntry> entries{{"weight",
                                          DType::f32,
                                          {static_cast<Index>(count)},
                                          std::as_bytes(std::span<const float>(values))}};
  Metadata facts = metadata;
  facts["step"] = std::to_string(step);
  checkpoints.save(step, entries, facts);
}

// Saves a checkpoint; it is regular only if its step is a multiple of the interval.
void save(const Checkpoints& checkpoints, Index step, std::size_t count = 4) {
  save_with(checkpoints.mark(step, false), checkpoints, step, count);
}

// Saves the checkpoint at the end of a training.
void save_last(const Checkpoints& checkpoints, Index step) {
  save_with(checkpoints.mark(step, true), checkpoints, step);
}

void damage(const fs::path& path) {
  std::string content = read_file(path);
  content.back() = static_cast<char>(content.back() ^ 0x10);
  std::ofstream(path, std::ios::binary) << content;
}

TEST(RunCheckpoints, names_sort_like_steps) {
  const Checkpoints checkpoints("dir", "step", KeptCheckpoints(2));
  EXPECT_EQ(checkpoints.file(1000), fs::path("dir/step_00001000.safetensors"));
  EXPECT_EQ(checkpoints.file(1000000000), fs::path("dir/step_1000000000.safetensors"));
  EXPECT_EQ(RunFiles{"dir"}.best(), fs::path("dir/checkpoints/best.safetensors"));
  EXPECT_EQ(RunFiles{"dir"}.average(), fs::path("dir/checkpoints/average.safetensors"));
}

TEST(RunCheckpoints, one_between_regular_steps_goes_with_the_next) {
  const TemporaryDirectory directory;
  const Checkpoints checkpoints(directory.path(), "step", KeptCheckpoints(2), 10);
  for (const Index step : {10, 20, 23}) {
    save(checkpoints, step);
  }
  EXPECT_THAT(checkpoints.steps(), ElementsAre(23, 20));
  save(checkpoints, 27);
  EXPECT_THAT(checkpoints.steps(), ElementsAre(27, 20));
  save(checkpoints, 30);
  EXPECT_THAT(checkpoints.steps(), ElementsAre(30, 20));
}

TEST(RunCheckpoints, the_newest_are_kept) {
  const TemporaryDirectory directory;
  const Checkpoints checkpoints(directory.path(), "step", KeptCheckpoints(2));
  for (const Index step : {5, 10, 15, 100000000}) {
    save(checkpoints, step);
  }
  EXPECT_THAT(checkpoints.steps(), ElementsAre(100000000, 15));
  EXPECT_THAT(checkpoints.candidates(),
              ElementsAre(checkpoints.file(100000000), checkpoints.file(15)));
}

TEST(RunCheckpoints, each_kth_is_kept_for_good) {
  const TemporaryDirectory directory;
  const Checkpoints checkpoints(directory.path(), "step", KeptCheckpoints("2 every 2"), 10);
  for (const Index step : {10, 20, 30, 40, 45, 50, 60, 70, 80, 90, 100, 110}) {
    save(checkpoints, step);
  }
  EXPECT_THAT(checkpoints.steps(), ElementsAre(110, 100, 80, 60, 40, 20));
}

TEST(RunCheckpoints, all_are_kept) {
  const TemporaryDirectory directory;
  const Checkpoints checkpoints(directory.path(), "step", KeptCheckpoints("all"), 10);
  for (const Index step : {10, 20, 25, 30, 40}) {
    save(checkpoints, step);
  }
  EXPECT_THAT(checkpoints.steps(), ElementsAre(40, 30, 20, 10));
}

TEST(RunCheckpoints, all_are_kept_with_another_interval_too) {
  const TemporaryDirectory directory;
  const KeptCheckpoints all("all");
  const Checkpoints checkpoints(directory.path(), "step", all, 20);
  for (const Index step : {20, 40, 60}) {
    save(checkpoints, step);
  }
  save_last(checkpoints, 70);
  const Checkpoints resumed(directory.path(), "step", all, 50);
  for (const Index step : {85, 100, 150}) {
    save(resumed, step);
  }
  EXPECT_THAT(resumed.steps(), ElementsAre(150, 100, 70, 60, 40, 20));
}

TEST(RunCheckpoints, each_kth_of_its_own_interval_is_kept_for_good) {
  const TemporaryDirectory directory;
  const KeptCheckpoints kept("2 every 2");
  const Checkpoints checkpoints(directory.path(), "step", kept, 20);
  for (const Index step : {20, 40, 60, 80, 100}) {
    save(checkpoints, step);
  }
  save_last(checkpoints, 110);
  EXPECT_THAT(checkpoints.steps(), ElementsAre(110, 100, 80, 40));
  const Checkpoints resumed(directory.path(), "step", kept, 40);
  for (const Index step : {120, 160, 200, 240}) {
    save(resumed, step);
  }
  // 80, 160 and 240 are even multiples of the interval 40; 40 is an even multiple of 20.
  EXPECT_THAT(resumed.steps(), ElementsAre(240, 200, 160, 80, 40));
}

TEST(RunCheckpoints, the_newest_are_kept_with_another_interval_too) {
  const TemporaryDirectory directory;
  save(Checkpoints(directory.path(), "step", KeptCheckpoints(2), 20), 60);
  const Checkpoints resumed(directory.path(), "step", KeptCheckpoints(2), 50);
  save(resumed, 100);
  EXPECT_THAT(resumed.steps(), ElementsAre(100, 60));
  save(resumed, 150);
  EXPECT_THAT(resumed.steps(), ElementsAre(150, 100));
}

TEST(RunCheckpoints, a_regular_one_stays_regular_if_a_stop_saves_its_step_again) {
  const TemporaryDirectory directory;
  const Checkpoints checkpoints(directory.path(), "step", KeptCheckpoints("all"), 10);
  save_last(checkpoints, 25);
  save(checkpoints, 25);
  save(checkpoints, 30);
  EXPECT_THAT(checkpoints.steps(), ElementsAre(30, 25));
}

// Checkpoints of versions up to 0.2.0 have no mark.
TEST(RunCheckpoints, one_without_a_mark_is_judged_by_the_interval_unless_all_stay) {
  const TemporaryDirectory directory;
  const Checkpoints all(directory.path(), "step", KeptCheckpoints("all"), 50);
  for (const Index step : {40, 50, 60}) {
    save_with({}, all, step);
  }
  save(all, 100);
  EXPECT_THAT(all.steps(), ElementsAre(100, 60, 50, 40));
  const Checkpoints two(directory.path(), "step", KeptCheckpoints(2), 50);
  save(two, 110);
  EXPECT_THAT(two.steps(), ElementsAre(110, 100));
  save_with({}, two, 120);
  save(two, 150);
  EXPECT_THAT(two.steps(), ElementsAre(150, 100));
}

TEST(RunCheckpoints, how_many_are_kept_has_a_notation) {
  for (const char* text : {"all", "1", "1000", "3 every 10"}) {
    EXPECT_EQ(KeptCheckpoints(std::string_view(text)).text(), text);
  }
  EXPECT_EQ(KeptCheckpoints("2 every 1").text(), "all");
  for (const char* text : {"0", "1001", "many", "", "2 every 0", "2 every", "2 each 3", "02"}) {
    EXPECT_THROW(KeptCheckpoints{std::string_view(text)}, ConfigError) << text;
  }
}

TEST(RunCheckpoints, only_its_own_files_count) {
  const TemporaryDirectory directory;
  const Checkpoints checkpoints(directory.path(), "step", KeptCheckpoints(1));
  const Checkpoints weights(directory.path(), "weights", KeptCheckpoints(3));
  for (const char* name : {"best.safetensors", "step_x.safetensors", "step_7.safetensors",
                           "step_00000007.safetensors.1-1.tmp", "step_00000008.txt",
                           "step_-0000009.safetensors", "stepper_00000009.safetensors"}) {
    std::ofstream(directory / name) << "x";
  }
  EXPECT_THAT(checkpoints.steps(), IsEmpty());
  save(weights, 3);
  save(checkpoints, 4);
  EXPECT_THAT(checkpoints.steps(), ElementsAre(4));
  EXPECT_THAT(weights.steps(), ElementsAre(3));
  EXPECT_TRUE(fs::exists(directory / "step_7.safetensors"));
}

TEST(RunCheckpoints, the_newest_that_holds_is_found_and_the_others_are_told) {
  const TemporaryDirectory directory;
  const Checkpoints checkpoints(directory.path(), "step", KeptCheckpoints(9));
  EXPECT_FALSE(checkpoints.find_resumable().newest.has_value());
  for (const Index step : {1, 2, 3, 4}) {
    save(checkpoints, step);
  }
  damage(checkpoints.file(4));
  fs::resize_file(checkpoints.file(3), 100);

  const Resumable found = checkpoints.find_resumable();
  ASSERT_TRUE(found.newest.has_value());
  EXPECT_EQ(found.newest->path(), checkpoints.file(2));
  EXPECT_EQ(found.newest->metadata("step"), "2");
  ASSERT_EQ(found.refused.size(), 2U);
  EXPECT_THAT(found.refused[0].reason,
              AllOf(HasSubstr("step_00000004.safetensors"), HasSubstr("damaged")));
  EXPECT_THAT(found.refused[1].reason,
              AllOf(HasSubstr("step_00000003.safetensors"), HasSubstr("truncated")));

  const Resumable none = checkpoints.find_resumable(
      [](const TensorFile& file) { throw IoError(file.path().filename().string()); });
  EXPECT_FALSE(none.newest.has_value());
  ASSERT_EQ(none.refused.size(), 4U);
  EXPECT_EQ(none.refused[3].reason, "step_00000001.safetensors");
}

// Step 4 is damaged, so training resumed from an earlier step; its new checkpoint must be kept.
TEST(RunCheckpoints, saving_removes_later_steps_left_behind) {
  const TemporaryDirectory directory;
  const Checkpoints checkpoints(directory.path(), "step", KeptCheckpoints(1));
  save(checkpoints, 4);
  damage(checkpoints.file(4));
  save(checkpoints, 2);
  EXPECT_THAT(checkpoints.steps(), ElementsAre(2));
}

// A save was killed before it removed old checkpoints. No save follows the last one of a training.
TEST(RunCheckpoints, what_an_interrupted_save_left_goes_as_by_the_save) {
  for (const char* kept : {"1", "2", "3", "2 every 2", "all"}) {
    const TemporaryDirectory directory;
    const Checkpoints all(directory.path(), "step", KeptCheckpoints("all"), 10);
    for (const Index step : {10, 20, 30, 40, 50}) {
      save(all, step);
    }
    save_last(all, 55);
    fs::copy(directory.path(), directory / "saved");
    const Checkpoints saved(directory / "saved", "step", KeptCheckpoints(kept), 10);
    save_last(saved, 55);
    std::ofstream(all.file(60)) << "of later steps, as a resume may leave it until it saves";
    const Checkpoints resumed(directory.path(), "step", KeptCheckpoints(kept), 10);
    resumed.remove_surplus(55);
    std::vector<Index> expected = saved.steps();
    expected.insert(expected.begin(), 60);
    EXPECT_EQ(resumed.steps(), expected) << kept;
    resumed.remove_surplus(9);
    EXPECT_EQ(resumed.steps(), expected) << kept;
  }
}

TEST(RunCheckpoints, a_save_that_fails_leaves_the_others) {
  const TemporaryDirectory directory;
  const Checkpoints checkpoints(directory.path(), "step", KeptCheckpoints(1));
  save(checkpoints, 1);
  fs::create_directory(checkpoints.file(2));
  EXPECT_THAT(io_error_of([&] { save(checkpoints, 2); }), HasSubstr("step_00000002.safetensors"));
  EXPECT_EQ(checkpoints.find_resumable().newest->path(), checkpoints.file(1));
}

TEST(RunCheckpoints, elapsed_time_stands_beside_them) {
  const TemporaryDirectory directory;
  EXPECT_EQ(read_elapsed_seconds(directory.path()), 0);
  write_elapsed_seconds(directory.path(), 12.25);
  EXPECT_EQ(read_elapsed_seconds(directory.path()), 12.25);
  for (const char* content : {"", "[1]", "{\"seconds\": \"x\"}", "{\"seconds\""}) {
    write_file_atomically(directory / "elapsed.json", content);
    EXPECT_EQ(read_elapsed_seconds(directory.path()), 0) << content;
  }
}

// A process killed between writing a checkpoint and its time leaves an older time.
TEST(RunCheckpoints, time_of_a_resume_is_at_least_that_of_the_steps_before) {
  const TemporaryDirectory directory;
  const RunFiles run{directory.path()};
  fs::create_directory(run.checkpoints());
  EXPECT_EQ(seconds_until(run, 20), 0);
  std::ofstream(run.times()) << R"({"step":10,"seconds":1.5})" << '\n'
                             << "damaged\n"
                             << R"({"step":20,"seconds":3.25})" << '\n'
                             << R"({"step":21,"seconds":3.5})" << '\n'
                             << R"({"step":11,"seconds":900)";
  EXPECT_EQ(seconds_until(run, 20), 3.25);
  write_elapsed_seconds(run.checkpoints(), 1.5);
  EXPECT_EQ(seconds_until(run, 20), 3.25);
  write_elapsed_seconds(run.checkpoints(), 4);
  EXPECT_EQ(seconds_until(run, 20), 4);
}

TEST(RunCheckpoints, a_writer_killed_at_any_moment_leaves_one_that_holds) {
  const TemporaryDirectory directory;
  const Checkpoints checkpoints(directory.path(), "step", KeptCheckpoints(2));
  save(checkpoints, 1, 50000);
  Index last = 1;
  for (int attempt = 0; attempt < 30; ++attempt) {
    ChildProcess writer([&] {
      for (Index step = last + 1;; ++step) {
        save(checkpoints, step, 50000);
      }
      return 0;
    });
    std::this_thread::sleep_for(std::chrono::microseconds(500 + 411 * attempt));
    writer.kill();
    writer.wait();

    const Resumable found = checkpoints.find_resumable();
    ASSERT_TRUE(found.newest.has_value()) << "attempt " << attempt;
    EXPECT_THAT(found.refused, IsEmpty());
    const Index step = std::stoll(found.newest->metadata("step"));
    EXPECT_EQ(found.newest->path(), checkpoints.file(step));
    EXPECT_GE(step, last);
    last = step;
    std::vector<float> values(50000);
    copy_values(found.newest->entry("weight"), std::span<float>(values));
    EXPECT_EQ(std::ranges::count(values, static_cast<float>(last)), 50000);
  }
  EXPECT_GT(last, 1);
}

}}  // namespace tapehead
