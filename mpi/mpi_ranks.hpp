// Ranks that a launcher of MPI started: their exchanges have a deadline, they tell each other
// outside exchanges whether they are there and how they ended, and they end together.
#pragma once

#include "core/files/process.hpp"
#include "core/ranks/ranks.hpp"
#include "mpi/communicator.hpp"

namespace tapehead {

class Notices {
 public:
  explicit Notices(Communicator& world);

  // Takes all notices that have come, and answers questions. Only a rank that waits calls this.
  void hear();

  // Asks all other ranks whether they are there. Until the next question, `answered` says who was.
  void ask();
  bool answered(Index rank) const { return answered_[static_cast<std::size_t>(rank)]; }

  void tell_end(const RankEnd& end);  // tells all other ranks how this one ended

  // How each rank ended, or nothing if that has not been heard.
  std::span<const std::optional<RankEnd>> ends() const { return ends_; }

 private:
  void take(const Notice& notice);
  void post_to_others(const std::string& text);

  Communicator& world_;
  std::vector<bool> answered_;
  std::vector<std::optional<RankEnd>> ends_;
  int question_ = 0;  // the number of the newest one, which its answers repeat
};

class MpiRanks : public Ranks {
 public:
  MpiRanks();  // returns when all ranks are there

  Index rank() const override { return world_.rank(); }
  Index count() const override { return world_.count(); }
  std::string name(Index rank) const override;
  std::string library() const override { return Communicator::library(); }

  // RankError names the ranks that failed or, after the deadline, those that do not answer. If
  // messages that are still on their way then need their memory, the process ends at once instead.
  void exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming) override;

  // How long a rank waits in an exchange, in addition to the time that it worked since the last
  // one. The same for all ranks.
  void set_deadline(double seconds) { deadline_ = seconds; }

  // The last call of every rank: waits until all have come to their ends. Then rank 0 prints the
  // message of `end_of_all`, and each rank returns its exit code. If one has failed and some do not
  // end within seconds, one prints what is known and ends all: then this does not return.
  int end(const RankEnd& mine);

 private:
  double answer_seconds() const;
  void wait_for_messages();
  [[noreturn]] void report_failure() const;
  void report(const std::vector<Index>& missing) const;
  bool wait_for_ends();
  [[noreturn]] void end_all(const RankEnd& end);

  Communicator world_;
  Notices notices_{world_};
  std::vector<std::string> hosts_;
  double deadline_ = 60;
  Clock::time_point last_exchange_ = Clock::now();
};

}  // namespace tapehead
