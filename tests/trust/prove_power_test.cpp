// A training whose machine loses power at any moment: what was not synced is gone, whole or in
// part. A resume ends in the same bits.
#include <fcntl.h>
#include <sys/mman.h>

#include <map>
#include <memory>

#include "tests/support/corpus_training.hpp"
#include "tests/support/mutations.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/proof.hpp"
#include "tests/support/text_training.hpp"
#include "tests/support/tiny_training.hpp"
#include "tests/support/traced.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

// The files below a directory, as they are and as they are on the disk: written bytes get there by
// fsync of the file, new, renamed and removed names by fsync of the directory.
class Disk {
 public:
  // What is there is on the disk.
  explicit Disk(fs::path root) : root_(std::move(root)) {
    for (const auto& entry : fs::recursive_directory_iterator(root_)) {
      auto& file = on_disk_[entry.path()];
      if (entry.is_regular_file()) {
        file = std::make_shared<File>(content_of(entry.path()));
        files_[entry.path()] = file;
      }
    }
  }

  // Whether a call that is about to be made changes or syncs files; it is noted.
  bool note(const SystemCall& call) {
    static const std::set<std::string_view> changing{"open",     "write",  "pwrite", "ftruncate",
                                                     "fsync",    "rename", "unlink", "mkdir",
                                                     "sendfile", "mmap"};
    const std::string_view name = call.name();
    if (!changing.contains(name) || (name == "open" && (call.flags() & (O_CREAT | O_TRUNC)) == 0) ||
        (name == "mmap" && !writes_through(call))) {
      return false;
    }
    const fs::path path = call.file();
    if (path.lexically_relative(root_).string().starts_with("..")) {
      return false;
    }
    if (name == "open") {
      open(path, call.flags());
    } else if (name == "write") {
      write(path, position(call), call.bytes());
    } else if (name == "pwrite") {
      write(path, call.argument(3), call.bytes());
    } else if (name == "ftruncate") {
      files_.at(path)->change({.offset = 0, .bytes = {}, .size = call.argument(1)});
    } else if (name == "fsync") {
      sync(path);
    } else if (name == "rename") {
      rename(path, call.new_file());
    } else if (name == "unlink") {
      remove(path);
    } else if (name == "mkdir") {
      make_directory(path);
    } else {
      ADD_FAILURE() << "what " << name << " does to " << path << " is not followed";
    }
    return true;
  }

  // Makes the directory anew as a machine finds it that lost power now. Each file has the synced
  // bytes and some of the later writes, the last of them in part, or as zeros; each directory the
  // synced names and some of the later changes.
  void lose_power(Choices& choices) {
    const std::uint64_t kind = choices.below(3);
    std::map<fs::path, std::size_t> kept;  // of each directory's changes
    for (const Name& change : names_) {
      ++kept[change.path.parent_path()];
    }
    for (auto& [directory, count] : kept) {
      count = kind == 0 ? 0 : kind == 1 ? choices.below(count + 1) : count;
    }
    for (const Name& change : names_) {
      if (std::size_t& left = kept[change.path.parent_path()]; left > 0) {
        apply(change);
        --left;
      }
    }
    fs::remove_all(root_);
    fs::create_directories(root_);
    for (const auto& [path, file] : on_disk_) {
      if (!fs::is_directory(path.parent_path())) {
        continue;  // its directory's name is lost
      }
      if (file == nullptr) {
        fs::create_directory(path);
      } else {
        std::ofstream(path, std::ios::binary) << file->after_power_loss(kind, choices);
      }
    }
  }

 private:
  struct Change {
    std::size_t offset = 0;
    std::string bytes;
    std::optional<std::size_t> size;  // of a truncation

    void apply_to(std::string& content) const {
      if (size) {
        content.resize(*size);
        return;
      }
      content.resize(std::max(content.size(), offset + bytes.size()));
      content.replace(offset, bytes.size(), bytes);
    }
  };

  struct File {
    std::string synced;
    std::vector<Change> later;

    void change(Change next) { later.push_back(std::move(next)); }
    void sync() {
      for (const Change& change : later) {
        change.apply_to(synced);
      }
      later.clear();
    }
    std::string after_power_loss(std::uint64_t kind, Choices& choices) const {
      std::string content = synced;
      const std::size_t kept = kind == 1 ? choices.below(later.size() + 1) : 0;
      for (std::size_t i = 0; i < kept; ++i) {
        Change change = later[i];
        if (i + 1 == kept && choices.below(2) == 0) {
          change.bytes.resize(choices.below(change.bytes.size() + 1));
        } else if (i + 1 == kept && choices.below(2) == 0) {
          change.bytes.assign(change.bytes.size(), '\0');
        }
        change.apply_to(content);
      }
      return content;
    }
  };

  // A name that now leads to a file, to a new directory, or to nothing.
  struct Name {
    fs::path path;
    std::shared_ptr<File> file;
    bool directory = false;
    fs::path before;  // of a rename
  };

  static bool writes_through(const SystemCall& call) {
    return (call.argument(2) & PROT_WRITE) != 0 && (call.argument(3) & MAP_SHARED) != 0 &&
           !call.file().empty();
  }

  static std::size_t position(const SystemCall& call) {
    std::ifstream info(fmt::format("/proc/{}/fdinfo/{}", call.thread(), call.argument(0)));
    std::string word;
    std::size_t position = 0;
    int flags = 0;
    info >> word >> position >> word >> std::oct >> flags;
    return (flags & O_APPEND) != 0 ? fs::file_size(call.file()) : position;
  }

