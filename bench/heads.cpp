#include "bench/heads.hpp"

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "bench/parts.hpp"

namespace tapehead {

namespace {

constexpr std::array<BenchPart<HeadsBenchOptions>, 6> heads_parts{
    {{"heads", "A self-attention over its heads", &layer_over_heads},
     {"width", "A self-attention over d_model", &layer_over_width},
     {"length", "A self-attention over the sequence length", &layer_over_length},
     {"options", "Training steps with options of attention beside plain ones", &steps_over_options},
     {"patterns", "Training steps with patterns beside full attention, sequences of 512",
      &steps_over_patterns},
     {"removal", "Training steps of a model without half of its heads", &steps_without_heads}}};

struct HeadBenchArguments {
  std::vector<std::string> names = names_of(heads_parts);
  HeadsBenchOptions options;
};

}  // namespace

void add_heads_bench(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "heads", "What attention costs over heads, width and length, and what its options cost");
  const auto arguments = std::make_shared<HeadBenchArguments>();
  command
      ->add_option("parts", arguments->names,
                   "Which of heads, width, length, options, patterns, removal")
      ->check(CLI::IsMember(names_of(heads_parts)))
      ->capture_default_str();
  command->add_option("--threads", arguments->options.threads, "Worker threads of steps")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--seconds", arguments->options.seconds, "Time for each comparison of steps")
      ->capture_default_str();
  command->add_flag("--quick", arguments->options.quick, "Only the smallest case of each");
  command->add_flag("--json", arguments->options.json, "One JSON object a line");
  command->callback([arguments] { run_parts(heads_parts, arguments->names, arguments->options); });
}

}  // namespace tapehead
