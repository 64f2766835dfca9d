// The run directory: created files, rejected directories and the choices offered, removal by
// overwriting, and the lock's holder.
#include "train/run/run_directory.hpp"

#include <unistd.h>

#include "tests/support/child_process.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

constexpr const char* first_step = "checkpoints/step_00000001.safetensors";

// A directory with a finished run.
class RunDirectories : public Test {
 protected:
  RunDirectories() {
    RunDirectory::create(run, false);
    write("run/config.yaml", "seed: 1\n");
    for (const char* name : {"metrics.jsonl", "log.txt", "source.model", first_step}) {
      write(std::string("run/") + name, "");
    }
  }
  void write(const std::string& name, const std::string& content) const {
    write_file_atomically(here / name, content);
  }
  std::string content(const std::string& name) const { return read_file(here / name); }
  bool exists(const std::string& name) const { return fs::exists(here / name); }

  static std::string create_error(const fs::path& path, bool overwrite, const WaysOut& ways = {}) {
    return io_error_of([&] { RunDirectory::create(path, overwrite, ways); });
  }
  static std::string open_error(const fs::path& path) {
    return io_error_of([&] { RunDirectory::open(path); });
  }
  static std::string find_error(const fs::path& path) {
    return io_error_of([&] { find_run(path); });
  }

  TemporaryDirectory here;
  fs::path run = here / "run";
};

TEST_F(RunDirectories, a_new_one_is_made_with_all_above_it_and_locked) {
  const fs::path path = here / "runs" / "copy";
  std::optional<RunDirectory> made = RunDirectory::create(path, false);
  EXPECT_EQ(made->files().config(), path / "config.yaml");
  EXPECT_TRUE(fs::is_directory(path / "checkpoints"));
  EXPECT_FALSE(exists("runs/copy/config.yaml"));
  EXPECT_THAT(open_error(path), HasSubstr("is in use by process " + std::to_string(::getpid())))
      << "the lock is moved with the object";
  made.reset();
  EXPECT_EQ(open_error(path), "no error");
}

TEST_F(RunDirectories, an_empty_directory_and_a_start_that_was_killed_are_taken) {
  fs::create_directory(here / "empty");
  EXPECT_EQ(create_error(here / "empty", false), "no error");
  write("empty/config.yaml.1-2.tmp", "half a con");
  EXPECT_EQ(create_error(here / "empty", false), "no error");
  EXPECT_FALSE(exists("empty/config.yaml.1-2.tmp"));
  EXPECT_EQ(open_error(here / "empty"), "no error");
}

// A directory without a config is unusable, so it is reused.
TEST_F(RunDirectories, an_import_that_was_stopped_is_taken_again) {
  const fs::path imported = here / "imported";
  const auto stop_half_way = [&] {
    RunDirectory::create(imported, false);
    fs::create_directory(imported / "tokens");
    for (const char* file : {"data.json", "written.yaml", "joint.model", "tokens/train.tokens",
                             "checkpoints/best.safetensors.1-1.tmp"}) {
      write_file_atomically(imported / file, "");
    }
  };
  stop_half_way();
  EXPECT_THAT(find_error(imported),
              ContainsRegex("has no config.yaml; .* was stopped before its end, so repeat"));
  EXPECT_EQ(create_error(imported, false), "no error");
  EXPECT_THAT(files_of_run(imported), IsEmpty());
  for (const char* more : {"imported/checkpoints/best.safetensors", "imported/metrics.jsonl"}) {
    stop_half_way();
    write(more, "");
    EXPECT_THAT(create_error(imported, false),
                ContainsRegex("exists already, .* config.yaml; replace it with --overwrite"));
    EXPECT_TRUE(exists("imported/data.json"));
    RunDirectory::create(imported, true);
  }
  stop_half_way();
  fs::remove(imported / ".lock");
  EXPECT_THAT(create_error(imported, true), HasSubstr("contains something that is not a run"));
}

