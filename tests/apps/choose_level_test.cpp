// bin/tapehead of a package starts the program of the highest kernel level that the CPU supports,
// or of the requested level; programs reject other levels.
#if defined(__x86_64__)

#include "core/version.hpp"
#include "tests/support/corpus_training.hpp"
#include "tests/support/program_runs.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

// A package whose programs only print their level and their arguments.
class ChosenLevel : public Test {
 protected:
  ChosenLevel() {
    fs::create_directory(bin());
    fs::copy_file(TAPEHEAD_CHOOSER, bin() / "tapehead");
    for (const std::string level : {"avx512", "avx2", "sse4"}) {
      fs::create_directories(program(level).parent_path());
      std::ofstream(program(level)) << "#!/bin/sh\necho " + level + " \"$@\"\nexit 7\n";
      fs::permissions(program(level), fs::perms::owner_all);
    }
  }

  fs::path bin() const { return directory_.path() / "bin"; }
  fs::path program(const std::string& level) const {
    return directory_.path() / "lib/tapehead" / level / "tapehead";
  }
  // Starts the package with the variable TAPEHEAD_KERNELS.
  ProgramResult start(const std::string& kernels) const {
    return Program({"TAPEHEAD_KERNELS=" + kernels, (bin() / "tapehead").string(), "train", "a b"},
                   directory_.path(), "/usr/bin/env")
        .wait();
  }

 private:
  TemporaryDirectory directory_;
};

TEST_F(ChosenLevel, is_the_newest_that_the_cpu_has_or_the_one_asked_for) {
  const ProgramResult newest = start("");
  if (cpu_has_avx512()) {
    EXPECT_EQ(newest.output, "avx512 train a b\n");
  } else {
    EXPECT_THAT(newest.output, AnyOf("avx2 train a b\n", "sse4 train a b\n"));
  }
  EXPECT_EQ(newest.exit_code, 7);
  const ProgramResult asked = start("sse4");
  EXPECT_EQ(asked.output, "sse4 train a b\n");
  EXPECT_EQ(asked.exit_code, 7);
}

TEST_F(ChosenLevel, that_there_is_not_is_refused) {
  const ProgramResult unknown = start("neon");
  EXPECT_THAT(unknown.errors,
              AllOf(StartsWith("error: TAPEHEAD_KERNELS is 'neon'; allowed on this CPU: "),
                    HasSubstr("sse4\n")));
  EXPECT_EQ(unknown.exit_code, 2);
  fs::remove(program("avx512"));
  fs::remove(program("avx2"));
  EXPECT_EQ(start("").output, "sse4 train a b\n");
  fs::remove(program("sse4"));
  const ProgramResult none = start("");
  EXPECT_THAT(none.errors, HasSubstr("lib/tapehead/LEVEL/tapehead for this CPU"));
  EXPECT_EQ(none.exit_code, 2);
  // A program by itself has no choice.
  const ProgramResult alone = run_shell("TAPEHEAD_KERNELS=neon \"$TAPEHEAD\" --version", ".");
  EXPECT_THAT(alone.errors, StartsWith("error: TAPEHEAD_KERNELS is neon, but the kernels of "));
  EXPECT_EQ(alone.exit_code, 2);
}

// Messages tell the user to type bin/tapehead.
TEST_F(ChosenLevel, is_named_by_what_chooses_it) {
  const fs::path own = program(std::string(kernel_level()));
  fs::remove_all(own.parent_path());
  fs::create_directory(own.parent_path());
  fs::copy_file(TAPEHEAD_PROGRAM, own);
  fs::copy(TAPEHEAD_FIXTURES "/releases/0.1.0/copy/run", bin().parent_path() / "run",
           fs::copy_options::recursive);
  const std::string said = Program({"heads", "run"}, bin().parent_path(), own).wait().output;
  EXPECT_THAT(said, HasSubstr(": bin/tapehead heads --legend\n"));
}

// A package may have a C library, whose loader is started in place of the programs, also of those
// that a program starts. No system has the loader that these programs name.
TEST_F(ChosenLevel, is_loaded_by_the_loader_of_the_package) {
  if (!runs_natively) {
    GTEST_SKIP() << "sanitizers do not work under a loader";
  }
  const fs::path package = bin().parent_path();
  fs::remove(program("avx512"));
  fs::remove(program("avx2"));
  const ProgramResult filled = run_shell(
      "cp \"$TAPEHEAD\" \"$(dirname \"$TAPEHEAD\")/tapehead-gradcheck\" lib/tapehead/sse4 && "
      "LC_ALL=C sed -i s,/lib64/ld-linux,/none0/ld-linux, lib/tapehead/sse4/* && "
      "for library in $(ldd \"$TAPEHEAD\" | grep -o '/[^ ]*'); do "
      "cp -L \"$library\" lib/tapehead; done",
      package);
  ASSERT_EQ(filled.exit_code, 0) << filled.errors;
  write_text(package / "sweep.yaml",
             tiny_sweep("training.steps: 6}\naxes:\n  model.heads: [1, 2]\n"));
  const auto run = [&](const CommandLine& arguments) {
    const ProgramResult result = Program(arguments, package, bin() / "tapehead").wait();
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result.output;
  };
  run("sweep sweep.yaml --run sweep");
  EXPECT_TRUE(fs::exists(package / "sweep/results.json"));
  EXPECT_THAT(run("gradcheck --help"), HasSubstr("--only"));
  fs::copy(TAPEHEAD_FIXTURES "/releases/0.1.0/copy/run", package / "run",
           fs::copy_options::recursive);
  EXPECT_THAT(run("heads run"), HasSubstr(": lib/tapehead/sse4/tapehead heads --legend\n"));
}

}}  // namespace tapehead
#endif
