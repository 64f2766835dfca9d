// Ranks: the processes, on one or several machines, that work on one training. They exchange
// values. An error on one rank makes all ranks throw, so that no rank waits for another. Also finds
// the MPI launcher that started this process, by environment variables.
#pragma once

#include "core/kernel/workers.hpp"

namespace tapehead {

// Bytes for another rank, or from it.
struct Outgoing {
  Index to;
  std::span<const std::byte> bytes;
};
struct Incoming {
  Index from;
  std::span<std::byte> bytes;
};

// A rank failed or does not answer. The message names the rank.
using RankError = FormattedError<std::runtime_error, struct OfRanks>;

struct RankEnd;

// Ranks only transfer bytes, so the receiver decides the order of a sum. Only the thread that
// created the object may use it. The class itself is a process that works alone.
class Ranks : NotCopied {
 public:
  virtual ~Ranks() = default;

  virtual Index rank() const { return 0; }   // of this process, from 0
  virtual Index count() const { return 1; }  // of all processes
  bool first() const { return rank() == 0; }

  virtual std::string name(Index rank) const;             // in messages: "rank 2 (host name)"
  virtual std::string library() const { return "none"; }  // that transfers the bytes

  // Returns when all bytes have arrived and `outgoing` may be changed. Messages from one rank to
  // another arrive in the order of the lists; sender and receiver give the same lengths. Throws
  // RankError if a rank fails or does not answer.
  virtual void exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming);

  // Sets the seconds that a rank waits for other ranks before it reports which do not answer.
  virtual void set_deadline(double /*seconds*/) {}

  // The last call of every rank; waits for all ranks. Prints an error only once. Returns the exit
  // code, which is the same on all ranks.
  virtual int end(const RankEnd& mine);
};

Ranks& alone();  // a process that works alone

struct RankEnd {
  int exit_code = 0;
  std::string message{};   // of the error that ended it, if one did
  bool by_others = false;  // a RankError: another rank is the cause
};

// One message and exit code for the ends of all ranks; an end may be unknown. Errors `by_others`
// count only if no rank has its own error. Equal messages appear once; own errors name their ranks
// unless rank 0 is among them. The exit code is the code of the first message or, without messages,
// the first code that is not 0.
RankEnd end_of_all(const Ranks& ranks, std::span<const std::optional<RankEnd>> ends);

// The line that main prints for an error: "error: ...". Empty if there is no message.
std::string error_line(const RankEnd& end);

// Fills `all` on every rank: rank r provides the bytes from begins[r] to begins[r + 1].
void share_parts(Ranks& ranks, std::span<std::byte> all, std::span<const std::size_t> begins);

// The texts of all ranks, by rank; and the text of rank 0.
std::vector<std::string> share_texts(Ranks& ranks, std::string_view mine);
std::string text_of_first(Ranks& ranks, std::string_view mine);

// Overwrites `bytes` on every other rank with the bytes of rank 0.
void copy_from_first(Ranks& ranks, std::span<std::byte> bytes);

// The values of all ranks, by rank.
template <class T>
  requires std::is_trivially_copyable_v<T>
std::vector<T> share_values(Ranks& ranks, const T& mine) {
  const auto count = static_cast<std::size_t>(ranks.count());
  std::vector<T> all(count);
  all[static_cast<std::size_t>(ranks.rank())] = mine;
  const auto begins =
      mapped(numbers_below(count + 1), [](std::size_t rank) { return rank * sizeof(T); });
  share_parts(ranks, std::as_writable_bytes(std::span(all)), begins);
  return all;
}

// The value of rank 0, on every rank.
template <class T>
  requires std::is_trivially_copyable_v<T>
T value_of_first(Ranks& ranks, T mine) {
  copy_from_first(ranks, std::as_writable_bytes(std::span(&mine, 1)));
  return mine;
}

// Throws on every rank if a rank has an error (`error`: null if this rank has none). The error with
// the smallest `place` is thrown; for equal places, the error of the smallest rank. The rank of
// this error rethrows it. On other ranks a NumericError, which is a result, keeps its type and
// message. Any other error becomes a RankError that names the rank.
void throw_first(Ranks& ranks, const std::exception_ptr& error, Index place);

// Does the work of this rank. If it throws on some rank, every rank throws the error that a single
// process would meet first: `place` counts how far a rank has come in the common work, and within a
// place the work is in the order of the ranks.
template <class Work>
void on_all_ranks(Ranks& ranks, const Index& place, const Work& work) {
  std::exception_ptr error;
  try {
    work();
  } catch (...) {
    error = std::current_exception();
  }
  throw_first(ranks, error, place);
}

// The workers of all ranks, or of a single process.
struct Team {
  // `own` and `all` must outlive the team.
  Team(Workers& own, Ranks& all = alone()) : workers(own), ranks(all) {}

  Workers& workers;  // of this process
  Ranks& ranks;
};

// The number of worker threads of a rank unless the user sets it: its usable cores divided by the
// number of ranks that may use the same cores of the same machine. All ranks must call this
// function together.
ThreadCount default_thread_count(Ranks& ranks);

// The environment for a child process that is not a rank. It has every "NAME=value" of this process
// except variables of launchers (Open MPI, MPICH, PMI, PMIx).
std::vector<std::string> environment_without_launcher();

enum class Launcher { none, openmpi, mpich };

struct Launched {
  Launcher by = Launcher::none;
  Index ranks = 1;  // 0: unknown until the library starts
};

// Returns the value of an environment variable, or null.
using Environment = std::function<const char*(const char* name)>;

// Which launcher set these variables; by default, the variables of this process. If both launchers
// set some: MPICH if it is `preferred`, else Open MPI. A launcher with PMI, such as Slurm's, counts
// as MPICH; a launcher with PMIx counts as Open MPI.
Launched launched(
    Launcher preferred = Launcher::none,
    const Environment& environment = [](const char* name) { return std::getenv(name); });

std::string_view library_of(Launcher launcher);  // "Open MPI" or "MPICH"
std::string program_of(Launcher launcher);       // to run as ranks: "tapehead-openmpi"

}  // namespace tapehead
