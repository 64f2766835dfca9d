#include "bench/heads.hpp"

#include <fmt/format.h>

#include <algorithm>
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
  void (*run)(const HeadsBenchOptions& options);
};

constexpr std::array<Part, 6> parts{
    {{"heads", "A self-attention over its heads", &layer_over_heads},
     {"width", "A self-attention over d_model", &layer_over_width},
     {"length", "A self-attention over the sequence length", &layer_over_length},
     {"options", "Training steps with options of attention beside plain ones", &steps_over_options},
     {"patterns", "Training steps with patterns beside full attention, sequences of 512",
      &steps_over_patterns},
     {"removal", "Training steps of a model without half of its heads", &steps_without_heads}}};

std::vector<std::string> part_names() {
  std::vector<std::string> names;
  std::ranges::transform(parts, std::back_inserter(names),
                         [](const Part& part) { return std::string(part.name); });
  return names;
}

struct Arguments {
  std::vector<std::string> parts = part_names();
  HeadsBenchOptions options;
};

void run(const Arguments& arguments) {
  for (const std::string& name : arguments.parts) {
    const auto* const part = std::ranges::find(parts, name, &Part::name);
    fmt::print("{}", arguments.options.json ? "" : fmt::format("{}\n", part->title));
    part->run(arguments.options);
    fmt::print("{}", arguments.options.json ? "" : "\n");
    std::fflush(stdout);
  }
}

}  // namespace

void add_heads_bench(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "heads", "What attention costs over heads, width and length, and what its options cost");
  const auto arguments = std::make_shared<Arguments>();
  command
      ->add_option("parts", arguments->parts,
                   "Which of heads, width, length, options, patterns, removal")
      ->check(CLI::IsMember(part_names()))
      ->capture_default_str();
  command->add_option("--threads", arguments->options.threads, "Worker threads of steps")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--seconds", arguments->options.seconds, "Time for each comparison of steps")
      ->capture_default_str();
  command->add_flag("--quick", arguments->options.quick, "Only the smallest case of each");
  command->add_flag("--json", arguments->options.json, "One JSON object a line");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace tapehead
