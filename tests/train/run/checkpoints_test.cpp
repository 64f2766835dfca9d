// Checkpoints: which are kept, from which one training resumes, and that a killed writer leaves a
// valid one.
#include <chrono>
#include <thread>

#include "core/files/files.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"
#include "train/run/checkpoints.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

// A regular step is a multiple of the interval, or the last of a training. Checkpoints of versions
// up to 0.2.0 have no mark.
enum class SaveMark { by_interval, last, none };

// Saves a checkpoint whose values all equal its step.
void save(const Checkpoints& checkpoints, Index step, SaveMark mark = SaveMark::by_interval,
          std::size_t count = 4) {
  const std::vector<float> values(count, static_cast<float>(step));
  const std::vector<TensorEntry> entries{{"weight",
                                          DType::f32,
                                          {static_cast<Index>(count)},
                                          std::as_bytes(std::span<const float>(values))}};
  Metadata facts =
      mark == SaveMark::none ? Metadata() : checkpoints.mark(step, mark == SaveMark::last);
  facts["step"] = std::to_string(step);
  checkpoints.save(step, entries, facts);
}

void damage(const fs::path& path) {
  std::string content = read_file(path);
  content.back() = static_cast<char>(content.back() ^ 0x10);
  std::ofstream(path, std::ios::binary) << content;
}

class RunCheckpoints : public Test {
 protected:
  TemporaryDirectory directory;
};

TEST_F(RunCheckpoints, names_sort_like_steps) {
  const Checkpoints checkpoints("dir", "step", KeptCheckpoints(2));
  EXPECT_EQ(checkpoints.file(1000), fs::path("dir/step_00001000.safetensors"));
  EXPECT_EQ(checkpoints.file(1000000000), fs::path("dir/step_1000000000.safetensors"));
  EXPECT_EQ(RunFiles{"dir"}.best(), fs::path("dir/checkpoints/best.safetensors"));
  EXPECT_EQ(RunFiles{"dir"}.average(), fs::path("dir/checkpoints/average.safetensors"));
}

// A part of a training: the saved steps, and those that are left afterwards.
struct Saves {
  const char* kept;
  Index every;
  std::vector<Index> steps;
  std::vector<Index> left;
  SaveMark mark = SaveMark::by_interval;
};

// The parts of each training have one directory.
void expect_left(const std::vector<std::vector<Saves>>& trainings) {
  for (const std::vector<Saves>& training : trainings) {
    const TemporaryDirectory directory;
    for (const auto& [kept, every, steps, left, mark] : training) {
      SCOPED_TRACE(fmt::format("{} of every {}: {}", kept, every, steps));
      const Checkpoints checkpoints(directory.path(), "step", KeptCheckpoints(kept), every);
      for (const Index step : steps) {
        save(checkpoints, step, mark);
      }
      EXPECT_EQ(checkpoints.steps(), left);
      const auto file_of = [&](Index step) { return checkpoints.file(step); };
      EXPECT_EQ(checkpoints.candidates(), mapped(left, file_of));
    }
  }
}

TEST_F(RunCheckpoints, the_newest_and_each_kth_are_kept) {
  const std::vector<Index> tens{10, 20, 30, 40, 45, 50, 60, 70, 80, 90, 100, 110};
  expect_left({
      {{"2", 1, {5, 10, 15, 100000000}, {100000000, 15}}},
      // One between regular steps goes with the next.
      {{"2", 10, {10, 20, 23}, {23, 20}}, {"2", 10, {27}, {27, 20}}, {"2", 10, {30}, {30, 20}}},
      // A resume may have another interval.
      {{"2", 20, {60}, {60}}, {"2", 50, {100}, {100, 60}}, {"2", 50, {150}, {150, 100}}},
      {{"2 every 2", 10, tens, {110, 100, 80, 60, 40, 20}}},
      // 80, 160 and 240 are even multiples of the interval 40; 40 is an even multiple of 20.
      {{"2 every 2", 20, {20, 40, 60, 80, 100}, {100, 80, 40}},
       {"2 every 2", 20, {110}, {110, 100, 80, 40}, SaveMark::last},
       {"2 every 2", 40, {120, 160, 200, 240}, {240, 200, 160, 80, 40}}},
  });
}

TEST_F(RunCheckpoints, all_are_kept) {
  expect_left({
      {{"all", 10, {10, 20, 25, 30, 40}, {40, 30, 20, 10}}},
      {{"all", 20, {20, 40, 60}, {60, 40, 20}},
       {"all", 20, {70}, {70, 60, 40, 20}, SaveMark::last},
       {"all", 50, {85, 100, 150}, {150, 100, 70, 60, 40, 20}}},
      // A regular one stays regular if a stop saves its step again.
      {{"all", 10, {25}, {25}, SaveMark::last}, {"all", 10, {25, 30}, {30, 25}}},
      // One without a mark is judged by the interval, unless all stay.
      {{"all", 50, {40, 50, 60}, {60, 50, 40}, SaveMark::none},
       {"all", 50, {100}, {100, 60, 50, 40}},
       {"2", 50, {110}, {110, 100}},
       {"2", 50, {120}, {120, 100}, SaveMark::none},
       {"2", 50, {150}, {150, 100}}},
  });
}

TEST_F(RunCheckpoints, how_many_are_kept_has_a_notation) {
  for (const char* text : {"all", "1", "1000", "3 every 10"}) {
    EXPECT_EQ(KeptCheckpoints(std::string_view(text)).text(), text);
  }
  EXPECT_EQ(KeptCheckpoints("2 every 1").text(), "all");
  for (const char* text : {"0", "1001", "many", "", "2 every 0", "2 every", "2 each 3", "02"}) {
    EXPECT_THROW(KeptCheckpoints{std::string_view(text)}, ConfigError) << text;
  }
}

