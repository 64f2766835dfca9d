// Commands that a fault spoils: judged by what they said and left, and repeated.
#pragma once

#include <map>

#include "tests/support/corpus_training.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/text_training.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead {

struct Scenario {
  std::string name;
  std::vector<Arguments> before;  // the commands that make what it needs
  Arguments command;
  Arguments repeat_with;  // what a user adds if the command must not be repeated as it is

  friend std::ostream& operator<<(std::ostream& out, const Scenario& scenario) {
    return out << scenario.name;
  }
};

// Trains the run r with evaluations, checkpoints, averages, a page and TensorBoard's files.
inline Arguments train_with_features(const std::string& config) {
  Arguments arguments{"train", config, "--run", "r"};
  set_options(arguments, {"training.steps=4", "training.warmup=1", "training.checkpoint_every=2",
                          "evaluation.every=2", "training.average_last=2", "run.tensorboard=true",
                          "run.report=true"});
  return arguments;
}

inline std::vector<Scenario> scenarios() {
  const Arguments train = train_with_features("pairs.yaml");
  Arguments half = train;
  set_options(half, {"training.steps=2"});
  return {
      {.name = "train", .before = {}, .command = train, .repeat_with = {"--resume"}},
      {.name = "text",
       .before = {},
       .command = train_with_features("text.yaml"),
       .repeat_with = {"--resume"}},
      {.name = "resume",
       .before = {half},
       .command = {"train", "pairs.yaml", "--run", "r", "--resume", "--set", "training.steps=4"},
       .repeat_with = {}},
      {.name = "sweep",
       .before = {},
       .command = {"sweep", "sweep.yaml", "--run", "s"},
       .repeat_with = {}},
      {.name = "prune",
       .before = {train},
       .command = {"prune", "r", "p", "--head", "encoder.layers.0.self.1"},
       .repeat_with = {"--overwrite"}},
      {.name = "export",
       .before = {train},
       .command = {"export", "r", "e", "--as", "pytorch"},
       .repeat_with = {"--overwrite"}},
      {.name = "import",
       .before = {},
       .command = {"import", TAPEHEAD_FIXTURES "/pretrained/gpt2", "--run", "i", "--token-texts"},
       .repeat_with = {"--overwrite"}},
      {.name = "translate",
       .before = {train},
       .command = {"translate", "r", "--input", "data/test.en", "--output", "o"},
       .repeat_with = {}},
      {.name = "evaluate", .before = {train}, .command = {"evaluate", "r"}, .repeat_with = {}},
      {.name = "heads", .before = {train}, .command = {"heads", "r"}, .repeat_with = {}},
  };
}

class SpoiledCommand {
 public:
  // Runs the command twice, which must succeed.
  explicit SpoiledCommand(Scenario scenario) : scenario_(std::move(scenario)) {
    write_corpus(here_ / "before/data");
    here_.write("before/pairs.yaml", corpus_config("data", "unigram, vocabulary: 19", 4));
    here_.write("before/sweep.yaml",
                tiny_sweep("training.steps: 6}\naxes:\n  model.heads: [1, 2]\n"));
    here_.write("before/text.yaml", text_config("data/train.en"));
    for (const Arguments& command : scenario_.before) {
      successful(run_program(command, here_ / "before"));
    }
    start_again();
    output_ = successful(run_program(scenario_.command, directory())).output;
    right_ = files();
    start_again();
    output_ =
        successful(run_program(scenario_.command, directory())).output == output_ ? output_ : "";
    // What depends on the time differs in two right runs, or what is said may.
    std::erase_if(right_, [&, now = files()](const auto& file) {
      const auto same = now.find(file.first);
      return same == now.end() || same->second != file.second || file.first.ends_with(".log") ||
             file.first.ends_with("log.txt");
    });
  }

  const Arguments& command() const { return scenario_.command; }
  fs::path directory() const { return here_ / "work"; }

  // Makes the directory as it was before the command.
  void start_again() const {
    fs::remove_all(directory());
    fs::copy(here_ / "before", directory(), fs::copy_options::recursive);
  }

  // What is wrong about the end of a command that met a fault; "" if nothing. It may not be ended
  // by a signal. If it does not leave all that it should, it must say so, with what `unsaid` looks
  // for in its messages, and must be repeatable. `unsaid` returns "" if it found that.
  std::string judged(const ProgramResult& result,
                     const std::function<std::string(const std::string&)>& unsaid) const {
    if (result.exit_code > 2) {
      return fmt::format("ended with {}\n{}", result.exit_code, result.errors);
    }
    const std::string silence = unsaid(result.errors);
    if (result.exit_code == 0) {
      const std::string wrong = difference(result);
      return wrong.empty() || silence.empty()
                 ? ""
                 : fmt::format("succeeded, but {}; it {}\n{}", wrong, silence, result.errors);
    }
    return silence.empty() ? trouble_afterwards() : silence + '\n' + result.errors;
  }

 private:
  using Files = std::map<std::string, std::string>;

  static ProgramResult successful(ProgramResult result) {
    if (result.exit_code != 0) {
      throw std::runtime_error(result.errors);
    }
    return result;
  }

  Files files() const {
    Files files;
    for (const auto& entry : fs::recursive_directory_iterator(directory())) {
      if (entry.is_regular_file()) {
        files[entry.path().lexically_relative(directory())] = content_of(entry.path());
      }
    }
    return files;
  }

  std::string difference(const ProgramResult& result) const {
    if (!output_.empty() && result.output != output_) {
      return "the output differs:\n" + result.output;
    }
    const Files now = files();
    for (const auto& [name, content] : right_) {
      const auto file = now.find(name);
      if (file == now.end() || file->second != content) {
        return fmt::format("{} {}", name, file == now.end() ? "is missing" : "differs");
      }
    }
    for (const auto& [name, content] : now) {
      if (name.ends_with(".tmp")) {
        return name + " was left";
      }
    }
    return "";
  }

  // After a failure the same command works, or it says how.
  std::string trouble_afterwards() const {
    ProgramResult result = run_program(scenario_.command, directory());
    if (result.exit_code != 0 && !scenario_.repeat_with.empty()) {
      result = run_program(scenario_.command + scenario_.repeat_with, directory());
    }
    if (result.exit_code != 0) {
      return fmt::format("cannot be repeated\n{}", result.errors);
    }
    const std::string wrong = difference(result);
    return wrong.empty() ? "" : fmt::format("when repeated, {}\n{}", wrong, result.errors);
  }

  Scenario scenario_;
  ProgramDirectory here_;
  Files right_;  // after the command
  std::string output_;
};

}  // namespace tapehead
