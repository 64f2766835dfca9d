#include "lab/sweep/places.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <random>

#include "core/files/files.hpp"
#include "core/files/process.hpp"
#include "core/text.hpp"

namespace tapehead {

namespace {

// Its own process group shields the child from the terminal's Ctrl-C; the sweep passes signals on.
void settle(int input, int log, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGUSR1, SIG_DFL);
  if (std::signal(SIGHUP, SIG_DFL) == SIG_IGN) {
    std::signal(SIGHUP, SIG_IGN);  // like nohup(1)
  }
  if (::getppid() != parent) {
    ::_exit(128 + SIGTERM);  // the parent ended before PR_SET_PDEATHSIG was set
  }
  if (::dup2(input, STDIN_FILENO) < 0 || ::dup2(log, STDOUT_FILENO) < 0 ||
      ::dup2(log, STDERR_FILENO) < 0) {
    ::_exit(127);
  }
}

// Blocks stop signals while it exists. Otherwise a signal that reaches the child before settle()
// would run this process's handlers in the child and be lost.
class HeldSignals : NotCopied {
 public:
  HeldSignals() {
    sigset_t stops;
    sigemptyset(&stops);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) {
      sigaddset(&stops, signal);
    }
    ::pthread_sigmask(SIG_BLOCK, &stops, &before_);
  }
  ~HeldSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers = mapped(texts, [](std::string& text) { return text.data(); });
  pointers.push_back(nullptr);
  return pointers;
}

// As MessagePack: arguments may contain bytes that are not UTF-8, which JSON cannot express.
std::string packed(const Json& json) {
  std::string bytes;
  Json::to_msgpack(json, bytes);
  return bytes;
}

bool has_text(const fs::path& path, const std::string& text) {
  try {
    return read_file(path) == text;
  } catch (const IoError&) {
    return false;
  }
}

}  // namespace

SweepChild::SweepChild(const ChildCommand& command, const fs::path& other) {
  const OpenFile output(command.log, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW);
  const OpenFile input("/dev/null", O_RDONLY);
  StartCommand start = start_again(command.arguments, other);
  std::vector<std::string> environment = environment_without_launcher();
  const std::vector<char*> word_pointers = pointers_to(start.words);
  const std::vector<char*> environment_pointers = pointers_to(environment);
  const pid_t parent = ::getpid();
  {
    const HeldSignals held;
    id_ = ::fork();
    if (id_ < 0) {
      throw IoError("cannot start a process: {}", std::strerror(errno));
    }
    if (id_ == 0) {
      settle(input.descriptor(), output.descriptor(), parent);
    }
  }
  if (id_ == 0) {
    // Closes the parent's files, so that its launcher does not take the child for the parent.
    ::close_range(STDERR_FILENO + 1, ~0U, 0);
    ::execve(start.file.c_str(), word_pointers.data(), environment_pointers.data());
    constexpr std::string_view failure = "error: cannot start the program\n";
    std::ignore = ::write(STDERR_FILENO, failure.data(), failure.size());
    ::_exit(127);
  }
}

SweepChild::~SweepChild() {
  if (!exit_code()) {
    send(SIGTERM);
  }
}

void SweepChild::send(int signal) const { ::kill(id_, signal); }

