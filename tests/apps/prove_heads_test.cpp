// With the shipped configs, a decoder learns each task with a known attention head and has this
// head; it fails with fewer layers or heads than the task needs.
#include "core/files/json_text.hpp"
#include "core/text.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/proof.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

// The targets stated in the configs.
constexpr double solved = 0.99;  // of the test sequences
constexpr double not_solved = 0.6;
constexpr double agrees = 0.8;  // of the queries

struct DecoderTask {
  std::string config;
  std::vector<std::string> relations{};  // some head agrees with each of these
  std::vector<std::string> either{};     // every head agrees with one of these
  std::vector<std::string> roles{};      // some head has each of these
  Arguments too_little{};                // a model that cannot learn the task
};

const std::vector<DecoderTask>& decoder_tasks() {
  static const std::vector<DecoderTask> tasks{
      {.config = "previous_token_decoder", .relations = {"previous"}},
      {.config = "induction_decoder",
       .relations = {"previous", "answer"},
       .roles = {"previous token", "induction"},
       .too_little = {"model.decoder_layers=1"}},
      {.config = "recall_decoder",
       .relations = {"key", "answer"},
       .too_little = {"model.decoder_layers=1"}},
      {.config = "two_offsets_decoder",
       .either = {"first", "second"},
       .too_little = {"model.heads=1"}},
      {.config = "brackets_decoder", .relations = {"bracket"}},
      {.config = "copy_distractors_decoder", .relations = {"answer"}}};
  return tasks;
}

class DecoderRun {
 public:
  DecoderRun(const std::string& config, Index seed, Arguments overrides) {
    Arguments arguments{"train", TAPEHEAD_SOURCE_DIR "/configs/" + config + ".yaml", "--run", "a"};
    overrides.insert(overrides.end(), {fmt::format("seed={}", seed), "run.report=false"});
    set_options(arguments, overrides);
    here_.output(arguments);
  }
  double sequence_accuracy() const {
    return ask({"evaluate", "a", "--split", "test", "--json"})["sequence_accuracy"];
  }
  Json heads() const { return ask({"heads", "a", "--json"})["attentions"]; }

 private:
  Json ask(const Arguments& arguments) const { return Json::parse(here_.output(arguments)); }

  ProgramDirectory here_;
};

double best_agreement(const Json& attentions, const std::string& name) {
  double best = 0;
  for (const Json& attention : attentions) {
    for (const Json& relation : attention["relations"]) {
      if (relation["name"] == name) {
        best = std::max(best, std::ranges::max(relation["agreement"].get<std::vector<double>>()));
      }
    }
  }
  return best;
}

// The lowest agreement of any head, in all attentions, with any of the relations `names`.
double least_agreement(const Json& attentions, const std::vector<std::string>& names) {
  EXPECT_FALSE(attentions.empty());
  double least = 1;
  for (const Json& attention : attentions) {
    std::vector<double> sums(attention["heads"].size());
    for (const Json& relation : attention["relations"]) {
      for (std::size_t head = 0; head < sums.size(); ++head) {
        const bool counts =
            std::ranges::find(names, relation["name"].get<std::string>()) != names.end();
        sums[head] += counts ? relation["agreement"][head].get<double>() : 0;
      }
    }
    least = std::min(least, std::ranges::min(sums));
  }
  return least;
}

std::set<std::string> roles_of(const Json& attentions) {
  std::set<std::string> roles;
  for (const Json& attention : attentions) {
    for (const Json& head : attention["heads"]) {
      roles.insert(head["role"].get<std::string>());
    }
  }
  return roles;
}

// Trains once; returns the figures as a line.
std::string expect_known_heads(const DecoderTask& task, Index seed) {
  const DecoderRun run(task.config, seed, {});
  const double right = run.sequence_accuracy();
  std::string line = fmt::format("{}, seed {}: {:.1f} % right", task.config, seed, 100 * right);
  EXPECT_GE(right, solved) << line;
  const Json heads = run.heads();
  for (const std::string& relation : task.relations) {
    const double agreement = best_agreement(heads, relation);
    line += fmt::format(", {} {:.0f} %", relation, 100 * agreement);
    EXPECT_GE(agreement, agrees) << line;
  }
  if (!task.either.empty()) {
    const double agreement = least_agreement(heads, task.either);
    line += fmt::format(", {} {:.0f} %", join(task.either, " or "), 100 * agreement);
    EXPECT_GE(agreement, agrees) << line;
  }
  for (const std::string& role : task.roles) {
    EXPECT_TRUE(roles_of(heads).contains(role)) << role << "; " << heads.dump();
  }
  if (!task.too_little.empty()) {
    const double less = DecoderRun(task.config, seed, task.too_little).sequence_accuracy();
    line += fmt::format("; with {} {:.1f} % right", task.too_little.front(), 100 * less);
    EXPECT_LE(less, not_solved) << line;
  }
  return line;
}

// The sample consists of the smallest task with one seed.
TEST(ProveHeads, of_a_decoder_are_those_that_its_task_needs) {
  const Index tasks = proof_cases(1, std::ssize(decoder_tasks()));
  const Index seeds = proof_cases(1, 3);
  for (Index task = 0; task < tasks; ++task) {
    for (Index seed = 1; seed <= seeds; ++seed) {
      tell_figures(expect_known_heads(decoder_tasks()[static_cast<std::size_t>(task)], seed));
    }
  }
}

}}  // namespace tapehead
