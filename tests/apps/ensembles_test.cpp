// Several runs in translate, generate and score: a run with itself equals the run, different runs
// give the mean of their probabilities, and incompatible runs are rejected.
#include <nlohmann/json.hpp>

#include "tests/support/program_runs.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/text_training.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

constexpr double single_precision = 1e-6;  // tolerance for log-probabilities

// Runs on pairs: a, b and (decoder only) c. Runs on running text: l and m.
class Ensembles : public SharedRuns<Ensembles> {
 public:
  static void prepare() {
    run(tiny_training("a"));
    run(tiny_training("b", {"seed=2", "model.layers=2"}));
    run(tiny_training("c", {"model.family=decoder", "model.d_model=32"}));
    run(text_training(*here, "l"));
    run(text_training(*here, "m", {"seed=2", "model.d_model=32"}));
    std::ofstream(*here / "sources") << "3 1 4\n1 5 9 2\n6\n";
    std::ofstream(*here / "targets") << "3 1\n1 5 9 2\n\n";
    std::ofstream(*here / "lines") << "a man is here\ntwo\n" << std::string(60, 'a') << "\n";
  }

 protected:
  static std::string run(const Arguments& arguments) { return here->output(arguments); }
  // The output of the command with these runs and options.
  static std::string output(const std::string& command, const Arguments& runs,
                            const Arguments& options) {
    return run(Arguments{command} + runs + options);
  }
  static std::string complaint(const Arguments& arguments) { return here->refusal(2, arguments); }
  // The log-probability of each token.
  static std::vector<double> token_scores(const Arguments& runs, Arguments options) {
    options.emplace_back("--json");
    std::vector<double> scores;
    for (const std::string& line : lines_of(output("score", runs, options))) {
      const auto scored = nlohmann::json::parse(line);
      for (const auto& token : scored["tokens"]) {
        scores.push_back(token[1]);
      }
    }
    return scores;
  }
  static void expect_mean(const Arguments& runs, const Arguments& options) {
    const std::vector<double> together = token_scores(runs, options);
    std::vector<double> sums(together.size());
    for (const std::string& one : runs) {
      const std::vector<double> alone = token_scores({one}, options);
      ASSERT_EQ(alone.size(), sums.size());
      for (std::size_t i = 0; i < sums.size(); ++i) {
        sums[i] += std::exp(alone[i]);
      }
    }
    ASSERT_FALSE(together.empty());
    for (std::size_t i = 0; i < sums.size(); ++i) {
      EXPECT_NEAR(together[i], std::log(sums[i] / static_cast<double>(runs.size())),
                  single_precision);
    }
  }
};

const Arguments pairs{"--source", "sources", "--target", "targets"};
const Arguments of_lines{"--input", "lines"};

TEST_F(Ensembles, score_by_the_mean_of_probabilities) {
  expect_mean({"a", "b"}, pairs);
  expect_mean({"a", "c", "b"}, pairs);  // both families together
  expect_mean({"l", "m"}, of_lines);
}

// The mean of equal numbers is exact.
TEST_F(Ensembles, of_a_run_with_itself_are_that_run) {
  EXPECT_EQ(output("score", {"a", "a"}, pairs), output("score", {"a"}, pairs));
  EXPECT_EQ(output("score", {"l", "l", "l"}, of_lines), output("score", {"l"}, of_lines));
  for (const Arguments& options :
       {Arguments{"--input", "sources"}, Arguments{"--input", "sources", "--beam", "3"}}) {
    EXPECT_EQ(output("translate", {"a", "a"}, options), output("translate", {"a"}, options));
  }
  for (const Arguments& options :
       {Arguments{"--max-tokens", "40", "--count", "2"}, Arguments{"--beam", "2"},
        Arguments{"--temperature", "0", "--max-tokens", "30"}}) {
    EXPECT_EQ(output("generate", {"m", "m"}, options), output("generate", {"m"}, options));
  }
}

// The scores of translations equal those of `score`.
TEST_F(Ensembles, translate_with_the_score_of_their_mean) {
  const auto outputs = lines_of(
      output("translate", {"a", "b", "c"},
             {"--input", "sources", "--beam", "4", "--n-best", "2", "--length-penalty", "0"}));
  ASSERT_EQ(outputs.size(), 6U);
  std::ofstream sources(*here / "twice");
  std::ofstream outputs_alone(*here / "outputs");
  const auto lines_read = lines_of(content_of(*here / "sources"));
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    sources << lines_read[i / 2] << '\n';
    outputs_alone << outputs[i].substr(6, outputs[i].find(" ||| ", 6) - 6) << '\n';
  }
  sources.close();
  outputs_alone.close();
  const auto scored = lines_of(
      output("score", {"a", "b", "c"}, {"--source", "twice", "--target", "outputs", "--json"}));
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const double score = std::stod(outputs[i].substr(outputs[i].rfind(' ')));
    const double log_probability = nlohmann::json::parse(scored[i])["log_probability"];
    EXPECT_NEAR(score, log_probability, 1e-4) << outputs[i];  // printed with 4 decimals
  }
}

TEST_F(Ensembles, generate_by_any_threads_alike) {
  const Arguments sampled{"--max-tokens", "30", "--count", "3", "--json", "--threads"};
  const auto with_threads = [&](const char* threads) {
    Arguments options = sampled;
    options.emplace_back(threads);
    return output("generate", {"l", "m"}, options);
  };
  const std::string together = with_threads("1");
  EXPECT_EQ(together, with_threads("3"));
  EXPECT_NE(together, output("generate", {"l"}, {"--max-tokens", "30", "--count", "3", "--json"}));
}

TEST_F(Ensembles, of_other_tokens_are_refused_and_name_both_runs) {
  run(tiny_training("d", {"task.vocabulary=12"}));
  run(text_training(*here, "n", {"task.tokenizer=byte"}));
  run(text_training(*here, "o", {"task.tokenizer=byte", "task.documents=line"}));
  for (const std::string command : {"translate", "generate", "score"}) {
    EXPECT_THAT(complaint({command, "b", "d"}),
                AllOf(HasSubstr("runs b and d cannot predict together"),
                      HasSubstr("their source tokenizers differ")));
    EXPECT_THAT(complaint({command, "l", "a"}),
                AllOf(HasSubstr("runs l and a"), HasSubstr("one of them is a language model")));
    EXPECT_THAT(complaint({command, "l", "m", "n"}), HasSubstr("runs l and n cannot"));
    EXPECT_THAT(complaint({command, "n", "o"}),
                AllOf(HasSubstr("runs n and o"),
                      HasSubstr("in front of a text the first reads nothing, and the other the "
                                "begin mark of a document")));
  }
}

TEST_F(Ensembles, have_no_checkpoint_file_in_common) {
  EXPECT_THAT(complaint({"score", "a", "b", "--checkpoint", "a/checkpoints/best.safetensors"}),
              HasSubstr("a file is the checkpoint of one run"));
  Arguments best = pairs;
  best.insert(best.end(), {"--checkpoint", "best"});
  expect_mean({"a", "b"}, best);
}

// Standard output may not be a file of any of the runs.
TEST_F(Ensembles, write_over_no_run) {
  EXPECT_THAT(
      here->refusal(1, {"translate", "a", "b", "--input", "sources", "--output", "b/config.yaml"}),
      HasSubstr("b/config.yaml"));
  EXPECT_THAT(content_of(*here / "b/config.yaml"), HasSubstr("model"));
}

}}  // namespace tapehead
