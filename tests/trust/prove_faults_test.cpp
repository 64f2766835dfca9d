// Every system call of a command fails once, with each error that its manual page has, or does half
// its work. A command that loses work says so, names the file and the reason, and can be repeated.
#include <cerrno>
#include <map>
#include <regex>

#include "tests/support/mutations.hpp"
#include "tests/support/proof.hpp"
#include "tests/support/spoiled_command.hpp"
#include "tests/support/traced.hpp"

namespace tapehead { namespace {

// The errors of each call, of Linux' manual pages, without those of a call that is wrong itself.
const std::map<std::string_view, std::vector<int>>& errors() {
  static const std::map<std::string_view, std::vector<int>> table{
      {"open",
       {EACCES, EDQUOT, EINTR, EIO, ELOOP, EMFILE, ENFILE, ENOENT, ENOMEM, ENOSPC, EPERM, EROFS}},
      {"read", {EINTR, EIO}},
      {"write", {EDQUOT, EFBIG, EINTR, EIO, ENOSPC, EPERM}},
      {"pwrite", {EDQUOT, EFBIG, EINTR, EIO, ENOSPC, EPERM}},
      {"writev", {EDQUOT, EFBIG, EINTR, EIO, ENOSPC}},
      {"sendfile", {EIO, ENOMEM, ENOSPC}},
      {"fsync", {EDQUOT, EINTR, EIO, ENOSPC, EROFS}},
      {"rename", {EACCES, EBUSY, EDQUOT, EIO, ENOENT, ENOMEM, ENOSPC, EPERM, EROFS, EXDEV}},
      {"unlink", {EACCES, EBUSY, EIO, ENOENT, ENOMEM, EPERM, EROFS}},
      {"mkdir", {EACCES, EDQUOT, EEXIST, ELOOP, EMLINK, ENOENT, ENOMEM, ENOSPC, EPERM, EROFS}},
      {"symlink", {EACCES, EIO, ENOSPC}},
      {"mmap", {EACCES, EAGAIN, ENFILE, ENODEV, ENOMEM, EPERM}},
      {"flock", {EINTR, ENOLCK, EWOULDBLOCK}},
      {"ftruncate", {EFBIG, EINTR, EIO, EPERM, EROFS}},
      {"fchmod", {EIO, EPERM, EROFS}},
      {"dup", {EBUSY, EINTR, EMFILE}},
      {"stat", {EACCES, EIO, ELOOP, ENOMEM}},
      {"readlink", {EACCES, EIO, ENOENT}},
      {"getcwd", {ENOENT, ENOMEM}},
      {"chdir", {EACCES, EIO}},
      {"getdents", {EIO, ENOENT}},
      {"pipe", {EMFILE, ENFILE}},
      {"clone", {EAGAIN, ENOMEM, ENOSPC, EPERM}},
      {"close", {EDQUOT, EINTR, EIO, ENOSPC}},
  };
  return table;
}

// A place in the program and its libraries that makes a call: the stack of return addresses.
struct Site {
  std::string_view call;
  std::uint64_t stack_pointer;  // tells nearly all places apart, and takes no time
  std::vector<std::uint64_t> stack;
  auto operator<=>(const Site&) const = default;
};

struct Fault {
  Site site;
  Index occurrence = 0;  // of the site
  Verdict verdict;
  std::string file;  // of the call
  std::string functions;
};

class FaultyCommand {
 public:
  explicit FaultyCommand(const Scenario& scenario) : command_(scenario) { find_sites(); }

  const std::vector<Fault>& faults() const { return faults_; }
  std::size_t sites() const { return sites_.size(); }
  Index met() const { return met_; }

