#include "mpi/mpi_ranks.hpp"

#include <unistd.h>

#include "core/files/input_output.hpp"

namespace tapehead {

namespace {

// The first bytes of a notice; the notice of an end continues with the message.
struct Header {
  enum class Kind : int { question, answer, end };
  Kind kind;
  int number;     // of the question; for an end, the exit code
  int by_others;  // RankEnd::by_others
};

// Short enough that MPI libraries send every notice at once, even if the receiver is not waiting.
constexpr std::size_t longest_message = 2000;

std::string encode(const Header& header, std::string_view message = {}) {
  std::string text(sizeof header, '\0');
  std::memcpy(text.data(), &header, sizeof header);
  return text.append(message.substr(0, longest_message));
}

// An exit code alone is no failure: after a signal, ranks stop at different times.
bool failed(const std::optional<RankEnd>& end) { return end && !end->message.empty(); }

bool ended(const std::optional<RankEnd>& end) { return end.has_value(); }

// Asks ranks for an answer after the deadline.
class RollCall {
 public:
  // Asks after `patience` seconds, and then waits `answer` seconds for answers.
  RollCall(Notices& notices, double patience, double answer)
      : notices_(notices), patience_(patience), answer_(answer) {}

  // Call it repeatedly while this rank waits. Returns the ranks that have ended or did not answer
  // in time. If all answer, they are waiting too, and the time starts again.
  std::vector<Index> missing() {
    if (!asked_) {
      if (seconds_since(begin_) > patience_) {
        notices_.ask();
        asked_ = true;
        begin_ = Clock::now();
      }
      return {};
    }
    std::vector<Index> ranks;
    for (Index rank = 0; rank < std::ssize(notices_.ends()); ++rank) {
      if (!notices_.answered(rank) || ended(notices_.ends()[static_cast<std::size_t>(rank)])) {
        ranks.push_back(rank);
      }
    }
    if (ranks.empty()) {
      asked_ = false;
      begin_ = Clock::now();
    } else if (seconds_since(begin_) < answer_) {
      ranks.clear();
    }
    return ranks;
  }

 private:
  Notices& notices_;
  double patience_;
  double answer_;
  Clock::time_point begin_ = Clock::now();  // begin of the wait or, if asked_, time of the question
  bool asked_ = false;
};

}  // namespace

Notices::Notices(Communicator& world)
    : world_(world),
      answered_(static_cast<std::size_t>(world.count())),
      ends_(static_cast<std::size_t>(world.count())) {}

void Notices::hear() {
  while (const auto notice = world_.next_notice()) {
    take(*notice);
  }
  world_.posted();
}

void Notices::take(const Notice& notice) {
  Header header{};
  std::memcpy(&header, notice.text.data(), sizeof header);
  const auto from = static_cast<std::size_t>(notice.from);
  switch (header.kind) {
    case Header::Kind::question:
      world_.post(notice.from, encode({Header::Kind::answer, header.number, 0}));
      break;
    case Header::Kind::answer:
      answered_[from] = answered_[from] || header.number == question_;
      break;
    case Header::Kind::end:
      ends_[from] = RankEnd{.exit_code = header.number,
                            .message = notice.text.substr(sizeof header),
                            .by_others = header.by_others != 0};
  }
}

void Notices::ask() {
  answered_.assign(answered_.size(), false);
  answered_[static_cast<std::size_t>(world_.rank())] = true;
  post_to_others(encode({Header::Kind::question, ++question_, 0}));
}

void Notices::tell_end(const RankEnd& end) {
  RankEnd& mine = ends_[static_cast<std::size_t>(world_.rank())].emplace(end);
  mine.message.resize(std::min(mine.message.size(), longest_message));  // as the others receive it
  post_to_others(
      encode({Header::Kind::end, end.exit_code, static_cast<int>(end.by_others)}, end.message));
}

void Notices::post_to_others(const std::string& text) {
  for (Index rank = 0; rank < world_.count(); ++rank) {
    if (rank != world_.rank()) {
      world_.post(rank, text);
    }
  }
}

MpiRanks::MpiRanks() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  hosts_ = share_texts(*this, host.data());
}

