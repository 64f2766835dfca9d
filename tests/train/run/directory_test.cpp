// The run directory: created files, rejected directories and the choices offered, removal by
// overwriting, and the lock's holder.
#include "train/run/run_directory.hpp"

#include <unistd.h>

#include "core/files/files.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/io_error.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

void fill_run(const fs::path& path) {
  const RunDirectory run = RunDirectory::create(path, false);
  write_file_atomically(run.files().config(), "seed: 1\n");
  write_file_atomically(run.files().metrics(), "{}\n");
  write_file_atomically(run.files().log(), "log\n");
  write_file_atomically(path / "source.model", "model");
  write_file_atomically(run.files().checkpoints() / "step_00000001.safetensors", "");
}

std::string create_error(const fs::path& path, bool overwrite, const WaysOut& ways = {}) {
  return io_error_of([&] { RunDirectory::create(path, overwrite, ways); });
}

TEST(RunDirectory, a_new_one_is_made_with_all_above_it) {
  const TemporaryDirectory directory;
  const fs::path path = directory / "runs" / "copy";
  const RunDirectory run = RunDirectory::create(path, false);
  EXPECT_EQ(run.files().config(), path / "config.yaml");
  EXPECT_TRUE(fs::is_directory(path / "checkpoints"));
  EXPECT_FALSE(fs::exists(run.files().config()));
}

TEST(RunDirectory, an_empty_directory_and_a_start_that_was_killed_are_taken) {
  const TemporaryDirectory directory;
  EXPECT_NO_THROW(RunDirectory::create(directory.path(), false));
  write_file_atomically(directory / "config.yaml.1-2.tmp", "half a con");
  EXPECT_NO_THROW(RunDirectory::create(directory.path(), false));
  EXPECT_FALSE(fs::exists(directory / "config.yaml.1-2.tmp"));
  EXPECT_NO_THROW(RunDirectory::open(directory.path()));
}

// A directory without a config is unusable, so it is reused.
TEST(RunDirectory, an_import_that_was_stopped_is_taken_again) {
  const TemporaryDirectory directory;
  const fs::path run = directory / "run";
  const std::vector<fs::path> first{run / "data.json", run / "written.yaml", run / "joint.model",
                                    run / "tokens" / "train.tokens",
                                    run / "checkpoints" / "best.safetensors.1-1.tmp"};
  const auto stop_half_way = [&] {
    RunDirectory::create(run, false);
    fs::create_directory(run / "tokens");
    for (const fs::path& file : first) {
      write_file_atomically(file, "");
    }
  };
  stop_half_way();
  EXPECT_THAT(io_error_of([&] { find_run(run); }),
              EndsWith("it has no config.yaml; the command that makes it was stopped before its "
                       "end, so repeat that command"));
  EXPECT_NO_THROW(RunDirectory::create(run, false));
  EXPECT_THAT(files_of_run(run), IsEmpty());
  for (const fs::path& more : {run / "checkpoints" / "best.safetensors", run / "metrics.jsonl"}) {
    stop_half_way();
    write_file_atomically(more, "");
    EXPECT_THAT(create_error(run, false),
                HasSubstr("exists already, but its making was stopped before it had a "
                          "config.yaml; replace it with --overwrite"));
    EXPECT_TRUE(fs::exists(run / "data.json"));
    RunDirectory::create(run, true);
  }
  stop_half_way();
  fs::remove(run / ".lock");
  EXPECT_THAT(create_error(run, true), HasSubstr("contains something that is not a run"));
}

TEST(RunDirectory, a_run_that_is_there_is_refused_with_the_choices) {
  const TemporaryDirectory directory;
  fill_run(directory.path());
  EXPECT_EQ(create_error(directory.path(), false, {.resume = true}),
            "run " + directory.path().string() +
                " exists already; continue it with --resume, replace it with --overwrite, or "
                "choose another directory with --run DIR");
  EXPECT_EQ(read_file(directory / "config.yaml"), "seed: 1\n");
}

TEST(RunDirectory, a_refusal_names_only_options_that_the_command_has) {
  const TemporaryDirectory directory;
  const fs::path run = directory / "run";
  fill_run(run);
  EXPECT_THAT(create_error(run, false),
              HasSubstr("exists already; replace it with --overwrite, or choose another directory "
                        "with --run DIR"));
  constexpr WaysOut by_argument{.another = "another directory"};
  EXPECT_THAT(create_error(run, false, by_argument),
              EndsWith("exists already; replace it with --overwrite, or choose another directory"));
  EXPECT_THAT(create_error(run / "config.yaml", false, by_argument),
              EndsWith("is not a directory; choose another directory"));
  EXPECT_THAT(create_error(directory.path(), false, by_argument),
              EndsWith("nothing is written there; choose another directory"));
}