  // What is wrong about the command with this fault; "" if nothing.
  std::string complaint(const Fault& fault) {
    command_.start_again();
    Index seen = 0;
    bool met = false;
    const ProgramResult result =
        trace(command_.command(), command_.directory(), [&](const SystemCall& call) -> Verdict {
          const bool here = !met && call.name() == fault.site.call &&
                            call.stack_pointer() == fault.site.stack_pointer &&
                            call.stack() == fault.site.stack && seen++ == fault.occurrence;
          met = met || here;
          return here ? fault.verdict : Verdict{};
        });
    if (!met) {
      return "";  // a call that depends on the time
    }
    ++met_;
    // Who is told that there is no file may believe it. What /proc tells is only told to the user.
    if (result.exit_code <= 2 &&
        (fault.verdict.error == ENOENT || fault.file.starts_with("/proc/"))) {
      return "";
    }
    return command_.judged(result,
                           [&](const std::string& said) { return missing_words(fault, said); });
  }

 private:
  // Not of the loader, which works before the program does, nor of the test's own child process.
  static bool is_of_program(const Site& site) {
    return site.call != "execve" && std::ranges::any_of(site.stack, [](std::uint64_t address) {
             return address < SystemCall::libraries;
           });
  }

  static std::vector<int> errors_of(const Fault& fault) {
    const bool memory = fault.site.call == "mmap" && fault.file.empty();
    return memory ? std::vector{ENOMEM} : errors().at(fault.site.call);
  }

  void find_sites() {
    command_.start_again();
    std::map<Site, std::vector<Fault>> found;
    trace(command_.command(), command_.directory(), [&](const SystemCall& call) {
      Fault fault{.site = {call.name(), call.stack_pointer(), call.stack()},
                  .occurrence = 0,
                  .verdict = {},
                  .file = call.file(),
                  .functions = ""};
      if (!is_of_program(fault.site)) {
        return Verdict{};
      }
      std::vector<Fault>& of_site = found[fault.site];
      ++sites_[fault.site];
      if (of_site.empty()) {
        fault.functions = call.stack_text();
        of_site = {fault};
        if (call.has_half()) {
          of_site.front().verdict.kind = Verdict::Kind::half;
        }
      } else {
        fault.functions = of_site.front().functions;
        fault.occurrence = sites_[fault.site] - 1;
        of_site.resize(1);
        of_site.push_back(fault);
      }
      return Verdict{};
    });
    for (const auto& [site, occurrences] : found) {
      for (const Fault& occurrence : occurrences) {
        for (const int error : errors_of(occurrence)) {
          faults_.push_back(occurrence);
          faults_.back().verdict = {.kind = Verdict::Kind::failed, .error = error};
        }
        if (occurrence.verdict.kind == Verdict::Kind::half) {
          faults_.push_back(occurrence);
        }
      }
    }
  }

  // The part of a file's name that a message has to say: what is not random in it.
  static std::string shown_name(const std::string& file) {
    static const std::regex random("[.][0-9a-f]{16}[.]tmp$|-[A-Za-z0-9]{6}$|[.][0-9]+$");
    if (!file.starts_with('/') || file.ends_with(" (deleted)") || fs::is_directory(file)) {
      return "";  // not a name, or the directory of a file that is named
    }
    return std::regex_replace(fs::path(file).filename().string(), random, "");
  }

  static std::string missing_words(const Fault& fault, const std::string& said) {
    const std::string name = shown_name(fault.file);
    const int error = fault.verdict.error;
    const std::string reason = std::generic_category().message(error);
    const auto says = [&](std::string_view words) { return said.find(words) != std::string::npos; };
    if (name == "errors" || fault.site.call == "dup" || fault.file.starts_with("pipe:") ||
        (error == EWOULDBLOCK && says("is in use")) ||
        (error == ENOMEM && (says("memory") || says("Resource temporarily unavailable")))) {
      return "";  // nobody could be told more, or memory was for anything
    }
    if (error != 0 && !says(reason)) {
      return fmt::format("does not say \"{}\"", reason);
    }
    const std::string directory = fs::path(fault.file).parent_path();
    return says(name) || says(directory) ? "" : fmt::format("does not name {}", name);
  }