TEST_F(RunCheckpoints, only_its_own_files_count) {
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

TEST_F(RunCheckpoints, the_newest_that_holds_is_found_and_the_others_are_told) {
  const Checkpoints checkpoints(directory.path(), "step", KeptCheckpoints(9));
  EXPECT_FALSE(checkpoints.find_resumable().newest.has_value());
  for (const Index step : {1, 2, 3, 4}) {
    save(checkpoints, step);
  }
  damage(checkpoints.file(4));
  fs::resize_file(checkpoints.file(3), 100);
  const auto reason = [](const std::string& text) {
    return testing::Field(&RefusedCheckpoint::reason, ContainsRegex(text));
  };
  const Resumable found = checkpoints.find_resumable();
  ASSERT_TRUE(found.newest.has_value());
  EXPECT_EQ(found.newest->path(), checkpoints.file(2));
  EXPECT_EQ(found.newest->metadata("step"), "2");
  EXPECT_THAT(found.refused, ElementsAre(reason("step_00000004.safetensors.*damaged"),
                                         reason("step_00000003.safetensors.*truncated")));

  const Resumable none = checkpoints.find_resumable(
      [](const TensorFile& file) { throw IoError(file.path().filename().string()); });
  EXPECT_FALSE(none.newest.has_value());
  EXPECT_THAT(none.refused, ElementsAre(_, _, _, reason("^step_00000001.safetensors$")));
}

// A save was killed before it removed old checkpoints. No save follows the last one of a training.
TEST_F(RunCheckpoints, what_an_interrupted_save_left_goes_as_by_the_save) {
  for (const char* kept : {"1", "2", "3", "2 every 2", "all"}) {
    const TemporaryDirectory here;
    const Checkpoints all(here.path(), "step", KeptCheckpoints("all"), 10);
    for (const Index step : {10, 20, 30, 40, 50}) {
      save(all, step);
    }
    save(all, 55, SaveMark::last);
    fs::copy(here.path(), here / "saved");
    const Checkpoints saved(here / "saved", "step", KeptCheckpoints(kept), 10);
    save(saved, 55, SaveMark::last);
    std::ofstream(all.file(60)) << "of later steps, as a resume may leave it until it saves";
    const Checkpoints resumed(here.path(), "step", KeptCheckpoints(kept), 10);
    resumed.remove_surplus(55);
    std::vector<Index> expected = saved.steps();
    expected.insert(expected.begin(), 60);
    EXPECT_EQ(resumed.steps(), expected) << kept;
    resumed.remove_surplus(9);
    EXPECT_EQ(resumed.steps(), expected) << kept;
  }
}

TEST_F(RunCheckpoints, a_save_leaves_the_others_if_it_fails_and_else_removes_later_ones) {
  const Checkpoints checkpoints(directory.path(), "step", KeptCheckpoints(1));
  save(checkpoints, 1);
  fs::create_directory(checkpoints.file(2));
  EXPECT_THAT(io_error_of([&] { save(checkpoints, 2); }), HasSubstr("step_00000002.safetensors"));
  EXPECT_EQ(checkpoints.find_resumable().newest->path(), checkpoints.file(1));
  fs::remove(checkpoints.file(2));
  // Step 4 is damaged, so training resumed from an earlier step; its new checkpoint must be kept.
  save(checkpoints, 4);
  damage(checkpoints.file(4));
  save(checkpoints, 2);
  EXPECT_THAT(checkpoints.steps(), ElementsAre(2));
}

// A process killed between writing a checkpoint and its time leaves an older time.
TEST_F(RunCheckpoints, time_of_a_resume_is_at_least_that_of_the_steps_before) {
  const RunFiles run{directory.path()};
  fs::create_directory(run.checkpoints());
  EXPECT_EQ(read_elapsed_seconds(run.checkpoints()), 0);
  EXPECT_EQ(seconds_until(run, 20), 0);
  for (const char* content : {"", "[1]", "{\"seconds\": \"x\"}", "{\"seconds\""}) {
    write_file_atomically(run.checkpoints() / "elapsed.json", content);
    EXPECT_EQ(read_elapsed_seconds(run.checkpoints()), 0) << content;
  }
  std::ofstream(run.times()) << R"({"step":10,"seconds":1.5}
damaged
{"step":20,"seconds":3.25}
{"step":21,"seconds":3.5}
{"step":11,"seconds":900)";
  EXPECT_EQ(seconds_until(run, 20), 3.25);
  for (const auto& [stored, seconds] : {std::pair(1.5, 3.25), {12.25, 12.25}}) {
    write_elapsed_seconds(run.checkpoints(), stored);
    EXPECT_EQ(read_elapsed_seconds(run.checkpoints()), stored);
    EXPECT_EQ(seconds_until(run, 20), seconds);
  }
}

TEST_F(RunCheckpoints, a_writer_killed_at_any_moment_leaves_one_that_holds) {
  const Checkpoints checkpoints(directory.path(), "step", KeptCheckpoints(2));
  save(checkpoints, 1, SaveMark::by_interval, 50000);
  Index last = 1;
  for (int attempt = 0; attempt < 30; ++attempt) {
    ChildProcess writer([&] {
      for (Index step = last + 1;; ++step) {
        save(checkpoints, step, SaveMark::by_interval, 50000);
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