TEST(RunDirectory, overwriting_removes_the_run_and_nothing_else) {
  const TemporaryDirectory directory;
  fill_run(directory.path());
  write_file_atomically(directory / "written.yaml", "seed: 1\n");
  for (const char* name : {"notes.md", "source.txt"}) {
    write_file_atomically(directory / name, "mine");
  }
  const RunDirectory run = RunDirectory::create(directory.path(), true);
  for (const char* name :
       {"config.yaml", "written.yaml", "metrics.jsonl", "log.txt", "source.model"}) {
    EXPECT_FALSE(fs::exists(directory / name)) << name;
  }
  EXPECT_TRUE(fs::is_empty(run.files().checkpoints()));
  EXPECT_EQ(read_file(directory / "notes.md"), "mine");
  EXPECT_EQ(read_file(directory / "source.txt"), "mine");
}

TEST(RunDirectory, the_files_of_a_run_are_those_that_cannot_be_made_again) {
  const TemporaryDirectory directory;
  fill_run(directory.path());
  write_file_atomically(directory / "report.html", "");
  write_file_atomically(directory / "notes.md", "mine");
  const std::vector<fs::path> files = files_of_run(directory.path());
  EXPECT_THAT(files, UnorderedElementsAre(directory / "config.yaml", directory / "metrics.jsonl",
                                          directory / "log.txt", directory / "source.model",
                                          directory / "checkpoints" / "step_00000001.safetensors"));
  EXPECT_THAT(files_of_run(directory / "nowhere"), IsEmpty());
}

TEST(RunDirectory, what_overwriting_would_remove_is_no_input) {
  const TemporaryDirectory directory;
  const fs::path run = directory / "run";
  fill_run(run);
  write_file_atomically(run / "notes.md", "mine");
  write_file_atomically(directory / "apart", "mine");
  fs::create_symlink(run, directory / "linked");
  fs::create_symlink(run / "source.model", directory / "to_model");
  fs::create_symlink(directory / "apart", run / "checkpoints" / "to_apart");
  const auto refusal = [&](const fs::path& path, const fs::path& input) {
    InputFiles inputs;
    inputs.add(input);
    return io_error_of([&] { RunDirectory::expect_keeps(path, inputs); });
  };
  const std::string step = "checkpoints/step_00000001.safetensors";
  for (const fs::path& input :
       {run / "config.yaml", run / ".." / "run" / step, directory / "linked" / step,
        directory / "to_model", run / "checkpoints" / "to_apart",
        run / "checkpoints" / "nowhere"}) {
    const std::string said = input.string() + ", which is read, is part of it";
    EXPECT_THAT(refusal(run, input), HasSubstr(said));
    EXPECT_THAT(refusal(directory / "linked" / ".", input), HasSubstr(said));
  }
  for (const fs::path& input : {run / "notes.md", directory / "apart", directory / "nowhere",
                                directory / "config.yaml", fs::path("/dev/null")}) {
    EXPECT_EQ(refusal(run, input), "no error") << input;
  }
}

TEST(RunDirectory, a_directory_that_is_no_run_is_never_touched) {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "config.yaml", "of some other program");
  write_file_atomically(directory / ".lock", "");
  for (const bool overwrite : {false, true}) {
    EXPECT_THAT(create_error(directory.path(), overwrite),
                HasSubstr("contains something that is not a run"));
  }
  EXPECT_THAT(io_error_of([&] { RunDirectory::open(directory.path()); }),
              HasSubstr("is not a run"));
  EXPECT_EQ(read_file(directory / "config.yaml"), "of some other program");
  EXPECT_EQ(read_file(directory / ".lock"), "");
}

TEST(RunDirectory, files_and_impossible_places_are_refused) {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "file", "");
  EXPECT_THAT(create_error(directory / "file", true), HasSubstr("not a directory"));
  EXPECT_THAT(create_error(directory / "file" / "run", false), HasSubstr("Not a directory"));
  EXPECT_THAT(create_error("/proc/run", false), HasSubstr("cannot create /proc/run"));
}

TEST(RunDirectory, opening_clears_leftovers_and_keeps_the_rest) {
  const TemporaryDirectory directory;
  fill_run(directory.path());
  fs::create_directory(directory / "tokens");
  for (const char* name : {"config.yaml", "checkpoints/step_00000002.safetensors", "tokens/test"}) {
    write_file_atomically(directory / (std::string(name) + ".9-9.tmp"), "half");
  }
  const RunDirectory run = RunDirectory::open(directory.path());
  for (const auto& entry : fs::recursive_directory_iterator(directory.path())) {
    EXPECT_NE(entry.path().extension(), ".tmp") << entry.path();
  }
  EXPECT_TRUE(fs::exists(directory / "checkpoints" / "step_00000001.safetensors"));
  EXPECT_EQ(read_file(run.files().config()), "seed: 1\n");
}