  void open(const fs::path& path, int flags) {
    auto& file = files_[path];
    if (file == nullptr) {
      file = std::make_shared<File>();
      names_.push_back({.path = path, .file = file, .directory = false, .before = {}});
    }
    if ((flags & O_TRUNC) != 0) {
      file->change({.offset = 0, .bytes = {}, .size = 0});
    }
  }
  void write(const fs::path& path, std::size_t offset, std::string bytes) {
    if (const auto file = files_.find(path); file != files_.end()) {  // not one without a name
      file->second->change({.offset = offset, .bytes = std::move(bytes), .size = {}});
    }
  }
  void rename(const fs::path& from, const fs::path& to) {
    files_[to] = files_.at(from);
    files_.erase(from);
    names_.push_back({.path = to, .file = files_[to], .directory = false, .before = from});
  }
  void remove(const fs::path& path) {
    if (fs::exists(fs::symlink_status(path))) {
      files_.erase(path);
      names_.push_back({.path = path, .file = nullptr, .directory = false, .before = {}});
    }
  }
  void make_directory(const fs::path& path) {
    if (!fs::exists(path)) {
      names_.push_back({.path = path, .file = nullptr, .directory = true, .before = {}});
    }
  }
  void sync(const fs::path& path) {
    if (const auto file = files_.find(path); file != files_.end()) {
      file->second->sync();
      return;
    }
    std::erase_if(names_, [&](const Name& change) {
      const bool here = change.path.parent_path() == path;
      if (here) {
        apply(change);
      }
      return here;
    });
  }
  void apply(const Name& change) {
    on_disk_.erase(change.before);
    if (change.file != nullptr || change.directory) {
      on_disk_[change.path] = change.file;
    } else {
      on_disk_.erase(change.path);
    }
  }

  fs::path root_;
  std::map<fs::path, std::shared_ptr<File>> files_;    // as they are
  std::map<fs::path, std::shared_ptr<File>> on_disk_;  // null: a directory
  std::vector<Name> names_;                            // changes that are not on the disk
};

struct Training {
  std::string name;
  Arguments command;

  friend std::ostream& operator<<(std::ostream& out, const Training& training) {
    return out << training.name;
  }
};

std::vector<Training> trainings() {
  const Arguments features{
      "training.steps=6",   "training.warmup=1",         "training.checkpoint_every=2",
      "evaluation.every=2", "training.average_last=2",   "run.tensorboard=true",
      "run.report=true",    "training.checkpoint_keep=2"};
  std::vector<Training> all{{"pairs", {"train", "pairs.yaml", "--run", "r"}},
                            {"text", {"train", "text.yaml", "--run", "r"}}};
  for (Training& training : all) {
    set_options(training.command, features);
  }
  return all;
}

class PowerLosses {
 public:
  explicit PowerLosses(const Arguments& command) : command_(command) {
    start_again(work());
    start_again(here_ / "right");
    const ProgramResult right = run_program(command, here_ / "right");
    EXPECT_EQ(right.exit_code, 0) << right.errors;
    Disk disk(work());
    trace(command, work(), [&](const SystemCall& call) {
      changes_ += disk.note(call) ? 1 : 0;
      return Verdict{};
    });
  }

  std::uint64_t changes() const { return changes_; }

  // Loses power before a change, and trains on. A checkpoint after which the training went on must
  // be there.
  void lose(Choices& choices) {
    start_again(work());
    Disk disk(work());
    std::uint64_t left = choices.below(changes_);
    int kept = 0;
    trace(command_, work(), [&](const SystemCall& call) {
      if (!disk.note(call)) {
        return Verdict{};
      }
      if (call.name() != "fsync") {  // which the newest checkpoint may still wait for
        kept = newest_step(work() / "r");
      }
      return Verdict{.kind = left-- == 0 ? Verdict::Kind::killed : Verdict::Kind::made};
    });
    disk.lose_power(choices);
    EXPECT_GE(newest_step(work() / "r"), kept);
    ProgramResult result = run_program(command_ + Arguments{"--resume"}, work());
    if (result.exit_code != 0) {
      const std::string errors = result.errors;
      result = run_program(command_, work());
      EXPECT_EQ(result.exit_code, 0) << errors << result.errors;
    }
    expect_same_runs(work() / "r", here_ / "right/r");
  }

 private:
  fs::path work() const { return here_ / "work"; }

  static void start_again(const fs::path& directory) {
    fs::remove_all(directory);
    write_corpus(directory / "data");
    write_text(directory / "pairs.yaml", corpus_config("data", "unigram, vocabulary: 19", 4));
    write_text(directory / "text.yaml", text_config("data/train.en"));
  }

  Arguments command_;
  ProgramDirectory here_;
  std::uint64_t changes_ = 0;
};

class ProvePower : public TestWithParam<Training> {};

TEST_P(ProvePower, that_is_lost_costs_no_bit) {
  if (why_not_traced() != nullptr) {
    GTEST_SKIP() << why_not_traced();
  }
  PowerLosses losses(GetParam().command);
  const Index cases = proof_cases(4, 1000);
  for (Index number = 0; number < cases && !HasFailure(); ++number) {
    SCOPED_TRACE(number);
    Choices choices(static_cast<std::uint64_t>(number));
    losses.lose(choices);
  }
  tell_figures(fmt::format("power: {}: lost {} times, at {} changes of files", GetParam().name,
                           cases, losses.changes()));
}

INSTANTIATE_TEST_SUITE_P(, ProvePower, ValuesIn(trainings()),
                         [](const auto& training) { return training.param.name; });

}}  // namespace tapehead
