// Follows a run while its metrics are written line by line, and when lines are removed again.
#include "lab/sweep/runner.hpp"

#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

TEST(RunWatch, tells_the_last_whole_lines) {
  const TemporaryDirectory here;
  const auto file = here / "metrics.jsonl";
  RunWatch watch(file, Metric::bleu);
  EXPECT_EQ(watch.look().step, 0);
  EXPECT_FALSE(watch.look().loss);
  std::ofstream stream(file);
  const auto append = [&](const std::string& text) { stream << text << std::flush; };
  append("{\"step\":1,\"epoch\":0,\"loss\":2.5}\n{\"step\":2,\"epoch\":1,\"lo");
  EXPECT_EQ(watch.look().step, 1);
  EXPECT_EQ(watch.look().loss, 2.5);
  append("ss\":null}\n{\"step\":2,\"split\":\"validation\",\"loss\":9,\"bleu\":31.5}\n");
  EXPECT_EQ(watch.look().step, 2);
  EXPECT_EQ(watch.look().epoch, 1);
  EXPECT_FALSE(watch.look().loss);
  EXPECT_EQ(watch.look().metric, 31.5);
  std::ofstream(file) << "{\"step\":1,\"epoch\":0,\"loss\":2.25}\n";
  EXPECT_EQ(watch.look().step, 1);
  EXPECT_EQ(watch.look().loss, 2.25);
}

TEST(RunWatch, knows_a_file_that_cannot_be_read_from_one_that_is_missing) {
  const TemporaryDirectory here;
  std::filesystem::create_symlink("/proc/self/mem", here / "mem");  // read(2) fails with EIO
  EXPECT_TRUE(RunWatch(here / "none", Metric::bleu).look().readable);
  EXPECT_FALSE(RunWatch(here / "mem", Metric::bleu).look().readable);
  EXPECT_FALSE(RunWatch(here.path(), Metric::bleu).look().readable);
}

TEST(RunWatch, says_how_far_a_training_is_by_what_ends_it) {
  TrainingOptions training;
  EXPECT_EQ(progress_text({.step = 7, .epoch = 2, .loss = {}, .metric = {}}, training), "step 7");
  training.epochs = 3;
  EXPECT_EQ(progress_text({.step = 7, .epoch = 2, .loss = {}, .metric = {}}, training),
            "epoch 3/3");
  EXPECT_EQ(progress_text({.step = 9, .epoch = 3, .loss = {}, .metric = {}}, training),
            "epoch 3/3");
  training.steps = 20;
  EXPECT_EQ(progress_text({.step = 7, .epoch = 2, .loss = {}, .metric = {}}, training),
            "step 7/20");
}

}}  // namespace tapehead
