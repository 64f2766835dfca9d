// tapehead export RUN DIRECTORY: writes a trained model for another program.
#include <fcntl.h>
#include <sys/file.h>
#include <cerrno>

#include "apps/commands.hpp"
#include "interchange/export.hpp"

namespace tapehead {

namespace {

using WrittenModel = std::pair<std::string, Index>;  // its reader, a class or a file; parameters

// A program that models can be exported for, and all files that such an export may write.
struct ExportForm {
  std::string_view name;
  std::span<const char* const> files;
  WrittenModel (*write)(const SavedRun& run, const fs::path& directory);
};

WrittenModel write_for_transformers(const SavedRun& run, const fs::path& directory) {
  const Exported exported = export_model(run);
  write_exported(exported, run, directory);
  Index parameters = 0;
  for (const ExportedTensor& tensor : exported.tensors) {
    parameters += std::ssize(tensor.numbers);
  }
  return {exported.class_name, parameters};
}

// The first form is the default.
constexpr std::array<ExportForm, 2> export_forms{
    {{"transformers", exported_files, write_for_transformers},
     {"pytorch", pytorch_files, [](const SavedRun& run, const fs::path& directory) {
        export_pytorch(run, directory);
        return WrittenModel("model.py", run.model.store.count());
      }}}};

struct ExportArguments {
  fs::path run;
  fs::path directory;
  std::string as{export_forms.front().name};
  std::string checkpoint;
  bool overwrite = false;
  bool json = false;
};

constexpr std::string_view unfinished_prefix = ".unfinished-";

bool is_unfinished(const fs::path& path) {
  return path.filename().string().starts_with(unfinished_prefix) &&
         fs::is_directory(link_status_of(path));
}

// Even with --overwrite, files that no export writes are never touched.
void expect_directory_available(const ExportArguments& arguments, const InputFiles& inputs) {
  const fs::file_status status = status_of(arguments.directory);
  const bool used = fs::is_directory(status)
                        ? !std::ranges::all_of(entries_of(arguments.directory), is_unfinished)
                        : fs::exists(status);
  if (used && !arguments.overwrite) {
    throw IoError("{} is not empty; --overwrite replaces the files of an export in it",
                  arguments.directory.string());
  }
  for (const ExportForm& form : export_forms) {
    for (const char* file : form.files) {
      inputs.expect_other(arguments.directory / file);
    }
  }
}

// A new directory inside `directory` for the files until all are written. If the export fails
// before, an earlier export stays complete. The new directory is inside `directory`, which may be a
// link, because rename() works within one file system only.
class Unfinished : NotCopied {
 public:
  explicit Unfinished(const fs::path& directory) {
    if (!fs::exists(status_of(directory))) {
      made_ = directory;
    }
    make_directories(directory);
    for (const fs::path& path : entries_of(directory)) {
      if (is_unfinished(path) && locked(path)) {  // a killed export has left it
        std::error_code ignored;
        fs::remove_all(path, ignored);
      }
    }
    std::string name = (directory / unfinished_prefix).string() + "XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) {
      throw io_error("create", name, errno);
    }
    path_ = name;
    lock_ = locked(path_);
  }
  ~Unfinished() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    if (!made_.empty()) {
      remove_if_possible(made_);  // stays if it contains files
    }
  }

  const fs::path& path() const { return path_; }

  void move(const std::vector<std::string>& files, const fs::path& to) const {
    for (const std::string& file : files) {
      make_directories((to / file).parent_path());
      std::error_code error;
      fs::rename(path_ / file, to / file, error);
      if (error) {
        throw io_error("write", to / file, error.value());
      }
    }
  }

 private:
  // Nothing if the export that made the directory is still running.
  static std::optional<OpenFile> locked(const fs::path& path) {
    OpenFile directory(path, O_RDONLY | O_DIRECTORY);
    const bool free = ::flock(directory.descriptor(), LOCK_EX | LOCK_NB) == 0;
    return free ? std::optional(std::move(directory)) : std::nullopt;
  }

  fs::path path_;
  fs::path made_;  // `directory`, if this export created it
  std::optional<OpenFile> lock_;
};

// Removes files of earlier exports of any form: a reader would mix them with the new files.
void remove_earlier(const std::vector<std::string>& files, const fs::path& directory) {
  for (const ExportForm& form : export_forms) {
    for (const char* file : form.files) {
      if (std::ranges::find(files, file) == files.end()) {
        remove_if_possible(directory / file);
        if (const fs::path own = fs::path(file).parent_path(); !own.empty()) {
          remove_if_possible(directory / own);  // `target`, if it is empty now
        }
      }
    }
  }
}

void say_exported(const ExportArguments& arguments, const WrittenModel& written,
                  const std::vector<std::string>& files) {
  const auto& [reader, parameters] = written;
  if (arguments.json) {
    const Json json = {{"run", arguments.run.string()},
                       {"directory", arguments.directory.string()},
                       {"as", arguments.as},
                       {"model", reader},
                       {"files", files},
                       {"parameters", parameters}};
    write_output(json_text(json) + '\n');
    return;
  }
  write_output(fmt::format("{}: {} of {} parameters\nfiles: {}\n", arguments.directory.string(),
                           reader, parameters, join(files, ", ")));
}

void export_run(const ExportArguments& arguments) {
  const auto* const form = std::ranges::find(export_forms, arguments.as, &ExportForm::name);
  if (form == export_forms.end()) {
    throw ConfigError("--as {}: there is no such form (one of: {})", shown(arguments.as),
                      join(export_forms | std::views::transform(&ExportForm::name), ", "));
  }
  const InputFiles inputs = inputs_of_run(arguments.run, arguments.checkpoint);
  expect_directory_available(arguments, inputs);
  expect_output_apart(inputs);
  const SavedRun run(arguments.run, arguments.checkpoint);
  const Unfinished unfinished(arguments.directory);
  const WrittenModel written = form->write(run, unfinished.path());
  std::vector<std::string> files;
  std::ranges::copy_if(form->files, std::back_inserter(files),
                       [&](const char* file) { return fs::exists(unfinished.path() / file); });
  unfinished.move(files, arguments.directory);
  remove_earlier(files, arguments.directory);
  say_exported(arguments, written, files);
}

}  // namespace

const Command export_command(150, [](CLI::App& program) {
  const auto [command, arguments] = add_command<ExportArguments>(
      program, "export", "Write a trained model for another program", export_run);
  command.add_option("run", arguments.run, "Run directory")->required();
  command.add_option("directory", arguments.directory, "Directory to write into")->required();
  command
      .add_option(
          "--as", arguments.as,
          fmt::format("Format: transformers, for {}; or pytorch, plain PyTorch code for any model",
                      architecture_names("and")))
      ->capture_default_str();
  add_checkpoint_option(command, arguments.checkpoint);
  command.add_flag("--overwrite", arguments.overwrite,
                   "Write into a directory that is not empty, over the files of an earlier export");
  command.add_flag("--json", arguments.json, "One JSON object on standard output");
});

}  // namespace tapehead