std::optional<int> SweepChild::exit_code() {
  int status = 0;
  if (!exit_code_ && ::waitpid(id_, &status, WNOHANG) == id_) {
    exit_code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
  return exit_code_;
}

SweepPlaces::SweepPlaces(Ranks& ranks, Index each, fs::path other)
    : ranks_(ranks),
      other_program_(std::move(other)),
      places_(static_cast<std::size_t>(ranks.count() * each)) {}

SweepPlaces::SweepPlaces(Ranks& ranks, Index each, Index threads)
    : SweepPlaces(ranks, each > 0 || ranks.count() > 1
                             ? std::max<Index>(1, each)
                             : std::max<Index>(1, usable_cores().count / threads)) {}

std::string SweepPlaces::where(const std::vector<Index>& places) const {
  std::string text;
  for (const Index place : places) {
    text += (text.empty() ? " on " : " and ") + ranks_.name(rank_of(place));
  }
  return ranks_.count() > 1 ? text : "";
}

// The file's name has a random word, so no rank has looked for this file before. Network file
// systems may remember for a while that a file did not exist.
void SweepPlaces::expect_shared(const fs::path& directory) {
  if (ranks_.count() == 1) {
    return;
  }
  const std::string word = text_of_first(
      ranks_, fmt::format("{:08x}{:08x}", std::random_device()(), std::random_device()()));
  const fs::path path = directory / fmt::format(".shared-{}{}", word, temporary_suffix);
  std::shared_ptr<void> removal;
  if (ranks_.first()) {
    write_file_atomically(path, word);
    removal = {nullptr, [&](void*) { fs::remove(path); }};
  }
  value_of_first(ranks_, true);  // waits until the file is written
  const std::vector<char> seen = share_values(ranks_, static_cast<char>(has_text(path, word)));
  const auto is_blind = [&](Index rank) { return seen[static_cast<std::size_t>(rank)] == 0; };
  const auto blind = mapped(numbers_below(ranks_.count()) | std::views::filter(is_blind),
                            [&](Index rank) { return ranks_.name(rank); });
  if (!blind.empty()) {
    throw IoError(
        "a sweep needs a directory that all ranks share, but {} cannot see what rank 0 writes into "
        "{}; choose a directory that all machines share with --run DIR",
        join(blind, ", "), text_of_first(ranks_, fs::absolute(directory).string()));
  }
}

void SweepPlaces::start(Index place, const ChildCommand& command) {
  places_[static_cast<std::size_t>(place)].busy = true;
  orders_["starts"].push_back({place, command.log.string(), command.arguments});
}

std::optional<int> SweepPlaces::take_exit_code(Index place) {
  Place& ended = places_[static_cast<std::size_t>(place)];
  if (ended.exit_code) {
    ended.busy = false;
  }
  return std::exchange(ended.exit_code, std::nullopt);
}

void SweepPlaces::close() {
  orders_["closed"] = true;
  round(0);
}

bool SweepPlaces::round(int signal) {
  const Json orders =
      Json::from_msgpack(text_of_first(ranks_, packed(std::exchange(orders_, Json::object()))));
  if (orders.contains("closed")) {
    return false;
  }
  follow(orders);
  const std::string report = packed({{"ends", take_ends()}, {"signal", signal}});
  for (const std::string& text : share_texts(ranks_, report)) {
    const Json heard = Json::from_msgpack(text);
    signal_ = signal_ != 0 ? signal_ : heard["signal"].get<int>();
    if (ranks_.first()) {
      for (const Json& end : heard["ends"]) {
        places_[end[0].get<std::size_t>()].exit_code = end[1].get<int>();
      }
    }
  }
  return true;
}

void SweepPlaces::follow(const Json& orders) {
  for (const Json& start : orders.value("starts", Json::array())) {
    if (const auto place = start[0].get<Index>(); rank_of(place) == ranks_.rank()) {
      const ChildCommand command{.log = start[1].get<std::string>(),
                                 .arguments = start[2].get<std::vector<std::string>>()};
      children_.try_emplace(place, command, other_program_);
    }
  }
  if (const int signal = orders.value("signal", 0); signal != 0) {
    for (const auto& [place, child] : children_) {
      child.send(signal);
    }
  }
}

// The place and the exit code of each child that has ended.
Json SweepPlaces::take_ends() {
  Json ends = Json::array();
  for (auto entry = children_.begin(); entry != children_.end();) {
    const std::optional<int> code = entry->second.exit_code();
    if (code) {
      ends.push_back({entry->first, *code});
    }
    entry = code ? children_.erase(entry) : std::next(entry);
  }
  return ends;
}

}  // namespace tapehead