std::string MpiRanks::name(Index rank) const {
  const auto i = static_cast<std::size_t>(rank);
  return i < hosts_.size() ? fmt::format("rank {} ({})", rank, hosts_[i])
                           : fmt::format("rank {}", rank);
}

// How long ranks have to answer a question, and to end after a failure.
double MpiRanks::answer_seconds() const { return std::min(deadline_, 5.0); }

void MpiRanks::exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming) {
  try {
    for (const auto& [from, bytes] : incoming) {
      world_.begin_receive(from, bytes);
    }
    for (const auto& [to, bytes] : outgoing) {
      world_.begin_send(to, bytes);
    }
    wait_for_messages();
  } catch (const RankError& error) {
    if (!world_.withdraw()) {
      std::_Exit(end({.exit_code = 1, .message = error.what(), .by_others = true}));
    }
    throw;
  }
  last_exchange_ = Clock::now();
}

void MpiRanks::wait_for_messages() {
  Patience patience;
  RollCall roll_call(notices_, deadline_ + seconds_since(last_exchange_), answer_seconds());
  std::optional<Clock::time_point> heard;  // when a failure was heard of
  while (!world_.done()) {
    patience.pause();
    if (!patience.looked()) {
      continue;
    }
    notices_.hear();
    if (!heard && std::ranges::any_of(notices_.ends(), failed)) {
      heard = Clock::now();
    }
    if (!heard) {
      report(roll_call.missing());
    } else if (seconds_since(*heard) > answer_seconds() / 5) {
      // A rank that failed after this exchange has sent all of its messages. So for this time the
      // exchange may still succeed, and this rank may then report the same error itself.
      const auto ends = notices_.ends();
      const auto end = std::ranges::find_if(ends, failed);
      const RankEnd& first = **end;
      throw RankError(first.by_others
                          ? first.message
                          : fmt::format("{}: {}", name(end - ends.begin()), first.message));
    }
  }
}

void MpiRanks::report(const std::vector<Index>& missing) const {
  std::string names;
  for (const Index rank : missing) {
    names += (names.empty() ? "" : " and ") + name(rank) +
             (ended(notices_.ends()[static_cast<std::size_t>(rank)]) ? ", which has ended" : "");
  }
  if (!missing.empty()) {
    throw RankError(
        "no answer within the deadline of {:g} s from {}: stopped, or busy for longer "
        "than the deadline allows",
        deadline_, names);
  }
}

int MpiRanks::end(const RankEnd& mine) {
  try {
    notices_.tell_end(mine);
    const bool all_ended = wait_for_ends();
    const RankEnd end = end_of_all(*this, notices_.ends());
    if (!all_ended) {
      end_all(end);
    }
    // Rank 0 prints first, because the launcher may end all ranks as soon as one has left MPI.
    if (first()) {
      write_message(error_line(end));
    }
    world_.finish();
    return end.exit_code;
  } catch (const RankError& error) {
    end_all(mine.exit_code != 0 ? mine : RankEnd{1, error.what(), true});
  }
}

// Returns whether all ranks have ended. Waits without limit until a rank fails, because rank 0 may
// have long work to do alone.
bool MpiRanks::wait_for_ends() {
  Patience patience;
  std::optional<Clock::time_point> heard;  // when a failure was heard of
  while (!std::ranges::all_of(notices_.ends(), ended) || !world_.posted() || !world_.done()) {
    patience.pause();
    notices_.hear();
    if (!heard && std::ranges::any_of(notices_.ends(), failed)) {
      heard = Clock::now();
    }
    if (heard) {
      world_.discard();  // messages of failed exchanges
    }
    // The first ended rank ends all ranks. If it is gone, other ranks do so after twice the time.
    const auto ends = notices_.ends();
    const bool speaks = std::ranges::find_if(ends, ended) - ends.begin() == rank();
    if (heard && seconds_since(*heard) > answer_seconds() * (speaks ? 1 : 2)) {
      return false;
    }
  }
  return true;
}

void MpiRanks::end_all(const RankEnd& end) {
  write_message(error_line(end));
  world_.abort(end.exit_code);
}

}  // namespace tapehead
