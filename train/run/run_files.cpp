#include "train/run/run_files.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace tapehead {

namespace fs = std::filesystem;

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
    // NFS has exclusive locks only for files open for writing.
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
    throw IoError("there is no run {}", directory.string());
  }
  const RunFiles files{directory};
  if (!fs::is_regular_file(status_of(files.config()))) {
    throw IoError(
        "{} is not a run: it has no config.yaml{}", directory.string(),
        is_run_lock(files.lock())
            ? "; the command that makes it was stopped before its end, so repeat that command"
            : "");
  }
  return files;
}

}  // namespace tapehead
