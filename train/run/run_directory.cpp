#include "train/run/run_directory.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "train/config/config.hpp"
#include "train/events/event_log.hpp"

namespace tapehead {

namespace {

constexpr std::string_view mark = "tapehead run, process ";

void lock(OpenFile& file, const fs::path& path, int kind, std::string_view another) {
  if (::flock(file.descriptor(), kind | LOCK_NB) == 0) {
    return;
  }
  if (errno != EWOULDBLOCK) {
    throw io_error("lock", path, errno);
  }
  std::string holder = file.read_to_end();
  holder = holder.starts_with(mark) ? holder.substr(mark.size(), holder.find('\n') - mark.size())
                                    : "unknown";
  throw IoError(
      "run {} is in use by process {}; wait until it has ended, stop it with Ctrl-C, or take {}",
      path.parent_path().string(), holder, another);
}

bool is_temporary(const fs::path& path) {
  return path.filename().string().ends_with(temporary_suffix);
}

// Files that a run gets before its weights and config.
bool is_of_the_start(const fs::path& path) {
  constexpr std::array<std::string_view, 9> names{
      "joint.model",       "joint.vocabulary", "source.model", "source.vocabulary", "target.model",
      "target.vocabulary", "data.json",        "tokens",       "written.yaml",
  };
  return std::ranges::find(names, path.filename().string()) != names.end();
}

// Whether the directory comes from a start that was killed before it wrote a config or weights.
bool is_empty_start(const fs::path& directory) {
  const bool begun = is_run_lock(RunFiles{directory}.lock());
  return std::ranges::all_of(entries_of(directory), [&](const fs::path& path) {
    const std::string name = path.filename().string();
    std::error_code ignored;
    return (name == ".lock" && (begun || fs::is_empty(path, ignored))) ||
           (name == "checkpoints" && fs::is_directory(status_of(path)) &&
            std::ranges::all_of(entries_of(path), is_temporary)) ||
           is_temporary(path) || (begun && is_of_the_start(path));
  });
}

bool is_file_of_a_run(const fs::path& path) {
  constexpr std::array<std::string_view, 9> names{
      "config.yaml",        "metrics.jsonl", "log.txt",     "checkpoints", "report.html",
      "replay.safetensors", "scores.jsonl",  "record.json", "times.jsonl",
  };
  const std::string name = path.filename().string();
  return std::ranges::find(names, name) != names.end() || is_of_the_start(path) ||
         is_temporary(path) || name.starts_with(event_file_prefix);
}

void remove_run(const RunFiles& files) {
  // Checkpoints first, so that old ones never exist together with a new config.
  std::vector<fs::path> content = entries_of(files.directory);
  std::ranges::partition(content,
                         [&](const fs::path& path) { return path == files.checkpoints(); });
  for (const fs::path& path : content) {
    std::error_code error;
    if (is_file_of_a_run(path)) {
      fs::remove_all(path, error);
    }
    if (error) {
      throw io_error("remove", path, error.value());
    }
  }
}

void expect_empty(const fs::path& path, const WaysOut& ways) {
  if (!is_empty_start(path)) {
    const bool begun_only = !fs::exists(status_of(RunFiles{path}.config()));
    throw IoError(
        "run {} exists already{}; {}replace it with --overwrite, or choose {}", path.string(),
        begun_only ? ", but the command that made it was stopped before it wrote config.yaml" : "",
        ways.resume ? "continue it with --resume, " : "", ways.another);
  }
}

}  // namespace

RunLock::RunLock(const fs::path& file, std::string_view another)
    : file_(file, O_RDWR | O_CREAT | O_NOFOLLOW) {
  lock(file_, file, LOCK_EX, another);
  if (::ftruncate(file_.descriptor(), 0) != 0) {
    throw io_error("write", file, errno);
  }
  file_.write(fmt::format("{}{}\n", mark, ::getpid()));
}

void expect_unlocked(const fs::path& file, std::string_view another) {
  if (fs::exists(link_status_of(file))) {
    OpenFile opened(file, O_RDONLY | O_NOFOLLOW);
    // NFS grants exclusive locks only on files open for writing.
    lock(opened, file, LOCK_SH, another);
  }
}

bool is_run_lock(const fs::path& file) {
  return fs::is_regular_file(status_of(file)) &&
         OpenFile(file, O_RDONLY).read_to_end().starts_with(mark);
}

bool is_run(const fs::path& directory) {
  const RunFiles files{directory};
  return is_run_lock(files.lock()) || (fs::is_regular_file(status_of(files.config())) &&
                                       fs::is_directory(status_of(files.checkpoints())));
}

RunFiles find_run(const fs::path& directory) {
  if (!fs::exists(status_of(directory))) {
    throw IoError("there is no run {}; a run is given as its directory", directory.string());
  }
  const RunFiles files{directory};
  if (!fs::is_regular_file(status_of(files.config()))) {
    throw IoError(
        "{} is not a run: it has no config.yaml{}", directory.string(),
        is_run_lock(files.lock())
            ? "; the command that made it was stopped before its end, so repeat that command"
            : "");
  }
  expect_no_base(files.config());
  return files;
}

void remove_file(const fs::path& file) {
  std::error_code error;
  fs::remove(file, error);
  if (error) {
    throw io_error("remove", file, error.value());
  }
}

void RunDirectory::expect_available(const fs::path& path, bool overwrite, const WaysOut& ways) {
  if (!fs::exists(status_of(path))) {
    return;
  }
  if (!fs::is_directory(status_of(path))) {
    throw IoError("{} exists and is not a directory; choose {}", path.string(), ways.another);
  }
  if (is_run(path)) {
    expect_unlocked(RunFiles{path}.lock(), ways.another);
    if (!overwrite) {
      expect_empty(path, ways);
    }
  } else if (!is_empty_start(path)) {
    throw IoError(
        "directory {} contains something that is not a run, so nothing is written there; choose {}",
        path.string(), ways.another);
  }
}

void RunDirectory::expect_keeps(const fs::path& path, const InputFiles& inputs) {
  std::error_code ignored;
  const fs::path root = fs::weakly_canonical(path, ignored);
  const auto is_removed = [&](const fs::path& input) {
    const fs::path relative = input.lexically_relative(root);
    return !relative.empty() && is_file_of_a_run(*relative.begin());
  };
  for (const fs::path& input : inputs.paths()) {
    // `create` would remove the input or, if it is a link, its target.
    const fs::path parent = fs::weakly_canonical(fs::absolute(input).parent_path(), ignored);
    if (is_removed(fs::weakly_canonical(input, ignored)) || is_removed(parent / input.filename())) {
      throw IoError(
          "run {} cannot be overwritten: {}, which is read, is part of it; write into another "
          "directory",
          path.string(), input.string());
    }
  }
}

RunDirectory RunDirectory::create(const fs::path& path, bool overwrite, const WaysOut& ways) {
  expect_available(path, overwrite, ways);
  make_directories(path);
  RunDirectory run(path, ways.another);
  if (!overwrite) {
    expect_empty(path, ways);  // again, because only now no other process can write here
  }
  remove_run(run.files());
  make_directories(run.files().checkpoints());
  return run;
}

RunDirectory RunDirectory::open(const fs::path& path) {
  if (!fs::exists(status_of(path))) {
    throw IoError("there is no run {} to resume; start it without --resume", path.string());
  }
  if (!is_run(path) && !is_empty_start(path)) {
    throw IoError("{} is not a run, so it cannot be resumed", path.string());
  }
  // A link could lead to somebody else's directory, where a run must not write or remove files.
  for (const char* name : {"checkpoints", "tokens"}) {
    if (const fs::path part = path / name; fs::is_symlink(link_status_of(part))) {
      throw IoError(
          "cannot write into {}: it is a symbolic link; replace the link by the directory that it "
          "points to, or move the whole run elsewhere, since {} itself may be a link",
          part.string(), path.string());
    }
  }
  RunDirectory run(path, another_by_option);
  remove_temporary_files(path);
  make_directories(run.files().checkpoints());
  remove_temporary_files(run.files().checkpoints());
  remove_temporary_files(path / "tokens");
  return run;
}

std::vector<fs::path> files_of_run(const fs::path& directory) {
  if (!fs::is_directory(status_of(directory))) {
    return {};
  }
  std::vector<fs::path> files;
  for (const fs::path& path : entries_of(directory)) {
    if (!is_file_of_a_run(path) || path == RunFiles{directory}.report()) {
      continue;
    }
    if (fs::is_directory(status_of(path))) {
      std::ranges::move(entries_of(path), std::back_inserter(files));
    } else {
      files.push_back(path);
    }
  }
  return files;
}

}  // namespace tapehead
