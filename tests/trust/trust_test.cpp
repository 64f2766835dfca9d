// A stranger's run is safe to open. Every command gets runs with hostile names, tokens, labels and
// links, and each of its system calls and each byte of its output is checked. docs/trust.md has the
// promises and the table of files that may be opened.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <map>

#include "core/files/tensor_file.hpp"
#include "core/text.hpp"
#include "tests/support/corpus_training.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/terminal.hpp"
#include "tests/support/text_training.hpp"
#include "tests/support/tiny_training.hpp"
#include "tests/support/traced.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

// Clears a terminal, sets its title, turns the direction of text, and is a script in HTML.
const std::string evil = "\x1b[2J\x1b]0;x\x07\xC2\x9B\xE2\x80\xAE<script>alert(1)<!--";

// A command line without spaces in its words. `@` is `evil`.
Arguments hostile_words(const std::string& command) {
  Arguments words = CommandLine(command);
  for (std::string& word : words) {
    word = replaced(word, {{"@", evil}});
  }
  return words;
}

// On the runs of StrangersRuns. With `text_commands` these are all commands that the help lists.
const Arguments commands{
    "train pairs.yaml --run new@",
    "train letters.yaml --run tokens@ --set task.tokenizer=unigram --set task.vocabulary=34",
    "train pairs.yaml --run pairs@ --resume --set training.steps=6",
    "plan pairs@/config.yaml",
    "sweep sweep.yaml --run sweep2@",
    "evaluate pairs@",
    "evaluate classes@",
    "evaluate letters@ --split validation --json",
    "heads pairs@ --all",
    "report pairs@",
    "report classes@ --json",
    "report sweep@",
    "open pairs@",
    "attention pairs@ a@ --output attention.html",
    "attention classes@ a@ --json",
    "import " TAPEHEAD_FIXTURES "/pretrained/gpt2 --run imported --token-texts",
    "export pairs@ export@ --as pytorch",
    "prune pairs@ pruned@ --count 1",
    "config pairs@/config.yaml",
    "gradcheck pairs@/config.yaml",
    "replay broken@/replay.safetensors",
};

// Commands that write the text of a model.
const Arguments text_commands{
    "translate pairs@ --input data/test.en",
    "generate letters@ --prompt a --max-tokens 200",
    "classify classes@ --input data/test.en",
    "fill masked@ --input masked.txt --top 40 --json",
    "tokenize pairs@ --input data/test.en",
    "score pairs@ --source data/test.en --target data/test.de --json",
};

// The patterns in the page's table of files.
Arguments patterns_of_page() {
  const std::string page = content_of(TAPEHEAD_SOURCE_DIR "/docs/trust.md");
  const std::size_t begin = page.find("\n## What is read\n");
  Arguments patterns;
  for (const std::string& line :
       lines_of(page.substr(begin, page.find("\n## What is not") - begin))) {
    if (line.starts_with("| `")) {
      const std::string cell = line.substr(2, line.find(" | ") - 2);
      patterns = patterns + CommandLine(replaced(cell, {{"`", ""}, {",", ""}}));
    }
  }
  return patterns;
}

bool opens_nameless(const SystemCall& call) {
  return call.name() == "open" && (call.flags() & O_TMPFILE) == O_TMPFILE;
}

// The calls of a command that the page does not allow.
class Watch {
 public:
  Watch(const fs::path& here, const Arguments& words) {
    const auto add = [&](const std::string& place, const fs::path& path) {
      places_[place].push_back((here / path).lexically_normal());
    };
    for (const std::string& word : words) {
      const fs::path path = word;
      add("NAMED", path);
      add("DIRECTORY", (here / path).lexically_normal().parent_path());
      if (path.filename() == "config.yaml" || path.filename() == "replay.safetensors") {
        add("NAMED", path.parent_path());
      }
    }
    add("DATA", "data/*");
    add("DATA", "data" + evil + "/*");
    add("CONFIG", TAPEHEAD_SOURCE_DIR "/configs/*");
    add("PROGRAM", TAPEHEAD_PROGRAM);
    add("TMPDIR", "temporary");
  }

