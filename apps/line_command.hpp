// What the commands that read lines have in common: their options, and how they open what they
// need.
#pragma once

#include <CLI/CLI.hpp>

#include "core/kernel/workers.hpp"
#include "predict/predictor.hpp"
#include "predict/reader.hpp"

namespace tapehead {

struct LineArguments {
  std::vector<std::filesystem::path> runs;
  std::string checkpoint;            // of each run
  std::string input;                 // a file; empty: standard input
  std::vector<std::string> texts{};  // in the place of an input
  std::string targets{};             // a file with the target of each line; empty: none
  std::string output;                // a file; empty: standard output
  Index batch_tokens = decoding_batch_tokens;
  std::string mask{mask_in_text};  // what stands for a masked token
  Index threads = default_threads();
  bool json = false;
};

CLI::Option* add_input_option(CLI::App& command, std::string& input);

enum class TakesRuns { one, several };

// The run, or the runs, and --checkpoint.
void add_run_options(CLI::App& command, LineArguments& arguments, TakesRuns takes);

// --output, whose help says what is in the file.
void add_output_option(CLI::App& command, LineArguments& arguments, const char* answers);

// --batch-tokens, --threads and --json, behind a command's own options.
void add_asking_options(CLI::App& command, LineArguments& arguments, const char* batch_tokens,
                        const char* json);

using Write = std::function<void(std::string_view)>;

// What a command asks its runs. `write`: for what is to be seen before an answer is complete.
using MakeQuestion = std::function<std::unique_ptr<Question>(const Predictor&, const Write& write)>;

// Asks the runs about each line, and writes the answers. An output is opened only once runs and
// inputs are found to be in order, so that a fault does not destroy an earlier file.
void ask(const LineArguments& arguments, const MakeQuestion& make_question);

// Asks a question of this type, which is made of the arguments and of what predicts.
template <class Asked, class Arguments>
void ask_with(const Arguments& arguments) {
  ask(arguments, [&](const Predictor& predictor, const Write& /*write*/) {
    return std::make_unique<Asked>(arguments, predictor);
  });
}

}  // namespace tapehead
