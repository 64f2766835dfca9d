// Command options that take numbers, parsed and checked like options of a config; the options of
// gradcheck; and the examples, which --example names.
#include "apps/commands.hpp"

#include "core/files/process.hpp"
#include "train/config/values.hpp"

namespace tapehead {

namespace {

void read_number(const Row& row, const std::string& text) {
  try {
    read_value(row, make_node(ConfigNode::Kind::scalar, {}, text));
  } catch (const ConfigError& error) {
    throw ConfigError("{}: {}", row.field.name, error.what());
  }
}

bool in_range(const Row& row) {
  try {
    read_number(row, write_value(row));
    return true;
  } catch (const ConfigError&) {
    return false;
  }
}

std::string help_of(const Row& row) {
  const std::string range = range_text(row);
  return range.empty() ? std::string(row.field.help)
                       : fmt::format("{} ({})", row.field.help, range);
}

}  // namespace

CLI::Option* add_number_option(CLI::App& command, Field field, const Cell& cell,
                               std::string_view help) {
  field.help = help;
  const Row row{field, cell};
  CLI::Option* option = command.add_option_function<std::string>(
      std::string(field.name), [row](const std::string& text) { read_number(row, text); },
      help_of(row));
  if (in_range(row)) {
    option->default_str(write_value(row));
  }
  return option->type_name("NUMBER");
}

CLI::Option* add_numbers_option(CLI::App& command, Field field, std::vector<Index>& numbers,
                                std::string_view help) {
  field.help = help;
  const auto read = [field, &numbers](const std::vector<std::string>& texts) {
    numbers.clear();
    for (const std::string& text : texts) {
      Index number = 0;
      read_number({field, &number}, text);
      numbers.push_back(number);
    }
  };
  Index none = 0;
  return command
      .add_option_function<std::vector<std::string>>(std::string(field.name), read,
                                                     help_of({field, &none}))
      ->type_name("NUMBER");
}

CLI::Option* add_precision_option(CLI::App& command, Precision& precision) {
  return add_number_option(command, named("--precision"), cell_of(precision),
                           "Of the products of linear maps and of the output layer: bfloat16 "
                           "rounds their factors, and is faster where the CPU multiplies it")
      ->type_name("float32|bfloat16");
}

CLI::Option* add_threads_option(CLI::App& command, Index& threads, std::string_view help) {
  return add_number_option(command, named("--threads", 1, 1024), &threads, help);
}

CLI::App* declare_gradcheck(CLI::App& program, GradcheckArguments& arguments) {
  CLI::App* command =
      program.add_subcommand("gradcheck", "Check the gradients of a config's model");
  command->add_option("config", arguments.config, "Config file, YAML or JSON")->required();
  add_set_option(*command, arguments.overrides);
  command->add_option("--only", arguments.only,
                      "Only parameters whose names match, such as \"decoder.*\"");
  add_number_option(*command, named("--seed"), &arguments.seed, "Seed of the random directions");
  command->add_flag("--json", arguments.json, "One JSON object on standard output");
  return command;
}

fs::path example_folder() {
  const fs::path own = own_program().parent_path();
  for (const std::string_view place : {
           "../configs",                       // build/tapehead
           "../../configs",                    // build/asan/tapehead
           "../share/tapehead/configs",        // bin/tapehead
           "../../../share/tapehead/configs",  // lib/tapehead/avx2/tapehead
       }) {
    if (fs::is_regular_file(own / place / "copy.yaml")) {
      return (own / place).lexically_normal();
    }
  }
  throw ConfigError(
      "{} has no configs in its installation; give a config file, or keep bin, lib and share "
      "together",
      shown(own.string()));
}

fs::path find_example(const std::string& name, ExampleFile kind) {
  const fs::path folder = example_folder();
  const auto is_wanted = [&](const fs::path& entry) {  // only a sweep names a config
    return entry.extension() == ".yaml" &&
           (kind == ExampleFile::sweep) ==
               (read_file(entry).find("\nconfig: ") != std::string::npos);
  };
  auto names = mapped(entries_of(folder) | std::views::filter(is_wanted),
                      [](const fs::path& entry) { return entry.stem().string(); });
  std::ranges::sort(names);
  if (std::ranges::binary_search(names, name)) {
    return folder / (name + ".yaml");
  }
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const auto meant = nearest(name, candidates);
  throw ConfigError(
      "there is no example {}; {}", shown(name),
      meant ? fmt::format("did you mean {}?", *meant)
            : fmt::format("there are {} in {}", fmt::join(names, ", "), shown(folder.string())));
}

}  // namespace tapehead
