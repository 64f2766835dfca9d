#include "bench/scaling.hpp"

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "bench/parts.hpp"

namespace tapehead {

namespace {

constexpr std::array<BenchPart<ScalingOptions>, 5> scaling_parts{
    {{"threads", "Training steps over the threads, and a hash of the weights after them",
      &scale_threads},
     {"bits", "A hash of a config's weights after training, over the threads", &scale_bits},
     {"attention", "The attention core over the sequence length", &scale_attention},
     {"beam", "Decoding over the beam width", &scale_beam},
     {"vocabulary", "Training steps over the vocabulary", &scale_vocabulary}}};

struct ScalingArguments {
  std::vector<std::string> names = names_of(scaling_parts);
  ScalingOptions options;
};

}  // namespace

void add_scaling_bench(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "scaling", "How time grows with threads, sequence length, beam width and vocabulary");
  const auto arguments = std::make_shared<ScalingArguments>();
  command
      ->add_option("parts", arguments->names, "Which of threads, bits, attention, beam, vocabulary")
      ->check(CLI::IsMember(names_of(scaling_parts)))
      ->capture_default_str();
  command->add_option("--configs", arguments->options.configs, "What bits trains")
      ->check(CLI::ExistingFile)
      ->capture_default_str();
  command->add_flag("--quick", arguments->options.quick, "Only the smallest case of each");
  command->add_flag("--json", arguments->options.json, "One JSON object a line");
  command->callback(
      [arguments] { run_parts(scaling_parts, arguments->names, arguments->options); });
}

}  // namespace tapehead
