// With the shipped configs, a decoder learns each task with a known attention head and has this
// head; it fails with fewer layers or heads than the task needs.
#include "core/text.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/proof.hpp"
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

const std::vector<DecoderTask> decoder_tasks{
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

class DecoderRun {
 public:
  DecoderRun(const std::string& config, Index seed, const Arguments& overrides) {
    Arguments arguments{"train", TAPEHEAD_SOURCE_DIR "/configs/" + config + ".yaml", "--run", "a"};
    set_options(arguments, overrides + Arguments{fmt::format("seed={}", seed), "run.report=false"});
    here_.output(arguments);
  }
  double sequence_accuracy() const {
    return here_.json_of("evaluate a --split test --json")["sequence_accuracy"];
  }
  nlohmann::json heads() const { return here_.json_of("heads a --json")["attentions"]; }

 private:
  ProgramDirectory here_;
};

// For each head of each attention, the sum of its agreements with these relations.
std::vector<double> agreements(const nlohmann::json& attentions,
                               const std::vector<std::string>& names) {
  std::vector<double> sums;
  for (const auto& attention : attentions) {
    const std::size_t first = sums.size();
    sums.resize(first + attention["heads"].size());
    for (const auto& relation : attention["relations"]) {
      const bool counts =
          std::ranges::find(names, relation["name"].get<std::string>()) != names.end();
      for (std::size_t head = first; counts && head < sums.size(); ++head) {
        sums[head] += relation["agreement"][head - first].get<double>();
      }
    }
  }
  return sums;
}

// Trains once; returns the figures as a line.
std::string expect_known_heads(const DecoderTask& task, Index seed) {
  const DecoderRun run(task.config, seed, {});
  const double right = run.sequence_accuracy();
  std::string line = fmt::format("{}, seed {}: {:.1f} % right", task.config, seed, 100 * right);
  EXPECT_GE(right, solved) << line;
  const auto heads = run.heads();
  EXPECT_FALSE(heads.empty());
  const auto expect_agreement = [&](double agreement, const std::string& relations) {
    line += fmt::format(", {} {:.0f} %", relations, 100 * agreement);
    EXPECT_GE(agreement, agrees) << line;
  };
  for (const std::string& relation : task.relations) {
    expect_agreement(std::ranges::max(agreements(heads, {relation})), relation);
  }
  if (!task.either.empty()) {
    expect_agreement(std::ranges::min(agreements(heads, task.either)), join(task.either, " or "));
  }
  std::set<std::string> roles;
  for (const auto& attention : heads) {
    for (const auto& head : attention["heads"]) {
      roles.insert(head["role"].get<std::string>());
    }
  }
  EXPECT_THAT(roles, IsSupersetOf(task.roles)) << heads.dump();
  if (!task.too_little.empty()) {
    const double less = DecoderRun(task.config, seed, task.too_little).sequence_accuracy();
    line += fmt::format("; with {} {:.1f} % right", task.too_little.front(), 100 * less);
    EXPECT_LE(less, not_solved) << line;
  }
  return line;
}

// The sample consists of the smallest task with one seed.
TEST(ProveHeads, of_a_decoder_are_those_that_its_task_needs) {
  const Index tasks = proof_cases(1, std::ssize(decoder_tasks));
  const Index seeds = proof_cases(1, 3);
  for (Index task = 0; task < tasks; ++task) {
    for (Index seed = 1; seed <= seeds; ++seed) {
      tell_figures(expect_known_heads(decoder_tasks[static_cast<std::size_t>(task)], seed));
    }
  }
}

}}  // namespace tapehead
