#include "mpi/communicator.hpp"

#include <csignal>
#include <list>

// Leaves out MPI's C++ interfaces (removed in MPI 3), which would cause warnings.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#include <unistd.h>

#include "core/ranks/ranks.hpp"

namespace tapehead {

namespace {

enum Tag : int { exchange_tag = 1, notice_tag = 2 };

// MPI counts bytes in an int.
constexpr std::size_t largest_piece = std::size_t{1} << 30;

// How long an exchange waits for its messages after it is cancelled.
constexpr double withdrawal_seconds = 0.5;

void check(int code, std::string_view function) {
  if (code == MPI_SUCCESS) {
    return;
  }
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw RankError(std::string(function) + ": " + text.data());
}

void begin_receive_in(std::vector<MPI_Request>& requests, int from, std::span<std::byte> bytes) {
  do {
    const std::size_t size = std::min(bytes.size(), largest_piece);
    check(MPI_Irecv(bytes.data(), static_cast<int>(size), MPI_BYTE, from, exchange_tag,
                    MPI_COMM_WORLD, &requests.emplace_back(MPI_REQUEST_NULL)),
          "MPI_Irecv");
    bytes = bytes.subspan(size);
  } while (!bytes.empty());
}

bool all_done(std::vector<MPI_Request>& requests) {
  int done = 0;
  check(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE),
        "MPI_Testall");
  if (done != 0) {
    requests.clear();
  }
  return done != 0;
}

// A notice that is being sent.
struct Posted {
  std::string text;
  MPI_Request request;
};

// A message that has arrived and that no receive waits for.
struct Arrival {
  int from;
  std::size_t size;
};

std::optional<Arrival> next_arrival(Tag tag) {
  int there = 0;
  MPI_Status status;
  check(MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &there, &status), "MPI_Iprobe");
  if (there == 0) {
    return std::nullopt;
  }
  int size = 0;
  check(MPI_Get_count(&status, MPI_BYTE, &size), "MPI_Get_count");
  return Arrival{status.MPI_SOURCE, static_cast<std::size_t>(size)};
}

constexpr std::chrono::seconds longest_start(60);

// Ends a rank that waits in vain for ranks that never start. Safe in a signal handler.
void end_at_start(int) {
  constexpr std::string_view message =
      "error: not all ranks have started within a minute: one has stopped or cannot be reached\n";
  const ssize_t written = ::write(STDERR_FILENO, message.data(), message.size());
  ::_exit(written < 0 ? 2 : 1);
}

// Ends the process after this time, because MPI_Init waits for all ranks without limit; 0: cancels.
void end_after(std::chrono::seconds time) {
  std::signal(SIGALRM, time.count() == 0 ? SIG_DFL : end_at_start);
  ::alarm(static_cast<unsigned>(time.count()));
}

}  // namespace

struct Communicator::Requests {
  std::vector<MPI_Request> sends;
  std::vector<MPI_Request> receives;
  std::vector<MPI_Request> discards;
  std::list<Posted> posted;
  std::list<std::vector<std::byte>> discarded;
};

Launcher Communicator::launcher() {
#ifdef OPEN_MPI
  return Launcher::openmpi;
#else
  return Launcher::mpich;
#endif
}

std::string Communicator::library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  // Examples: "Open MPI v4.1.4, package: ..." and "MPICH Version:\t4.0.2\nMPICH Release date: ..."
  const std::string_view all = text.data();
  std::string name(library_of(launcher()));
  const auto begin = all.find_first_of("0123456789");
  const auto end = all.find_first_not_of("0123456789.", std::min(begin, all.size()));
  return begin == std::string_view::npos ? name : name + ' ' + std::string(all, begin, end - begin);
}

Communicator::Communicator() : requests_(std::make_unique<Requests>()) {
  int provided = 0;
  end_after(longest_start);
  check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
  end_after(std::chrono::seconds(0));
  if (provided < MPI_THREAD_FUNNELED) {
    throw RankError("this MPI library does not allow threads beside the one that calls it");
  }
  check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check(MPI_Comm_rank(MPI_COMM_WORLD, &rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(MPI_COMM_WORLD, &count_), "MPI_Comm_size");
}

Communicator::~Communicator() = default;

void Communicator::begin_send(Index to, std::span<const std::byte> bytes) {
  do {
    const std::size_t size = std::min(bytes.size(), largest_piece);
    check(MPI_Isend(bytes.data(), static_cast<int>(size), MPI_BYTE, static_cast<int>(to),
                    exchange_tag, MPI_COMM_WORLD, &requests_->sends.emplace_back(MPI_REQUEST_NULL)),
          "MPI_Isend");
    bytes = bytes.subspan(size);
  } while (!bytes.empty());
}

void Communicator::begin_receive(Index from, std::span<std::byte> bytes) {
  begin_receive_in(requests_->receives, static_cast<int>(from), bytes);
}

bool Communicator::done() {
  const bool received = all_done(requests_->receives);
  const bool sent = all_done(requests_->sends);
  return all_done(requests_->discards) && received && sent;
}

// MPI can cancel a receive, but usually not a send: a send ends when the other rank receives or
// discards the message.
bool Communicator::withdraw() {
  try {
    for (MPI_Request& request : requests_->receives) {
      if (request != MPI_REQUEST_NULL) {
        check(MPI_Cancel(&request), "MPI_Cancel");
      }
    }
    for (Patience patience; patience.waited() < withdrawal_seconds; patience.pause()) {
      discard();
      if (done()) {
        return true;
      }
    }
  } catch (const RankError&) {
    return false;
  }
  return false;
}

void Communicator::discard() {
  while (const auto arrival = next_arrival(exchange_tag)) {
    begin_receive_in(requests_->discards, arrival->from,
                     requests_->discarded.emplace_back(arrival->size));
  }
}

void Communicator::post(Index to, const std::string& text) {
  Posted& notice = requests_->posted.emplace_back(text, MPI_REQUEST_NULL);
  check(MPI_Isend(notice.text.data(), static_cast<int>(notice.text.size()), MPI_BYTE,
                  static_cast<int>(to), notice_tag, MPI_COMM_WORLD, &notice.request),
        "MPI_Isend");
}

std::optional<Notice> Communicator::next_notice() {
  const auto arrival = next_arrival(notice_tag);
  if (!arrival) {
    return std::nullopt;
  }
  Notice notice{arrival->from, std::string(arrival->size, '\0')};
  check(MPI_Recv(notice.text.data(), static_cast<int>(arrival->size), MPI_BYTE, arrival->from,
                 notice_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
        "MPI_Recv");
  return notice;
}

bool Communicator::posted() {
  std::erase_if(requests_->posted, [](Posted& notice) {
    int done = 0;
    check(MPI_Test(&notice.request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    return done != 0;
  });
  return requests_->posted.empty();
}

void Communicator::finish() { check(MPI_Finalize(), "MPI_Finalize"); }

void Communicator::abort(int exit_code) {
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);
}

}  // namespace tapehead
