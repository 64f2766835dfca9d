// tapehead export RUN DIRECTORY: writes the model of a run for other programs.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <filesystem>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "apps/commands.hpp"
#include "core/errors.hpp"
#include "core/files/standard_streams.hpp"
#include "train/interchange/export.hpp"
#include "train/output/logging.hpp"

namespace tapehead {

namespace {

struct ExportArguments {
  std::string run;
  std::filesystem::path directory;
  std::string checkpoint;
  bool overwrite = false;
  bool json = false;
};

void expect_available(const ExportArguments& arguments) {
  namespace fs = std::filesystem;
  const fs::path& directory = arguments.directory;
  if (fs::exists(directory) && !fs::is_directory(directory)) {
    throw IoError(fmt::format("{} is no directory", directory.string()));
  }
  if (fs::exists(directory) && !fs::is_empty(directory) && !arguments.overwrite) {
    throw IoError(fmt::format("{} is not empty; --overwrite replaces the files of an export in it",
                              directory.string()));
  }
}

void say(const ExportArguments& arguments, const Exported& exported) {
  Index numbers = 0;
  for (const ExportedTensor& tensor : exported.tensors) {
    numbers += std::ssize(tensor.numbers);
  }
  const std::string directory = arguments.directory.string();
  if (arguments.json) {
    const nlohmann::ordered_json json = {{"directory", directory},
                                         {"model_type", exported.model_type},
                                         {"class", exported.class_name},
                                         {"parameters", numbers},
                                         {"tensors", exported.tensors.size()}};
    write_output(fmt::format("{}\n", json.dump()));
    return;
  }
  write_output(fmt::format(
      "{0}: a {1} of {2} parameters\nin Python: transformers.{1}.from_pretrained(\"{0}\")\n",
      directory, exported.class_name, numbers));
}

void export_run(const ExportArguments& arguments) {
  start_logging(std::make_shared<Console>());
  expect_available(arguments);
  const SavedRun run(arguments.run, arguments.checkpoint);
  const Exported exported = export_model(run);
  write_exported(exported, run, arguments.directory);
  say(arguments, exported);
}

}  // namespace

void add_export_command(CLI::App& program, Outcome& /*outcome*/) {
  CLI::App* command =
      program.add_subcommand("export", "Write the model of a run for other programs");
  const auto arguments = std::make_shared<ExportArguments>();
  command->add_option("run", arguments->run, "Run directory")->required();
  command->add_option("directory", arguments->directory, "Directory to write")->required();
  add_checkpoint_option(*command, arguments->checkpoint);
  command->add_flag("--overwrite", arguments->overwrite, "Replace files of an earlier export");
  command->add_flag("--json", arguments->json, "One JSON object on standard output");
  command->callback([arguments] { export_run(*arguments); });
}

}  // namespace tapehead
