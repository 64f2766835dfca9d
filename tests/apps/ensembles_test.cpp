// Several runs in translate, generate and score: a run with itself equals the run, different runs
// give the mean of their probabilities, and incompatible runs are rejected.
#include "tests/support/program_runs.hpp"
#include "tests/support/text_training.hpp"

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
    here->write("sources", "3 1 4\n1 5 9 2\n6\n");
    here->write("targets", "3 1\n1 5 9 2\n\n");
    here->write("lines", "a man is here\ntwo\n" + std::string(60, 'a') + "\n");
  }

 protected:
  static std::string run(const Arguments& arguments) { return here->output(arguments); }
  // The output of the command with these runs and options.
  static std::string output(const std::string& command, const Arguments& runs,
                            const Arguments& options) {
    return run(Arguments{command} + runs + options);
  }
  // The log-probability of each token.
  static std::vector<double> token_scores(const Arguments& runs, const Arguments& options) {
    std::vector<double> scores;
    for (const std::string& line : lines_of(output("score", runs, options + Arguments{"--json"}))) {
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

const Arguments of_pairs{"--source", "sources", "--target", "targets"};
const Arguments of_lines{"--input", "lines"};

TEST_F(Ensembles, score_by_the_mean_of_probabilities) {
  expect_mean({"a", "b"}, of_pairs);
  expect_mean({"a", "c", "b"}, of_pairs);  // both families together
  expect_mean({"l", "m"}, of_lines);
}

// The mean of equal numbers is exact.
TEST_F(Ensembles, of_a_run_with_itself_are_that_run) {
  struct Case {
    std::string command;
    std::string run;
    Arguments options;
  };
  for (const auto& [command, one, options] :
       std::vector<Case>{{"score", "a", of_pairs},
                         {"score", "l", of_lines},
                         {"translate", "a", {"--input", "sources"}},
                         {"translate", "a", {"--input", "sources", "--beam", "3"}},
                         {"generate", "m", {"--max-tokens", "40", "--count", "2"}},
                         {"generate", "m", {"--beam", "2"}},
                         {"generate", "m", {"--temperature", "0", "--max-tokens", "30"}}}) {
    EXPECT_EQ(output(command, {one, one}, options), output(command, {one}, options)) << command;
  }
  EXPECT_EQ(output("score", {"l", "l", "l"}, of_lines), output("score", {"l"}, of_lines));
}

// The scores of translations equal those of `score`.
TEST_F(Ensembles, translate_with_the_score_of_their_mean) {
  const auto outputs = lines_of(
      output("translate", {"a", "b", "c"},
             {"--input", "sources", "--beam", "4", "--n-best", "2", "--length-penalty", "0"}));
  ASSERT_EQ(outputs.size(), 6U);
  std::string hypotheses;
  for (const std::string& line : outputs) {
    hypotheses += line.substr(6, line.find(" ||| ", 6) - 6) + "\n";
  }
  here->write("twice", "3 1 4\n3 1 4\n1 5 9 2\n1 5 9 2\n6\n6\n");  // two outputs of each source
  here->write("outputs", hypotheses);
  const auto scored = lines_of(
      output("score", {"a", "b", "c"}, {"--source", "twice", "--target", "outputs", "--json"}));
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const double score = std::stod(outputs[i].substr(outputs[i].rfind(' ')));
    const double log_probability = nlohmann::json::parse(scored[i])["log_probability"];
    EXPECT_NEAR(score, log_probability, 1e-4) << outputs[i];  // printed with 4 decimals
  }
}

TEST_F(Ensembles, generate_by_any_threads_alike) {
  const Arguments sampled{"--max-tokens", "30", "--count", "3", "--json"};
  const std::string together =
      output("generate", {"l", "m"}, sampled + Arguments{"--threads", "1"});
  EXPECT_EQ(together, output("generate", {"l", "m"}, sampled + Arguments{"--threads", "3"}));
  EXPECT_NE(together, output("generate", {"l"}, sampled));
}

TEST_F(Ensembles, of_other_tokens_are_refused_and_name_both_runs) {
  run(tiny_training("d", {"task.vocabulary=12"}));
  run(text_training(*here, "n", {"task.tokenizer=byte"}));
  run(text_training(*here, "o", {"task.tokenizer=byte", "task.documents=line"}));
  for (const std::string command : {"translate", "generate", "score"}) {
    here->expect_refusals(
        {{{command, "b", "d"},
          2,
          {"runs b and d cannot predict together", "their source tokenizers differ"}},
         {{command, "l", "a"}, 2, {"runs l and a", "one of them is a language model"}},
         {{command, "l", "m", "n"}, 2, {"runs l and n cannot"}},
         {{command, "n", "o"},
          2,
          {"runs n and o",
           "the first run reads nothing before a text, and the second run reads the begin mark of "
           "a document"}}});
  }
}

// Standard output may not be a file of any of the runs.
TEST_F(Ensembles, have_no_checkpoint_file_in_common_and_write_over_no_run) {
  here->expect_refusals(
      {{{"score", "a", "b", "--checkpoint", "a/checkpoints/best.safetensors"},
        2,
        {"a file is the checkpoint of one run"}},
       {{"translate", "a", "b", "--input", "sources", "--output", "b/config.yaml"},
        1,
        {"b/config.yaml"}}});
  EXPECT_THAT(content_of(*here / "b/config.yaml"), HasSubstr("model"));
  expect_mean({"a", "b"}, of_pairs + Arguments{"--checkpoint", "best"});
}

}}  // namespace tapehead
