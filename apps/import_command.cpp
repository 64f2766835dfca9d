// tapehead import DIRECTORY: makes a run from a model that another program trained.
#include <spdlog/spdlog.h>

#include "apps/commands.hpp"
#include "interchange/import.hpp"
#include "interchange/their_tokenizers.hpp"

namespace tapehead {

namespace {

struct ImportArguments {
  ImportRequest request;
  Index begin = -1;  // not given
  bool overwrite = false;
  bool json = false;
};

void say(const ImportArguments& arguments, const Imported& imported) {
  const std::string run = arguments.request.run.string();
  const Index parameters = imported.model->store.count();
  if (arguments.json) {
    const Json json = {{"run", run},
                       {"model_type", imported.model_type},
                       {"parameters", parameters},
                       {"entries", imported.tokenizers.source->size()},
                       {"left_out", imported.left_out},
                       {"rows_left_out", imported.rows_left_out}};
    write_output(fmt::format("{}\n", json.dump()));
    return;
  }
  write_output(fmt::format("{}: a {} of {} parameters, with {} entries\n", run, imported.model_type,
                           parameters, imported.tokenizers.source->size()));
  if (!imported.left_out.empty()) {
    write_output(fmt::format("not used: {}\n", join(imported.left_out, ", ")));
  }
  if (imported.rows_left_out > 0) {
    write_output(
        fmt::format("rows of the embedding that no token has: {}\n", imported.rows_left_out));
  }
  if (imported.purpose == Purpose::classes && arguments.request.texts == 1) {
    write_output("the run classifies single texts; to classify pairs, import with --texts 2\n");
  }
  write_output(fmt::format("next: {} {} {}\n", program_path(), use_of(imported.config).command,
                           shell_word(run)));
}

void import_run(ImportArguments& arguments) {
  prepare_blas();
  if (arguments.begin >= 0) {
    arguments.request.begin = arguments.begin;
  }
  const fs::path& from = arguments.request.from;
  if (arguments.request.run.empty()) {
    arguments.request.run = "runs" / (from / "").parent_path().filename();
  }
  RunDirectory::expect_available(arguments.request.run, arguments.overwrite);
  InputFiles inputs;
  for (const char* name : {"config.json", "model.safetensors"}) {
    inputs.add(from / name);
  }
  RunDirectory::expect_keeps(arguments.request.run, inputs);
  expect_output_apart(inputs);
  const Imported imported = import_model(arguments.request);
  if (arguments.request.token_texts && !has_token_texts(from)) {
    spdlog::warn("{} has no vocabulary file: the names of the tokens are their ids", from.string());
  }
  write_imported(imported, arguments.request.run, arguments.overwrite);
  say(arguments, imported);
}

}  // namespace

const Command import_command(140, [](CLI::App& program) {
  const auto [command, arguments] = add_command<ImportArguments>(
      program, "import",
      "Make a run of a model in Hugging Face's layout: " + architecture_names("or"), import_run);
  command
      .add_option("directory", arguments.request.from,
                  "Directory with config.json and model.safetensors")
      ->required();
  command.add_option("--run", arguments.request.run,
                     "Run directory; by default runs/<name of the directory>");
  command
      .add_option("--text", arguments.request.text,
                  "Text that the run is evaluated and trained on; for a classifier a TSV "
                  "(task.train_tsv), for a token classifier a table (task.train_columns), for an "
                  "encoder-decoder its sources (task.train_source)")
      ->capture_default_str();
  command
      .add_option("--target-text", arguments.request.target_text,
                  "The targets of the sources in --text, line by line (task.train_target)")
      ->capture_default_str();
  add_number_option(command, named("--texts", 1, 2), &arguments.request.texts,
                    "How many texts a classifier reads: 1, or 2 separated by a tab (task.texts)");
  add_number_option(
      command, named("--begin", 0, std::numeric_limits<TokenId>::max()), &arguments.begin,
      "Id of the mark that a text begins with, where tokenizer.json and config.json differ");
  command.add_flag("--token-texts", arguments.request.token_texts,
                   "Do not read the tokenizer: the run's texts are tokens separated by blanks");
  command.add_flag("--overwrite", arguments.overwrite, "Replace an earlier run");
  command.add_flag("--json", arguments.json, "One JSON object on standard output");
});

}  // namespace tapehead
