// packages.txt lists, for each command, every program that its scripts and tests start and that a
// bare Debian 12 lacks.
#include <regex.h>

#include "tests/support/program.hpp"
#include "tests/support/started_programs.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

const fs::path repository = TAPEHEAD_SOURCE_DIR;

// A new Debian 12 (`debootstrap --variant=minbase`) has these; git is needed to get here.
const std::set<std::string> bare{"apt",  "bash",      "coreutils", "dash",       "diffutils",
                                 "dpkg", "findutils", "grep",      "gzip",       "libc-bin",
                                 "mawk", "tar",       "sed",       "util-linux", "git"};

// Debian 12 packages and the programs in them, for all programs that this repository starts.
const std::map<std::string, std::string> programs_in{
    {"apt", "apt-config apt-get"},
    {"bash", "bash"},
    {"binutils", "objdump strip"},
    {"chromium-headless-shell", "chromium-headless-shell"},
    {"clang-format-19", "clang-format-19"},
    {"clang-tidy-19", "clang-tidy-19"},
    {"cmake", "cmake ctest"},
    {"coreutils",
     "basename cat chmod chroot cp cut dirname du env head ln ls mkdir mktemp mv nohup "
     "nproc paste realpath rm seq sha256sum sleep sort tail tee timeout touch tr uname wc"},
    {"dash", "sh"},
    {"diffutils", "diff"},
    {"dpkg", "dpkg-deb dpkg-query"},
    {"dpkg-dev", "dpkg-shlibdeps"},
    {"findutils", "find xargs"},
    {"g++", "c++"},
    {"git", "git"},
    {"grep", "grep"},
    {"gzip", "gzip"},
    {"iproute2", "ip"},
    {"libc-bin", "ldd"},
    {"mawk", "awk"},
    {"mkdocs", "mkdocs"},
    {"mmdebstrap", "mmdebstrap"},
    {"ninja-build", "ninja"},
    {"mpich", "mpirun.mpich"},
    {"openmpi-bin", "mpirun.openmpi"},
    {"openssh-client", "ssh ssh-keygen"},
    {"openssh-server", "sshd"},
    {"python3", "python3"},
    {"sed", "sed"},
    {"sudo", "sudo"},
    {"tar", "tar"},
    {"twine", "twine"},
    {"universal-ctags", "ctags"},
    {"util-linux", "mount nsenter setarch setpriv unshare"}};

std::map<std::string, std::string> package_of_each() {
  std::map<std::string, std::string> packages;
  for (const auto& [package, programs] : programs_in) {
    std::istringstream names(programs);
    for (std::string name; names >> name;) {
      packages[name] = package;
    }
  }
  return packages;
}

const std::map<std::string, std::string> package_of = package_of_each();

