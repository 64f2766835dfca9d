// The ranks of an MPI launch. Exchanges have a deadline, and all ranks end together. For that,
// ranks send each other notices: questions whether a rank still answers, and how a rank ended.
#pragma once

#include "core/files/process.hpp"
#include "core/ranks/ranks.hpp"
#include "mpi/communicator.hpp"

namespace tapehead {

class Notices {
 public:
  explicit Notices(Communicator& world);

  // Takes all notices that have arrived, and answers questions. Only a waiting rank calls this.
  void hear();

  // Asks all other ranks for an answer. `answered` refers to the last question.
  void ask();
  bool answered(Index rank) const { return answered_[static_cast<std::size_t>(rank)]; }

  void tell_end(const RankEnd& end);  // tells all other ranks how this rank ended

  // How each rank ended; nullopt: not known.
  std::span<const std::optional<RankEnd>> ends() const { return ends_; }

 private:
  void take(const Notice& notice);
  void post_to_others(const std::string& text);

  Communicator& world_;
  std::vector<bool> answered_;
  std::vector<std::optional<RankEnd>> ends_;
  int question_ = 0;  // the number of the last question, which answers repeat
};

class MpiRanks : public Ranks {
 public:
  MpiRanks();  // returns when all ranks have started

  Index rank() const override { return world_.rank(); }
  Index count() const override { return world_.count(); }
  std::string name(Index rank) const override;
  std::string library() const override { return Communicator::library(); }

  // RankError names the ranks that failed or, after the deadline, the ranks that do not answer. If
  // messages that cannot be cancelled still use their memory, ends the process instead.
  void exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming) override;

  // How long an exchange waits, in addition to the time that this rank has worked since its last
  // exchange. All ranks must use the same value.
  void set_deadline(double seconds) override { deadline_ = seconds; }

  // The last call of every rank. Waits until all ranks have called it; then rank 0 prints the
  // message of `end_of_all`, and each rank returns its exit code. If a rank has failed and not all
  // ranks end within seconds, one rank prints what is known, ends all ranks and does not return.
  int end(const RankEnd& mine) override;

 private:
  double answer_seconds() const;
  void wait_for_messages();
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
