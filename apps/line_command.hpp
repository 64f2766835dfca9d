// What the commands that read lines share: their options, and how they open runs, inputs and
// outputs.
#pragma once

#include <CLI/CLI.hpp>

#include "apps/commands.hpp"
#include "predict/predictor.hpp"

namespace tapehead {

struct LineArguments {
  std::vector<fs::path> runs;
  std::string checkpoint;            // of each run
  std::string input;                 // a file; empty: standard input
  std::vector<std::string> texts{};  // lines given in place of an input
  std::string targets{};             // a file with one target per line; empty: no targets
  std::string output;                // a file; empty: standard output
  Index batch_tokens = decoding_batch_tokens;
  std::string mask{mask_in_text};  // the text that stands for a masked token
  Index threads = default_threads();
  Precision precision = Precision::float32;
  bool json = false;
};

// A T that was made from these arguments. It stays until the program ends, so that later commands
// of `tapehead open` need not read files again.
template <class T>
T& kept(const fs::path& run, const std::string& checkpoint = "") {
  static std::map<std::pair<fs::path, std::string>, T> made;
  return made.try_emplace({run, checkpoint}, run, checkpoint).first->second;
}

// A run with the weights of a checkpoint, and its files.
struct KeptRun {
  KeptRun(const fs::path& directory, const std::string& checkpoint)
      : inputs(inputs_of_run(directory, checkpoint)), run(directory, checkpoint) {}

  InputFiles inputs;
  SavedRun run;
};

CLI::Option* add_input_option(CLI::App& command, std::string& input);

enum class TakesRuns { one, several };

// The run or the runs, and --checkpoint.
void add_run_options(CLI::App& command, LineArguments& arguments, TakesRuns takes);

// --output; `answers` describes the contents of the file in the help.
void add_output_option(CLI::App& command, LineArguments& arguments, const char* answers);

// --batch-tokens, --threads and --json, to be added after a command's own options.
void add_asking_options(CLI::App& command, LineArguments& arguments, const char* batch_tokens,
                        const char* json);

using Write = std::function<void(std::string_view)>;

// Makes the question of a command. `write` shows parts of an answer before it is complete.
using MakeQuestion = std::function<std::unique_ptr<Question>(const Predictor&, const Write& write)>;

// Asks the runs about each line and writes the answers. The output is opened only after runs and
// inputs are known to be valid, so that an error does not destroy an earlier file.
void ask(const LineArguments& arguments, const MakeQuestion& make_question);

// Asks an `Asked` that is constructed from the arguments and the predictor.
template <class Asked, class Arguments>
void ask_with(const Arguments& arguments) {
  ask(arguments, [&](const Predictor& predictor, const Write& /*write*/) {
    return std::make_unique<Asked>(arguments, predictor);
  });
}

}  // namespace tapehead