  Verdict see(const SystemCall& call) {
    constexpr int writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
    static const Arguments written{"NAMED", "NAMED/*", "NAMED.*.tmp", "TMPDIR/tapehead-*",
                                   "/dev/null"};
    static const std::set<std::string_view> changing{"rename",  "unlink",    "mkdir",
                                                     "symlink", "ftruncate", "fchmod"};
    static const Arguments read = patterns_of_page();
    const std::string_view name = call.name();
    std::string file = call.file();
    if (file.ends_with('/')) {
      file.pop_back();
    }
    if (opens_nameless(call)) {
      expect("open a new file in", file, {"TMPDIR"});
    } else if (changing.contains(name) || (name == "open" && (call.flags() & writing) != 0)) {
      expect(name, file, written);
      expect(name, name == "rename" ? call.new_file() : file, written);
    } else if (name == "open") {
      expect(name, file, read);
    } else if (name == "execve") {
      expect(name, file, {"PROGRAM*", "/proc/self/exe"});
    } else if (name == "mmap" && (call.argument(2) & PROT_EXEC) != 0) {
      expect("run code of", file, {"PROGRAM*", "/lib/*", "/usr/lib/*"});
    }
    return {};
  }

  std::string complaints;

 private:
  void expect(std::string_view what, const std::string& file, const Arguments& patterns) {
    const bool fits = std::ranges::any_of(patterns, [&](const std::string& pattern) {
      const std::size_t end = std::min(pattern.size(), pattern.find_first_of("/*.", 1));
      const auto place = places_.find(pattern.substr(0, end));
      const Arguments paths =
          place == places_.end() ? Arguments{pattern.substr(0, end)} : place->second;
      return std::ranges::any_of(paths, [&](const std::string& path) {
        return matches(path + pattern.substr(end), file);
      });
    });
    complaints += fits ? "" : fmt::format("{} {}\n", what, shown(file));
  }

  std::map<std::string, Arguments> places_;
};

class StrangersRuns : public SharedRuns<StrangersRuns> {
 public:
  static void prepare() {
    std::string lines;
    std::string labelled;
    for (int line = 0; line < 60; ++line) {
      const std::string text = fmt::format("a{0} b{0} c{1}", evil, line % 3);
      lines += text + '\n';
      labelled += fmt::format("{}\t{}{}\n", text, line % 2 == 0 ? "warm" : "cold", evil);
    }
    write_corpus(*here / "data", lines, lines);
    here->write("data/labelled.tsv", labelled);
    here->write("masked.txt", "<mask> b\n");
    here->write("secret", "a secret\n");
    here->write("pairs.yaml", corpus_config("data", "word", 30));
    here->write("letters.yaml", text_config("data/train.en"));
    here->write("sweep.yaml", tiny_sweep("training.steps: 6}\naxes:\n  \"heads\\e[2J\": "
                                         "{\"one\\e[2J\": {model.heads: 1}, two: {model.heads: "
                                         "2}}\n"));
    here->output(hostile_words("train pairs.yaml --run pairs@"));
    here->output(hostile_words("train letters.yaml --run letters@"));
    here->output(
        hostile_words("train letters.yaml --run masked@ --set model.family=encoder "
                      "--set task.mask_share=0.3 --set model.max_positions=30"));
    Arguments classes = labelled_training(*here, "classes" + evil, {"training.steps=10"});
    for (const std::string split : {"train", "validation", "test"}) {
      set_options(classes, {"task." + split + "_tsv=data/labelled.tsv"});
    }
    here->output(classes);
    here->output(hostile_words("sweep sweep.yaml --run sweep@"));
    here->run(
        hostile_words("train pairs.yaml --run broken@ --set training.learning_rate=1000 "
                      "--set training.optimizer=sgd --set training.clip_norm=0 "
                      "--set training.warmup=0"));
    for (const std::string run : {"pairs", "classes"}) {
      name_data_anew(*here / (run + evil) / "data.json");
    }
    fs::create_directory(*here / "temporary");
    ::setenv("TMPDIR", (*here / "temporary").c_str(), 1);
  }
  static void TearDownTestSuite() {
    ::unsetenv("TMPDIR");
    SharedRuns::TearDownTestSuite();
  }

 protected:
  // The result of a command that does what the page allows, and leaves no temporary file.
  static ProgramResult watched(const std::string& command) {
    const Arguments words = hostile_words(command);
    if (why_not_traced() != nullptr) {
      return run_program(words, here->path());
    }
    Watch watch(here->path(), words);
    ProgramResult result =
        trace(words, here->path(), [&](const SystemCall& call) { return watch.see(call); });
    EXPECT_EQ(watch.complaints, "") << command;
    EXPECT_TRUE(fs::is_empty(*here / "temporary"));
    return result;
  }

