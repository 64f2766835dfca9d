// run.tensorboard: the metrics of a training as event files, also after a kill.
#include <csignal>

#include "core/files/json_text.hpp"
#include "tests/support/event_reader.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/text_training.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

// Lines as a Markdown code block, which TensorBoard shows.
std::string code_block(const std::string& text) {
  std::string block = "    ";
  for (const char character : text) {
    block += character;
    if (character == '\n') {
      block += "    ";
    }
  }
  return block;
}

class TensorBoard : public ProgramRuns {
 protected:
  void train(const Arguments& arguments) { here.output(arguments); }
  std::vector<Json> metrics(const std::string& run) const {
    std::vector<Json> lines;
    for (const std::string& line : lines_of(content_of(here / run / "metrics.jsonl"))) {
      lines.push_back(Json::parse(line));
    }
    return lines;
  }
  // The scalars are exactly the numbers in the lines of the metrics.
  void expect_metrics(const std::string& run) const {
    const std::vector<ReadEvent> events = measured(read_events(here / run));
    const std::vector<Json> lines = metrics(run);
    ASSERT_EQ(events.size(), lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
      std::map<std::string, float> numbers;
      for (const auto& [name, value] : lines[i].items()) {
        if (value.is_number()) {
          numbers[lines[i].value("split", "train") + "/" + name] = value.get<float>();
        }
      }
      EXPECT_EQ(numbers.extract(lines[i].value("split", "train") + "/step").mapped(),
                static_cast<float>(events[i].step));
      EXPECT_EQ(events[i].scalars, numbers) << lines[i];
    }
  }
};

TEST_F(TensorBoard, events_are_the_metrics_the_samples_and_the_config) {
  train(tiny_training("off"));
  train(tiny_training("a", {"run.tensorboard=true", "evaluation.samples=2"}));
  EXPECT_THAT(event_files_of(here / "off"), IsEmpty());
  expect_same_runs(here / "off", here / "a");
  expect_metrics("a");
  const std::vector<ReadEvent> events = read_events(here / "a");
  EXPECT_EQ(events.at(2).step, 0U);
  EXPECT_THAT(events[2].texts.at("config"),
              ElementsAre(code_block(content_of(here / "a/config.yaml"))));
  const std::vector<std::string> samples = events.back().texts.at("validation/samples");
  EXPECT_THAT(samples, SizeIs(2));
  EXPECT_THAT(samples, Each(ContainsRegex("^    [0-9 ]+\n      -> [0-9 ]*(\n      != [0-9 ]+)?$")));
  // The log contains the block, because both have the same indent.
  EXPECT_THAT(content_of(here / "a/log.txt"), HasSubstr(samples.front()));
}

TEST_F(TensorBoard, samples_of_a_language_model_are_those_of_its_metrics) {
  train(text_training(here, "a", {"run.tensorboard=true"}));
  expect_metrics("a");
  const ReadEvent event = measured(read_events(here / "a")).back();
  std::vector<std::string> blocks;
  const Json last = metrics("a").back();
  for (const Json& text : last.at("samples")) {
    blocks.push_back(code_block(text.get<std::string>()));
  }
  EXPECT_THAT(blocks, SizeIs(3));  // the default number
  EXPECT_EQ(event.texts.at("validation/samples"), blocks);
}

TEST_F(TensorBoard, a_killed_and_resumed_training_has_the_events_of_an_unbroken_one) {
  const Arguments options{"run.tensorboard=true", "training.steps=160", "training.accumulate=2"};
  train(tiny_training("unbroken", options));
  Program killed(tiny_training("broken", options), here.path());
  EXPECT_TRUE(wait_until([&] {
    return content_of(here / "broken/metrics.jsonl").find("\"step\":25,") != std::string::npos;
  }));
  killed.kill(SIGKILL);
  killed.wait();
  const fs::path first = *event_files_of(here / "broken").begin();
  std::ofstream(first, std::ios::binary | std::ios::app) << std::string(9, '\1');  // incomplete
  train(resumed_training("broken"));
  EXPECT_THAT(event_files_of(here / "broken"), SizeIs(2));
  expect_metrics("broken");
  EXPECT_EQ(measured(read_events(here / "broken")), measured(read_events(here / "unbroken")));
}

TEST_F(TensorBoard, a_run_that_is_replaced_takes_its_events_along) {
  train(tiny_training("a", {"run.tensorboard=true"}));
  train(tiny_training("a", {}, {"--overwrite"}));
  EXPECT_THAT(event_files_of(here / "a"), IsEmpty());
}

TEST_F(TensorBoard, without_the_option_a_resume_still_removes_later_events) {
  train(tiny_training("a", {"run.tensorboard=true"}));
  fs::remove(step_checkpoint(here / "a", 40));
  train(resumed_training("a", {"run.tensorboard=false"}));
  for (const ReadEvent& event : read_events(here / "a")) {
    EXPECT_LE(event.step, 30U);
  }
}

}}  // namespace tapehead