TEST_F(RunDirectories, a_refusal_names_only_options_that_the_command_has) {
  EXPECT_EQ(create_error(run, false, {.resume = true}),
            "run " + run.string() +
                " exists already; continue it with --resume, replace it with --overwrite, or "
                "choose another directory with --run DIR");
  constexpr WaysOut by_argument{.another = "another directory"};
  struct Case {
    fs::path path;
    WaysOut ways;
    std::string end;
  };
  for (const auto& [path, ways, end] : std::vector<Case>{
           {run, {}, "; replace it with --overwrite, or choose another directory with --run DIR"},
           {run, by_argument, "; replace it with --overwrite, or choose another directory"},
           {run / "config.yaml", by_argument, "is not a directory; choose another directory"},
           {here.path(), by_argument, "written there; choose another directory"}}) {
    EXPECT_THAT(create_error(path, false, ways), EndsWith(end));
  }
  EXPECT_EQ(content("run/config.yaml"), "seed: 1\n");
}

TEST_F(RunDirectories, overwriting_removes_the_run_and_nothing_else) {
  EXPECT_THAT(files_of_run(here / "nowhere"), IsEmpty());
  for (const char* name : {"run/notes.md", "run/source.txt", "run/report.html"}) {
    write(name, "mine");
  }
  // A report can be made again.
  EXPECT_THAT(files_of_run(run),
              UnorderedElementsAre(run / "config.yaml", run / "metrics.jsonl", run / "log.txt",
                                   run / "source.model", run / first_step));
  write("run/written.yaml", "seed: 1\n");
  RunDirectory::create(run, true);
  for (const char* name :
       {"config.yaml", "written.yaml", "metrics.jsonl", "log.txt", "source.model"}) {
    EXPECT_FALSE(fs::exists(run / name)) << name;
  }
  EXPECT_TRUE(fs::is_empty(run / "checkpoints"));
  EXPECT_EQ(content("run/notes.md"), "mine");
  EXPECT_EQ(content("run/source.txt"), "mine");
}

TEST_F(RunDirectories, what_overwriting_would_remove_is_no_input) {
  write("run/notes.md", "mine");
  write("apart", "mine");
  fs::create_symlink(run, here / "linked");
  fs::create_symlink(run / "source.model", here / "to_model");
  fs::create_symlink(here / "apart", run / "checkpoints" / "to_apart");
  const auto refusal = [&](const fs::path& path, const fs::path& input) {
    InputFiles inputs;
    inputs.add(input);
    return io_error_of([&] { RunDirectory::expect_keeps(path, inputs); });
  };
  for (const fs::path& input :
       {run / "config.yaml", run / ".." / "run" / first_step, here / "linked" / first_step,
        here / "to_model", run / "checkpoints" / "to_apart", run / "checkpoints" / "nowhere"}) {
    const std::string said = input.string() + ", which is read, is part of it";
    EXPECT_THAT(refusal(run, input), HasSubstr(said));
    EXPECT_THAT(refusal(here / "linked" / ".", input), HasSubstr(said));
  }
  for (const fs::path& input : {run / "notes.md", here / "apart", here / "nowhere",
                                here / "config.yaml", fs::path("/dev/null")}) {
    EXPECT_EQ(refusal(run, input), "no error") << input;
  }
}

TEST_F(RunDirectories, a_directory_that_is_no_run_is_never_touched) {
  write("config.yaml", "of some other program");
  write(".lock", "");
  for (const auto& [path, said] : {std::pair(here.path(), "contains something that is not a run"),
                                   {here / "config.yaml", "not a directory"},
                                   {here / "config.yaml" / "run", "Not a directory"},
                                   {"/proc/run", "cannot create /proc/run"}}) {
    EXPECT_THAT(create_error(path, false), HasSubstr(said));
    EXPECT_THAT(create_error(path, true), HasSubstr(said));
  }
  EXPECT_THAT(open_error(here.path()), HasSubstr("is not a run"));
  EXPECT_EQ(content("config.yaml"), "of some other program");
  EXPECT_EQ(content(".lock"), "");
}