  // The record of a run names its data by a link with an evil name.
  static void name_data_anew(const fs::path& record) {
    fs::path data = *here / ("data" + evil);
    if (!fs::exists(data)) {
      fs::create_directory_symlink("data", data);
    }
    auto json = nlohmann::json::parse(content_of(record));
    for (auto& [option, place] : json.items()) {
      place["absolute"] = data / fs::path(place["path"].get<std::string>()).filename();
    }
    write_text(record, json.dump());
  }
};

// Whether a terminal would act on the text.
bool acts(const std::string& text) { return visible(text) != text; }

TEST_F(StrangersRuns, are_safe_with_every_command) {
  std::set<std::string> known;
  for (const std::string& command : commands + text_commands) {
    known.insert(hostile_words(command).front());
  }
  std::set<std::string> all;
  const std::string help = here->output("--help");
  for (const std::string& line : lines_of(help.substr(help.find("Subcommands:")))) {
    if (line.starts_with("  ")) {
      all.insert(CommandLine(line).front());
    }
  }
  EXPECT_EQ(known, all);
  for (const std::string& command : commands) {
    const ProgramResult result = watched(command);
    EXPECT_EQ(result.exit_code, command.starts_with("replay") ? 1 : 0) << command << result.errors;
    EXPECT_FALSE(acts(result.output)) << command << '\n' << shown(result.output, 2000);
    EXPECT_FALSE(acts(result.errors)) << command << '\n' << shown(result.errors, 2000);
  }
  for (const std::string page : {"attention.html", "pairs@/report.html", "sweep@/report.html"}) {
    const std::string content = content_of(*here / hostile_words(page).front());
    EXPECT_THAT(content, AllOf(HasSubstr("</html>"), HasSubstr("alert(1)"),
                               Not(HasSubstr("<script>alert"))));
    EXPECT_FALSE(acts(content)) << page;
  }
}

TEST_F(StrangersRuns, text_of_their_models_is_exact_in_a_pipe_and_escaped_on_a_terminal) {
  for (const std::string& command : text_commands) {
    const ProgramResult piped = watched(command);
    EXPECT_EQ(piped.exit_code, 0) << command << piped.errors;
    EXPECT_TRUE(acts(piped.output)) << command << '\n' << shown(piped.output, 2000);
    EXPECT_FALSE(acts(piped.errors)) << command << '\n' << shown(piped.errors, 2000);
    const int terminal = new_terminal();
    Program program(hostile_words(command), here->path(), TAPEHEAD_PROGRAM,
                    [&] { ::dup2(::open(::ptsname(terminal), O_RDWR | O_NOCTTY), STDOUT_FILENO); });
    program.end_input();
    EXPECT_EQ(replaced(read_terminal(terminal), {{"\r\n", "\n"}}), visible(piped.output));
    program.wait();
  }
}

