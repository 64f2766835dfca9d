// Trainings that are ended again and again at random moments by SIGKILL, SIGTERM or SIGINT, and
// resumed with another number of threads: the same bits and the same lines as without an end.
#include "tests/support/corpus_training.hpp"
#include "tests/support/mutations.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/proof.hpp"
#include "tests/support/text_training.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;
using Seconds = std::chrono::duration<double>;

struct KilledTraining {
  std::string name;
  std::string config;  // letters, pairs or masked
  Arguments overrides;

  friend std::ostream& operator<<(std::ostream& out, const KilledTraining& training) {
    return out << training.name;
  }
};

const std::vector<KilledTraining> trainings{
    {"dropout_and_average", "pairs", {"model.dropout=0.2", "training.average_last=3"}},
    {"gates", "pairs", {"attention.gates=l0", "training.gate_penalty=0.1"}},
    {"muon_and_accumulation", "pairs", {"training.optimizer=muon", "training.accumulate=3"}},
    {"subword_dropout",
     "pairs",
     {"task.tokenizer=bpe", "task.vocabulary=16", "task.subword_dropout=0.2"}},
    {"bfloat16", "pairs", {"training.precision=bfloat16"}},
    {"running_text", "letters", {"model.dropout=0.1", "run.tensorboard=true"}},
    {"memory",
     "letters",
     {"model.positions=none", "attention.positions=alibi", "model.max_positions=80",
      "training.memory=30", "training.batch_tokens=144", "training.accumulate=2"}},
    {"masked",
     "letters",
     {"model.family=encoder", "model.max_positions=30", "task.mask_share=0.3", "run.report=true"}},
};

class Kills {
 public:
  explicit Kills(const KilledTraining& training) {
    write_corpus(here_ / "data");
    here_.write("pairs.yaml", corpus_config("data", "word", 4));
    here_.write("letters.yaml", text_config("data/train.en"));
    command_ = {"train", training.config + ".yaml"};
    set_options(command_, {"training.steps=200", "training.warmup=5", "training.checkpoint_every=7",
                           "evaluation.every=20"});
    set_options(command_, training.overrides);
    const auto begin = std::chrono::steady_clock::now();
    here_.output(command_ + Arguments{"--run", "whole", "--threads", "1"});
    seconds_ = Seconds(std::chrono::steady_clock::now() - begin).count();
  }

  // Ends a training at several moments, and lets it end at last. How often it was ended.
  int end_several_times(Choices& choices) {
    fs::remove_all(here_ / "broken");
    int ends = 0;
    while (true) {
      const std::vector signals{SIGKILL, SIGTERM, SIGINT};
      const int signal = choices.of(signals);
      const std::string threads = std::to_string(1 + choices.below(3));
      const bool begun = fs::exists(here_ / "broken");
      Program program(command_ + Arguments{"--run", "broken", "--threads", threads} +
                          (begun ? Arguments{"--resume"} : Arguments{}),
                      here_.path());
      std::this_thread::sleep_for(
          Seconds(seconds_ * static_cast<double>(choices.below(1000)) / 2000));
      if (ends < 4) {
        program.kill(signal);
      }
      const ProgramResult result = program.wait();
      if (result.exit_code == 0) {
        expect_same_runs(here_ / "whole", here_ / "broken");
        return ends;
      }
      EXPECT_EQ(result.exit_code, 128 + signal) << result.errors;
      if (Test::HasFailure()) {
        return ends;
      }
      ++ends;
    }
  }

 private:
  ProgramDirectory here_;
  Arguments command_;
  double seconds_ = 0;
};

class ProveKills : public TestWithParam<KilledTraining> {};

TEST_P(ProveKills, leave_the_bits_of_a_training_without_them) {
  Kills kills(GetParam());
  const Index cases = proof_cases(1, 50);
  int ends = 0;
  for (Index number = 0; (number < cases || ends == 0) && !HasFailure(); ++number) {
    SCOPED_TRACE(number);
    Choices choices(static_cast<std::uint64_t>(number));
    ends += kills.end_several_times(choices);
  }
  tell_figures(
      fmt::format("kills: {}: {} trainings were ended {} times", GetParam().name, cases, ends));
}

INSTANTIATE_TEST_SUITE_P(, ProveKills, ValuesIn(trainings),
                         [](const auto& training) { return training.param.name; });

}}  // namespace tapehead