// The packages that `./dev deps COMMAND` installs; "any": packages of all commands.
std::set<std::string> listed_for(const std::string& command) {
  std::set<std::string> packages;
  std::istringstream lines(content_of(repository / "packages.txt"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string package;
    words >> package;
    const std::vector<std::string> only_for(std::istream_iterator<std::string>(words), {});
    if (!package.starts_with('#') &&
        (only_for.empty() || std::ranges::count(only_for, command) > 0 || command == "any")) {
      packages.insert(package);
    }
  }
  if (packages.contains("python3-venv")) {
    packages.insert("python3");  // a dependency
  }
  return packages;
}

// The last group of each match of the pattern.
std::set<std::string> matches_in(const std::string& text, const std::string& pattern) {
  regex_t regex;
  EXPECT_EQ(regcomp(&regex, pattern.c_str(), REG_EXTENDED), 0);
  std::set<std::string> found;
  std::array<regmatch_t, 4> groups;
  const char* at = text.c_str();
  for (int flags = 0; regexec(&regex, at, groups.size(), groups.data(), flags) == 0;
       at += groups[0].rm_eo, flags = REG_NOTBOL) {
    const regmatch_t& last = groups[regex.re_nsub];
    found.emplace(at + last.rm_so, at + last.rm_eo);
  }
  regfree(&regex);
  return found;
}

// The text of the script and of the files in its folder that it sources.
std::string whole_text(const fs::path& script) {
  std::string text = content_of(script);
  for (const std::string& name :
       matches_in(text, R"re(source "\$\(dirname "\$0"\)/([a-z_.]+)")re")) {
    text += content_of(script.parent_path() / name);
  }
  return text;
}

// The script's interpreter, and the programs that the script requires.
std::set<std::string> programs_of(const fs::path& script) {
  const std::string text = whole_text(script);
  std::set<std::string> programs = matches_in(text, "^#!(/usr)?/bin/(env )?([a-z0-9]+)");
  if (programs.contains("python3")) {
    for (const std::string& literal : matches_in(text, "\"([a-z0-9-]+)\"")) {
      if (package_of.contains(literal) && text.find("subprocess") != std::string::npos) {
        programs.insert(literal);
      }
    }
    return programs;
  }
  const StartedPrograms started(text);
  programs.merge(started.names());
  for (const std::string& name : started.listed()) {
    if (package_of.contains(name)) {
      programs.insert(name);
    }
  }
  for (const std::string& name : started.looked_for()) {
    programs.erase(name);
  }
  return programs;
}

void expect_listed(const std::set<std::string>& programs, const std::string& command,
                   const std::string& who) {
  const std::set<std::string> listed = listed_for(command);
  for (const std::string& program : programs) {
    const auto package = package_of.find(program);
    if (package == package_of.end()) {
      ADD_FAILURE() << who << " starts " << program
                    << ", which the table of this test does not have";
    } else if (!bare.contains(package->second)) {
      EXPECT_THAT(listed, Contains(package->second))
          << who << " starts " << program << "; packages.txt: " << package->second << ' '
          << command;
    }
  }
}

// The sources of all tests except this file, which names programs itself.
std::string sources_of_tests() {
  std::string text = content_of(repository / "tests/CMakeLists.txt");
  for (const auto& entry : fs::recursive_directory_iterator(repository / "tests")) {
    const fs::path& file = entry.path();
    const bool source = file.extension() == ".cpp" || file.extension() == ".hpp";
    if (source && file.filename() != "packages_test.cpp") {
      text += content_of(file);
    }
  }
  return text;
}

TEST(Packages, programs_of_scripts_are_listed_for_the_command_that_runs_them) {
  const std::map<std::string, std::vector<std::string>> scripts{
      {"test",
       {"tests/dev_test", "tests/consumer_test", "tests/fetch_test", "scripts/check_instructions"}},
      {"check", {"scripts/check_includes", "scripts/check_tidy"}},
      {"docs", {"scripts/check_links.py"}},
      {"check_bare", {"scripts/check_bare"}},
      {"check_packages", {"scripts/check_packages"}},
      {"package", {"scripts/make_packages"}},
      {"arm64", {"scripts/make_arm64_root"}},
      {"peers", {"bench/peers.py"}},
      {"any", {"dev"}}};
  for (const auto& [command, names] : scripts) {
    for (const std::string& name : names) {
      expect_listed(programs_of(repository / name), command, name);
    }
  }
}

TEST(Packages, programs_that_tests_start_are_listed_for_the_tests) {
  const std::string text = sources_of_tests();
  auto programs = matches_in(text, "\"(/usr)?/s?bin/([a-z0-9.-]+)\"");
  EXPECT_THAT(programs, Contains("chromium-headless-shell"));
  // Only `./dev prove` starts these, and installs them.
  const std::map<std::string, std::string> of_proofs{
      {"mpirun.mpich", "mpi"}, {"ip", "prove"}, {"ssh-keygen", "prove"}, {"sshd", "prove"}};
  for (const auto& [program, command] : of_proofs) {
    EXPECT_EQ(programs.erase(program), 1U) << program;
    expect_listed({program}, command, "a proof");
  }
  expect_listed(programs, "test", "a test");
  std::size_t scripts = 0;
  for (const auto& entry : fs::directory_iterator(repository / "scripts")) {
    const std::string name = entry.path().filename().string();
    if (text.find(name) != std::string::npos) {
      ++scripts;
      expect_listed(programs_of(entry.path()), "test",
                    "scripts/" + name + ", which a test starts,");
    }
  }
  // keep_experiment.py, check_includes, check_links.py and check_instructions
  EXPECT_GE(scripts, 4U);
}

TEST(Packages, the_python_modules_that_tests_import_are_listed_for_the_tests) {
  std::string text = content_of(repository / "scripts/run_notebook.py") +
                     content_of(repository / "docs/look-inside.ipynb");
  for (const std::string folder : {"python", "tests/python"}) {
    for (const auto& entry : fs::directory_iterator(repository / folder)) {
      text += content_of(entry.path());
    }
  }
  const std::set<std::string> modules = matches_in(text, "[\n\"] *(import|from) ([a-z0-9_]+)");
  const std::set<std::string> listed = listed_for("test");
  for (const std::string module : {"matplotlib", "nbclient", "nbformat", "numpy", "pandas"}) {
    EXPECT_THAT(modules, Contains(module));
    EXPECT_THAT(listed, Contains("python3-" + module));
  }
  EXPECT_THAT(listed, Contains("python3-ipykernel"));  // runs the cells of notebooks
}

// For scripts run by hand: interpreter and programs are known, or the script itself reports what is
// missing.
TEST(Packages, programs_of_every_script_are_known) {
  for (const std::string folder : {"scripts", "bench", ".ci"}) {
    for (const auto& entry : fs::directory_iterator(repository / folder)) {
      if (entry.is_regular_file() && content_of(entry.path()).starts_with("#!")) {
        for (const std::string& program : programs_of(entry.path())) {
          EXPECT_TRUE(package_of.contains(program)) << entry.path() << ": " << program;
        }
      }
    }
  }
}

TEST(StartedPrograms, are_what_stands_where_a_command_does) {
  const auto names = [](const std::string& script) { return StartedPrograms(script).names(); };
  EXPECT_THAT(names("one a | two b && ! three; four & # five\nsix"),
              ElementsAre("four", "one", "six", "three", "two"));
  EXPECT_THAT(names("if one; then two; elif three; then four; else five; fi >six\n"
                    "while seven <eight; do { nine; }; done 2>&1"),
              ElementsAre("five", "four", "nine", "one", "seven", "three", "two"));
  EXPECT_THAT(names("x=$(one \"$(two)\" 'three') y=5 four \"${z:-$(five)}\" < <(six)"),
              ElementsAre("five", "four", "one", "six", "two"));
  EXPECT_THAT(names("case $(one) in\n  two | 'three') four ;;\n  *) five ;;\nesac\nsix"),
              ElementsAre("five", "four", "one", "six"));
  EXPECT_THAT(names("f() {\n  one\n}\nf; (two; three)\nfor x in four; do five; done"),
              ElementsAre("five", "one", "three", "two"));
  EXPECT_THAT(names("[[ $x == one && ! $y =~ ^(two|three)$ ]] || four\n((EUID == 0)) && five"),
              ElementsAre("five", "four"));
  EXPECT_THAT(names("exec one; env A=b two; x | xargs -0 -I '{}' three four; /usr/bin/five"),
              ElementsAre("env", "five", "one", "three", "two", "x", "xargs"));
  EXPECT_THAT(names("echo one; ./two; \"$three\" four; $five"), IsEmpty());
}

TEST(StartedPrograms, may_be_the_beginning_of_an_array_and_may_be_looked_for) {
  const StartedPrograms started("x=(one two) y+=(env three)\ntype -P four five >/dev/null || six");
  EXPECT_THAT(started.listed(), ElementsAre("env", "one", "three"));
  EXPECT_THAT(started.looked_for(), ElementsAre("five", "four"));
  EXPECT_THAT(started.names(), ElementsAre("six"));
}

}}  // namespace tapehead