TEST(RunDirectory, a_lock_behind_a_link_is_refused) {
  const TemporaryDirectory directory;
  fill_run(directory / "run");
  for (const char* content : {"victim", "tapehead run, process 1\n", ""}) {
    write_file_atomically(directory / "victim", content);
    fs::remove(directory / "run" / ".lock");
    fs::create_symlink("../victim", directory / "run" / ".lock");
    for (const std::string& refused :
         {io_error_of([&] { RunDirectory::open(directory / "run"); }),
          create_error(directory / "run", false), create_error(directory / "run", true)}) {
      EXPECT_THAT(refused, HasSubstr("run/.lock: it is a symbolic link"));
    }
    EXPECT_EQ(read_file(directory / "victim"), content);
  }
}

TEST(RunDirectory, directories_behind_links_are_refused_but_not_the_run_itself) {
  const TemporaryDirectory directory;
  const fs::path run = directory / "run";
  fill_run(run);
  fs::create_directory(run / "tokens");
  fs::create_directory_symlink(run, directory / "linked");
  EXPECT_NO_THROW(RunDirectory::open(directory / "linked"));
  for (const char* name : {"checkpoints", "tokens"}) {
    const fs::path other = directory / "other";
    fs::rename(run / name, other);
    write_file_atomically(other / "step_00000001.safetensors.1-1.tmp", "of somebody else");
    fs::create_directory_symlink("../other", run / name);
    EXPECT_EQ(io_error_of([&] { RunDirectory::open(run); }),
              "cannot write into " + (run / name).string() +
                  ": it is a symbolic link; put the directory that it leads to in its place, or "
                  "move the whole run elsewhere, since " +
                  run.string() + " itself may be a link");
    EXPECT_TRUE(fs::exists(other / "step_00000001.safetensors.1-1.tmp"));
    fs::remove(run / name);
    fs::rename(other, run / name);
  }
  fs::remove_all(run / "checkpoints");
  fs::create_directory(directory / "other");
  write_file_atomically(directory / "other" / "best.safetensors", "of somebody else");
  fs::create_directory_symlink("../other", run / "checkpoints");
  RunDirectory::create(run, true);
  EXPECT_TRUE(fs::exists(directory / "other" / "best.safetensors")) << "overwriting the run";
  EXPECT_FALSE(fs::is_symlink(run / "checkpoints"));
}

TEST(RunDirectory, a_run_that_is_not_there_cannot_be_resumed) {
  const TemporaryDirectory directory;
  EXPECT_THAT(io_error_of([&] { RunDirectory::open(directory / "none"); }),
              HasSubstr("none to resume; start it without --resume"));
  EXPECT_FALSE(fs::exists(directory / "none"));
}

TEST(RunDirectory, a_run_can_be_read_while_it_is_trained) {
  const TemporaryDirectory directory;
  fill_run(directory.path());
  const RunDirectory run = RunDirectory::open(directory.path());
  EXPECT_EQ(find_run(directory.path()).config(), directory / "config.yaml");
  EXPECT_THAT(io_error_of([&] { find_run(directory / "none"); }), HasSubstr("there is no run"));
  EXPECT_THAT(io_error_of([&] { find_run(directory / "checkpoints"); }),
              HasSubstr("is not a run: it has no config.yaml"));
}

TEST(RunDirectory, a_second_process_is_refused_until_the_first_has_died) {
  const TemporaryDirectory directory;
  fill_run(directory.path());
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  ChildProcess child([&] {
    const RunDirectory run = RunDirectory::open(directory.path());
    const ssize_t said = ::write(pipe[1], "x", 1);
    ::pause();
    return static_cast<int>(said);
  });
  char ready = 0;
  ASSERT_EQ(::read(pipe[0], &ready, 1), 1);
  const std::string in_use = "is in use by process " + std::to_string(child.id());
  EXPECT_THAT(io_error_of([&] { RunDirectory::open(directory.path()); }), HasSubstr(in_use));
  EXPECT_THAT(create_error(directory.path(), true), HasSubstr(in_use));
  EXPECT_THAT(create_error(directory.path(), false), HasSubstr(in_use));
  EXPECT_EQ(read_file(directory / "config.yaml"), "seed: 1\n");

  child.kill();
  child.wait();
  EXPECT_NO_THROW(RunDirectory::open(directory.path()));
  ::close(pipe[0]);
  ::close(pipe[1]);
}

TEST(RunDirectory, the_lock_lasts_as_long_as_the_object_even_when_moved) {
  const TemporaryDirectory directory;
  std::optional<RunDirectory> run = RunDirectory::create(directory / "run", false);
  const auto open = [&] { RunDirectory::open(directory / "run"); };
  EXPECT_THAT(io_error_of(open), HasSubstr("is in use by process " + std::to_string(::getpid())));
  run.reset();
  EXPECT_NO_THROW(open());
}

}}  // namespace tapehead
