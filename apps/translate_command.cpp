// tapehead translate RUN: translates lines of text.
#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "apps/commands.hpp"
#include "apps/line_reader.hpp"
#include "apps/threads.hpp"
#include "core/blas_kernels.hpp"
#include "core/errors.hpp"
#include "datasets/text_file.hpp"
#include "train/evaluation.hpp"
#include "train/example_decoding.hpp"
#include "train/run/logging.hpp"
#include "train/translator.hpp"

namespace tapehead {

namespace {

struct TranslateArguments {
  std::filesystem::path run;
  std::string input;
  std::string output;
  std::string checkpoint;
  Index beam = 0;
  double length_penalty = -1;
  Index n_best = 1;
  Index batch_tokens = decoding_batch_tokens;
  Index threads = default_threads();
};

constexpr Index lines_at_a_time = 1024;

DecodingOptions decoding_for(const TranslateArguments& arguments, const Config& config) {
  DecodingOptions options = decoding_options(config.evaluation);
  options.beam = arguments.beam > 0 ? arguments.beam : options.beam;
  options.length_penalty =
      arguments.length_penalty >= 0 ? arguments.length_penalty : options.length_penalty;
  options.best = arguments.n_best;
  options.scores = arguments.n_best > 1;
  if (options.best > options.beam) {
    throw ConfigError(
        fmt::format("--n-best {} asks for more than the beam's {} hypotheses: raise --beam",
                    options.best, options.beam));
  }
  return options;
}

// One translation a line; with several for each line, "line ||| translation ||| score", lines
// counted from 0 as Moses does.
void write(std::FILE* out, Index line, const std::vector<Translation>& translations, bool n_best) {
  for (const Translation& translation : translations) {
    const std::string text =
        n_best ? fmt::format("{} ||| {} ||| {:.4f}\n", line, translation.text, translation.score)
               : translation.text + "\n";
    if (std::fputs(text.c_str(), out) < 0) {
      throw IoError(fmt::format("cannot write the output: {}", std::strerror(errno)));
    }
  }
}

struct Input {
  std::string name;
  int file;
};

void translate_lines(const Translator& translator, bool n_best, const Input& input,
                     std::FILE* output) {
  LineReader reader(input.file);
  Index done = 0;
  for (auto lines = reader.next(lines_at_a_time); !lines.empty();
       lines = reader.next(lines_at_a_time)) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (const auto fault =
              utf8_fault(lines[i], input.name, static_cast<std::size_t>(done) + i + 1)) {
        spdlog::warn("{}", *fault);
      }
    }
    const auto results = translator.translate(lines, [done](Index line, Index tokens, Index most) {
      spdlog::warn("line {} has {} tokens; only the first {} are translated", done + line + 1,
                   tokens, most);
    });
    for (const auto& translations : results) {
      write(output, done++, translations, n_best);
    }
    if (std::fflush(output) != 0) {
      throw IoError(fmt::format("cannot write the output: {}", std::strerror(errno)));
    }
  }
}

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

File open_file_for(const std::string& path, const char* mode) {
  File file(std::fopen(path.c_str(), mode));
  if (!file) {
    throw IoError(fmt::format("cannot open {}: {}", path, std::strerror(errno)));
  }
  return file;
}

void translate(const TranslateArguments& arguments) {
  start_logging(std::make_shared<Console>());
  prepare_blas();
  // Before the output is opened: what is wrong with the run or the input costs no earlier file.
  const SavedRun saved(arguments.run, arguments.checkpoint);
  Workers workers(arguments.threads);
  const Translator translator(saved, workers, decoding_for(arguments, saved.config),
                              arguments.batch_tokens);
  const File input = arguments.input.empty() ? File() : open_file_for(arguments.input, "r");
  std::error_code ignored;
  if (std::filesystem::equivalent(arguments.input, arguments.output, ignored)) {
    throw IoError(fmt::format("--output {} is the input too: name another file", arguments.output));
  }
  const File output = arguments.output.empty() ? File() : open_file_for(arguments.output, "w");
  translate_lines(
      translator, arguments.n_best > 1,
      input ? Input{arguments.input, fileno(input.get())} : Input{"standard input", STDIN_FILENO},
      output ? output.get() : stdout);
}

}  // namespace

void add_translate_command(CLI::App& program, Outcome& /*outcome*/) {
  CLI::App* command =
      program.add_subcommand("translate", "Translate lines of text with a trained model");
  const auto arguments = std::make_shared<TranslateArguments>();
  command->add_option("run", arguments->run, "Run directory")->required();
  command->add_option("--input", arguments->input, "File of lines; by default standard input");
  command->add_option("--output", arguments->output,
                      "File for the translations; by default standard output");
  add_checkpoint_option(*command, arguments->checkpoint);
  command
      ->add_option("--beam", arguments->beam,
                   "Hypotheses of the beam search, 1: greedy; by default as the config says")
      ->check(CLI::Range(1, 256));
  command
      ->add_option("--length-penalty", arguments->length_penalty,
                   "Power of the length that a score is divided by; by default as the config says")
      ->check(CLI::Range(0.0, 10.0));
  command
      ->add_option("--n-best", arguments->n_best, "Translations for each line, with their scores")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  command
      ->add_option("--batch-tokens", arguments->batch_tokens, "Source tokens translated together")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->add_option("--threads", arguments->threads, "Worker threads")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->callback([arguments] { translate(*arguments); });
}

}  // namespace tapehead
