// tapehead evaluate: all metrics of a trained model, for people and for programs.
#include <nlohmann/json.hpp>

#include "core/files/files.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_training.hpp"
#include "train/metrics/metrics.hpp"

namespace tapehead { namespace {

class Evaluate : public SharedRuns<Evaluate> {
 public:
  static void prepare() {
    here->output(tiny_training("a", {"training.average_last=2", "task.longer_min_length=11",
                                     "task.longer_max_length=12", "task.longer_examples=20"}));
  }

 protected:
  static ProgramResult evaluate(const Arguments& options) {
    return here->run(Arguments{"evaluate", "a"} + options);
  }
  // The JSON output without "seconds", the only value that varies.
  static nlohmann::ordered_json evaluate_json(Arguments options) {
    options.emplace_back("--json");
    const ProgramResult result = evaluate(options);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_EQ(std::ranges::count(result.output, '\n'), 1);
    auto object = nlohmann::ordered_json::parse(result.output);
    EXPECT_GE(object["seconds"], 0);
    object.erase("seconds");
    if (object.contains("splits")) {
      for (auto& split : object["splits"]) {
        split.erase("seconds");
      }
    }
    return object;
  }
  static std::vector<std::string> keys(const nlohmann::ordered_json& object) {
    std::vector<std::string> names;
    for (const auto& [name, value] : object.items()) {
      names.push_back(name);
    }
    return names;
  }
};

TEST_F(Evaluate, prints_one_object) {
  const auto object = evaluate_json({});
  std::vector<std::string> names;
  for (const MetricKind* kind : metric_kinds) {
    if (!is_measured(*kind, ExampleKind::pairs)) {
      continue;
    }
    names.emplace_back(kind->name);
    if (kind->signature != nullptr) {
      names.push_back(names.back() + "_signature");
    }
  }
  names.insert(names.end(), {"examples", "splits"});
  EXPECT_EQ(keys(object), names);
  EXPECT_EQ(object["examples"], 40);
  EXPECT_NEAR(object["perplexity"].get<double>(), std::exp(object["loss"].get<double>()), 1e-9);
  EXPECT_THAT(object["bleu_signature"].get<std::string>(), HasSubstr("tok:13a"));
  EXPECT_THAT(object["chrf_signature"].get<std::string>(), HasSubstr("nc:6"));
}

TEST_F(Evaluate, the_further_test_split_stands_apart_and_in_the_whole) {
  const auto object = evaluate_json({});
  ASSERT_THAT(keys(object["splits"]), ElementsAre("longer", "whole"));
  EXPECT_EQ(object["splits"]["longer"]["examples"], 20);
  EXPECT_EQ(object["splits"]["whole"]["examples"], 60);
  auto names = keys(object);
  names.pop_back();  // removes "splits"
  EXPECT_EQ(keys(object["splits"]["longer"]), names);
  EXPECT_EQ(evaluate_json({"--split", "longer"}), object["splits"]["longer"]);
  EXPECT_EQ(evaluate_json({"--split", "whole"}), object["splits"]["whole"]);
}

TEST_F(Evaluate, another_split) {
  const auto object = evaluate_json({"--split", "validation", "--checkpoint", "best"});
  EXPECT_FALSE(object.contains("splits"));
  // The best checkpoint is from the last validation with the lowest loss.
  EXPECT_THAT(content_of(*here / "a/metrics.jsonl"),
              HasSubstr("\"loss\":" + object["loss"].dump() + ","));
}

TEST_F(Evaluate, the_training_split_has_all_metrics_too) {
  const auto object = evaluate_json({"--split", "train"});
  EXPECT_EQ(object["examples"], 600);
  EXPECT_GT(object["chrf"], 0);
}

TEST_F(Evaluate, a_table_for_people) {
  const ProgramResult result = evaluate({});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("perplexity"), HasSubstr("\n  test "), HasSubstr("\n  longer "),
                    HasSubstr("\n  whole "), HasSubstr("BLEU nrefs:1"), HasSubstr("chrF nrefs:1")));
  EXPECT_THAT(result.errors, IsEmpty());
}

TEST_F(Evaluate, the_average_is_what_is_evaluated_unless_another_is_asked_for) {
  EXPECT_EQ(evaluate_json({}), evaluate_json({"--checkpoint", "average"}));
  EXPECT_NE(evaluate_json({}), evaluate_json({"--checkpoint", "last"}));
  EXPECT_EQ(evaluate_json({"--checkpoint", "last"}),
            evaluate_json({"--checkpoint", "a/checkpoints/step_00000040.safetensors"}));
}

TEST_F(Evaluate, threads_change_nothing) {
  EXPECT_EQ(evaluate_json({"--threads", "1"}), evaluate_json({"--threads", "3"}));
}

TEST_F(Evaluate, a_beam_changes_the_outputs_and_not_the_loss) {
  const auto greedy = evaluate_json({"--beam", "1"});
  const auto wide = evaluate_json({"--beam", "5"});
  EXPECT_EQ(greedy["loss"], wide["loss"]);
  EXPECT_NE(greedy["chrf"], wide["chrf"]);
}

TEST_F(Evaluate, an_unknown_split_or_checkpoint_is_told) {
  const ProgramResult split = evaluate({"--split", "tets"});
  EXPECT_EQ(split.exit_code, 1);
  EXPECT_THAT(split.errors, AllOf(HasSubstr("tets"), HasSubstr("train, validation, test, longer")));
  const ProgramResult checkpoint = evaluate({"--checkpoint", "nowhere"});
  EXPECT_EQ(checkpoint.exit_code, 1);
  EXPECT_THAT(checkpoint.errors, HasSubstr("nowhere"));
}

// Another attention pattern is another model, even if every weight fits.
TEST_F(Evaluate, weights_of_other_attention_are_refused) {
  namespace fs = std::filesystem;
  fs::copy(here->path() / "a", here->path() / "other", fs::copy_options::recursive);
  std::string config = read_file(here->path() / "other/config.yaml");
  const std::size_t place = config.find("positions: none", config.find("encoder_self:"));
  ASSERT_NE(place, std::string::npos);
  config.replace(place, 15, "positions: alibi");
  write_file_atomically(here->path() / "other/config.yaml", config);
  EXPECT_THAT(
      here->refusal(1, {"evaluate", "other"}),
      HasSubstr("average.safetensors comes from another model (encoder_self.positions: none, not "
                "alibi)"));
}

}}  // namespace tapehead