  SpoiledCommand command_;
  std::map<Site, Index> sites_;  // how often each calls
  std::vector<Fault> faults_;
  Index met_ = 0;
};

std::string text_of(const Fault& fault) {
  const char* const name =
      fault.verdict.error == 0 ? "half" : ::strerrorname_np(fault.verdict.error);
  return fmt::format("{} {} of {}, time {}", fault.site.call, name, fault.file, fault.occurrence);
}

class ProveFaultsOf : public TestWithParam<Scenario> {};

TEST_P(ProveFaultsOf, a_command_loses_nothing_unsaid) {
  if (why_not_traced() != nullptr) {
    GTEST_SKIP() << why_not_traced();
  }
  FaultyCommand command(GetParam());
  const auto all = static_cast<Index>(command.faults().size());
  const Index cases = proof_cases(3, all);
  Choices choices(0);
  for (Index number = 0; number < cases; ++number) {
    const Fault& fault = cases == all ? command.faults()[static_cast<std::size_t>(number)]
                                      : choices.of(command.faults());
    const std::string complaint = command.complaint(fault);
    EXPECT_TRUE(complaint.empty()) << text_of(fault) << ": " << complaint << '\n'
                                   << fault.functions;
  }
  EXPECT_GE(20 * command.met(), 19 * cases);
  tell_figures(fmt::format("faults: {}: {} faults of {} sites, {} of {} were met", GetParam().name,
                           all, command.sites(), command.met(), cases));
}

// The return addresses of the program's own calls of functions that open, read, write or change
// files, map memory or start processes and threads.
std::set<std::uint64_t> calls_in_program() {
  static const std::regex asks(
      "<(open|openat|fopen|read|write|pread|pwrite|fsync|rename|unlink|mkdir|mmap|flock|ftruncate|"
      "dup2?|"
      "f?stat|close|fork|execve?|pipe2|mkostemp|mkdtemp|fwrite|fflush|"
      "_ZNSt10filesystem(6status|14symlink_status|18create_directories|6remove|6rename|9file_size|"
      "8is_empty|"
      "10equivalent|12read_symlink|16weakly_canonical|9canonical|8absolute|12current_path|"
      "7__cxx1118directory_iterator).*|_ZNSt13basic_filebuf.*(4open|5close).*|_ZNSt6thread15_M_"
      "start.*)"
      "(64)?@plt>");
  constexpr std::uint64_t begin = 0x5555'5555'4000;  // of a program without random addresses
  const std::string listing =
      run_script("objdump", {"-d", "--no-show-raw-insn", TAPEHEAD_PROGRAM}, ".").output;
  std::set<std::uint64_t> calls;
  bool call = false;
  for (const std::string& line : lines_of(listing)) {
    if (call) {
      calls.insert(begin + std::stoull(line, nullptr, 16));
    }
    call = line.find("\tcall ") != std::string::npos && std::regex_search(line, asks);
  }
  return calls;
}

TEST(ProveFaults, reach_most_calls_of_the_program) {
  if (why_not_traced() != nullptr) {
    GTEST_SKIP() << why_not_traced();
  }
  const std::set<std::uint64_t> calls = calls_in_program();
  std::set<std::uint64_t> reached;
  for (const Scenario& scenario : scenarios() | std::views::take(proof_cases(1, 99))) {
    const SpoiledCommand command(scenario);
    command.start_again();
    trace(command.command(), command.directory(), [&](const SystemCall& call) {
      std::ranges::copy_if(call.stack(), std::inserter(reached, reached.end()),
                           [&](std::uint64_t address) { return calls.contains(address); });
      return Verdict{};
    });
  }
  EXPECT_GE(proof_cases(5, 2) * std::ssize(reached), std::ssize(calls));
  tell_figures(fmt::format("faults: {} of the program's {} calls of such functions were reached",
                           reached.size(), calls.size()));
}

INSTANTIATE_TEST_SUITE_P(, ProveFaultsOf, ValuesIn(scenarios()),
                         [](const auto& command) { return command.param.name; });

}}  // namespace tapehead
