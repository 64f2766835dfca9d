// run.tensorboard: the metrics of a training as event files, also after a kill.
#include "core/files/json_text.hpp"
#include "tests/support/event_reader.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/text_training.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

// Lines as a Markdown code block, which TensorBoard shows.
std::string code_block(const std::string& text) {
  std::string block = "    ";
  for (const char character : text) {
    block += character == '\n' ? "\n    " : std::string(1, character);
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
      EXPECT_EQ(lines[i].at("step"), events[i].step);
      std::map<std::string, float> numbers;
      for (const auto& [name, value] : lines[i].items()) {
        if (value.is_number() && name != "step") {
          numbers[lines[i].value("split", "train") + "/" + name] = value.get<float>();
        }
      }
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
  std::vector<std::string> blocks;
  const Json last = metrics("a").back();
  for (const Json& text : last.at("samples")) {
    blocks.push_back(code_block(text.get<std::string>()));
  }
  EXPECT_THAT(blocks, SizeIs(3));  // the default number
  EXPECT_EQ(measured(read_events(here / "a")).back().texts.at("validation/samples"), blocks);
}

TEST_F(TensorBoard, a_killed_and_resumed_training_has_the_events_of_an_unbroken_one) {
  const Arguments options{"run.tensorboard=true", "training.steps=160", "training.accumulate=2"};
  train(tiny_training("unbroken", options));
  Program training(tiny_training("broken", options), here.path());
  EXPECT_TRUE(wait_until([&] {
    return content_of(here / "broken/metrics.jsonl").find("\"step\":25,") != std::string::npos;
  }));
  training.kill(SIGKILL);
  training.wait();
  const fs::path first = *event_files_of(here / "broken").begin();
  std::ofstream(first, std::ios::binary | std::ios::app) << std::string(9, '\1');  // incomplete
  train(resumed_training("broken"));
  EXPECT_THAT(event_files_of(here / "broken"), SizeIs(2));
  expect_metrics("broken");
  EXPECT_EQ(measured(read_events(here / "broken")), measured(read_events(here / "unbroken")));
}

TEST_F(TensorBoard, without_the_option_events_go_with_the_steps_that_they_are_of) {
  train(tiny_training("a", {"run.tensorboard=true"}));
  fs::remove(step_checkpoint(here / "a", 40));
  train(resumed_training("a", {"run.tensorboard=false"}));
  EXPECT_THAT(read_events(here / "a"),
              AllOf(SizeIs(Gt(30U)), Each(Field(&ReadEvent::step, Le(30U)))));
  train(tiny_training("a", {}, {"--overwrite"}));
  EXPECT_THAT(event_files_of(here / "a"), IsEmpty());
}

}}  // namespace tapehead