// A command that is killed leaves no file that never had a name.
TEST_F(StrangersRuns, give_temporary_files_a_name_only_where_the_file_system_needs_one) {
  if (why_not_traced() != nullptr) {
    GTEST_SKIP() << why_not_traced();
  }
  const int nameless = ::open(here->path().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  ::close(nameless);
  const std::string temporary = *here / "temporary";
  for (const int fault : {0, EISDIR, ENOENT, EOPNOTSUPP}) {
    bool named = false;
    const ProgramResult result = trace(
        fmt::format("train letters.yaml --run temporary{}", fault), here->path(),
        [&](const SystemCall& call) -> Verdict {
          named = named ||
                  (call.name() == "unlink" && call.file().starts_with(temporary + "/tapehead-"));
          return {.kind = fault != 0 && opens_nameless(call) ? Verdict::Kind::failed
                                                             : Verdict::Kind::made,
                  .error = fault};
        });
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_EQ(named, fault != 0 || nameless < 0) << fault;
    EXPECT_TRUE(fs::is_empty(temporary));
  }
}

TEST_F(StrangersRuns, lead_to_no_other_file) {
  const auto copy_of = [](const std::string& run) {
    fs::remove_all(*here / "copy");
    fs::copy(*here / (run + evil), *here / "copy", fs::copy_options::recursive);
  };
  const auto expect_refused = [&](const std::string& command, const std::string& reason) {
    const ProgramResult result = watched(command);
    EXPECT_THAT(result.exit_code, AnyOf(1, 2)) << command;
    EXPECT_THAT(result.errors + result.output, AllOf(HasSubstr(reason), Not(HasSubstr("a secret"))))
        << command;
  };
  copy_of("pairs");
  const std::string config = content_of(*here / "copy/config.yaml");
  here->write("copy/config.yaml", "base: ../secret\n" + config);
  for (const std::string command :
       {"evaluate copy", "translate copy --input data/test.en", "report copy",
        "train pairs.yaml --run copy --resume", "prune copy pruned --count 1"}) {
    expect_refused(command, "config.yaml:1:1: base: the config of a run has none");
  }
  ::mkfifo((*here / "fifo").c_str(), 0600);
  here->write("fifo.yaml", "base: fifo\n");
  EXPECT_THAT(here->complaint("config fifo.yaml"), HasSubstr("fifo: not a regular file"));

  here->write("copy/config.yaml", replaced(config, {{"data/test.en", "secret"}}));
  expect_refused("evaluate copy", "has no record of secret (task.test_source)");
  copy_of("letters");
  fs::remove_all(*here / "copy/tokens");
  here->write("copy/config.yaml",
              replaced(content_of(*here / "copy/config.yaml"), {{"data/train.en", "secret"}}));
  for (const std::string command : {"evaluate copy --split validation", "heads copy",
                                    "train letters.yaml --run copy --resume"}) {
    expect_refused(command, "has no record of secret (task.train_text)");
  }

  const TensorFile file(*here / ("broken" + evil) / "replay.safetensors");
  Metadata metadata = file.metadata();
  metadata["replay.config"] = "base: ../secret\n" + metadata["replay.config"];
  write_tensor_file(*here / "copy/replay.safetensors", file.entries(), metadata);
  expect_refused("replay copy/replay.safetensors", "base: unknown name");

  fs::copy(*here / ("sweep" + evil), *here / "linked", fs::copy_options::recursive);
  fs::create_directory(*here / "victim");
  for (const auto& entry : fs::directory_iterator(*here / "linked")) {
    if (entry.is_directory()) {
      fs::remove_all(entry.path());
      fs::create_directory_symlink(*here / "victim", entry.path());
    }
  }
  EXPECT_THAT(here->complaint("sweep sweep.yaml --run linked"), HasSubstr("is a symbolic link"));
  EXPECT_TRUE(fs::is_empty(*here / "victim"));
}

// With 4 GiB of addresses. (`plan` and `train` do what a config asks for, whatever it takes.)
TEST_F(StrangersRuns, take_no_memory_for_huge_numbers) {
  if (why_not_traced() != nullptr) {
    GTEST_SKIP() << why_not_traced();  // with a sanitizer, every program takes more
  }
  fs::copy(*here / ("letters" + evil), *here / "huge", fs::copy_options::recursive);
  const std::string config = content_of(*here / "huge/config.yaml");
  const std::string wide = replaced(config, {{" d_model: 16\n", " d_model: 65536\n"},
                                             {" d_ff: 64\n", " d_ff: 65536\n"}});  // 34 GB
  Index number = 0;
  for (const std::string& line : lines_of(config)) {
    const std::size_t value = line.find(": ") + 2;
    if (value < 2 || !whole_number(line.substr(value))) {
      continue;
    }
    ++number;
    for (const auto& [before, huge] : {std::pair(config, "1000000000"), {wide, "65536"}}) {
      SCOPED_TRACE(line + " -> " + huge);
      here->write("huge/config.yaml",
                  replaced(before, {{line + "\n", line.substr(0, value) + huge + "\n"}}));
      Program program("generate huge --prompt a --threads 1", here->path(), TAPEHEAD_PROGRAM, [] {
        constexpr rlimit most{.rlim_cur = 4UL << 30, .rlim_max = 4UL << 30};
        ::setrlimit(RLIMIT_AS, &most);
      });
      const ProgramResult result = program.wait();
      EXPECT_THAT(result.exit_code, AnyOf(0, 1, 2)) << result.errors;
      EXPECT_THAT(result.errors, Not(HasSubstr("out of memory")));
    }
  }
  EXPECT_GT(number, 30);
}

}}  // namespace tapehead
