#include "bench/scaling.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tapehead {

namespace {

struct Part {
  std::string_view name;
  std::string_view title;
  void (*run)(const ScalingOptions& options);
};

constexpr std::array<Part, 5> parts{
    {{"threads", "Training steps over the threads, and a hash of the weights after them",
      &scale_threads},
     {"bits", "A hash of a config's weights after training, over the threads", &scale_bits},
     {"attention", "The attention core over the sequence length", &scale_attention},
     {"beam", "Decoding over the beam width", &scale_beam},
     {"vocabulary", "Training steps over the vocabulary", &scale_vocabulary}}};

struct Arguments {
  std::vector<std::string> parts{"threads", "bits", "attention", "beam", "vocabulary"};
  ScalingOptions options;
};

void run(const Arguments& arguments) {
  for (const std::string& name : arguments.parts) {
    for (const Part& part : parts) {
      if (part.name == name) {
        if (!arguments.options.json) {
          fmt::print("{}\n", part.title);
        }
        part.run(arguments.options);
        fmt::print("{}", arguments.options.json ? "" : "\n");
        std::fflush(stdout);
      }
    }
  }
}

}  // namespace

void add_scaling_bench(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "scaling", "How time grows with threads, sequence length, beam width and vocabulary");
  const auto arguments = std::make_shared<Arguments>();
  command
      ->add_option("parts", arguments->parts, "Which of threads, bits, attention, beam, vocabulary")
      ->check(CLI::IsMember({"threads", "bits", "attention", "beam", "vocabulary"}))
      ->capture_default_str();
  command->add_option("--configs", arguments->options.configs, "What bits trains")
      ->check(CLI::ExistingFile)
      ->capture_default_str();
  command->add_flag("--quick", arguments->options.quick, "Only the smallest case of each");
  command->add_flag("--json", arguments->options.json, "One JSON object a line");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace tapehead