TEST_F(RunDirectories, opening_clears_leftovers_and_keeps_the_rest) {
  fs::create_directory(run / "tokens");
  for (const char* name : {"config.yaml", "checkpoints/step_00000002.safetensors", "tokens/test"}) {
    write(fmt::format("run/{}.9-9.tmp", name), "half");
  }
  RunDirectory::open(run);
  for (const auto& entry : fs::recursive_directory_iterator(run)) {
    EXPECT_NE(entry.path().extension(), ".tmp") << entry.path();
  }
  EXPECT_TRUE(fs::exists(run / first_step));
  EXPECT_EQ(content("run/config.yaml"), "seed: 1\n");
}

TEST_F(RunDirectories, a_lock_behind_a_link_is_refused) {
  for (const char* victim : {"victim", "tapehead run, process 1\n", ""}) {
    write("victim", victim);
    fs::remove(run / ".lock");
    fs::create_symlink("../victim", run / ".lock");
    EXPECT_THAT((std::vector{open_error(run), create_error(run, false), create_error(run, true)}),
                Each(HasSubstr("run/.lock: it is a symbolic link")));
    EXPECT_EQ(content("victim"), victim);
  }
}

TEST_F(RunDirectories, directories_behind_links_are_refused_but_not_the_run_itself) {
  fs::create_directory(run / "tokens");
  fs::create_directory_symlink(run, here / "linked");
  EXPECT_EQ(open_error(here / "linked"), "no error");
  for (const char* name : {"tokens", "checkpoints"}) {
    fs::remove_all(here / "other");
    fs::rename(run / name, here / "other");
    write("other/step_00000001.safetensors.1-1.tmp", "of somebody else");
    fs::create_directory_symlink("../other", run / name);
    EXPECT_THAT(open_error(run), AllOf(HasSubstr((run / name).string() + ": it is a symbolic link"),
                                       HasSubstr(run.string() + " itself may be a link")));
    EXPECT_TRUE(exists("other/step_00000001.safetensors.1-1.tmp"));
    fs::remove(run / "tokens");
  }
  write("other/best.safetensors", "of somebody else");
  RunDirectory::create(run, true);
  EXPECT_TRUE(exists("other/best.safetensors")) << "overwriting the run";
  EXPECT_FALSE(fs::is_symlink(run / "checkpoints"));
}

TEST_F(RunDirectories, one_can_be_read_while_it_is_trained) {
  const RunDirectory trained = RunDirectory::open(run);
  EXPECT_EQ(find_run(run).config(), run / "config.yaml");
  EXPECT_THAT(find_error(run / "none"), HasSubstr("there is no run"));
  EXPECT_THAT(find_error(run / "checkpoints"), HasSubstr("is not a run: it has no config.yaml"));
  EXPECT_THAT(open_error(here / "none"), HasSubstr("none to resume; start it without --resume"));
  EXPECT_FALSE(exists("none"));
}

TEST_F(RunDirectories, a_second_process_is_refused_until_the_first_has_died) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  ChildProcess child([&] {
    const RunDirectory opened = RunDirectory::open(run);
    const ssize_t said = ::write(pipe[1], "x", 1);
    ::pause();
    return static_cast<int>(said);
  });
  char ready = 0;
  ASSERT_EQ(::read(pipe[0], &ready, 1), 1);
  EXPECT_THAT((std::vector{open_error(run), create_error(run, true), create_error(run, false)}),
              Each(HasSubstr("is in use by process " + std::to_string(child.id()))));
  EXPECT_EQ(content("run/config.yaml"), "seed: 1\n");
  child.kill();
  child.wait();
  EXPECT_EQ(open_error(run), "no error");
  ::close(pipe[0]);
  ::close(pipe[1]);
}

}}  // namespace tapehead
