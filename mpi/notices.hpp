// What ranks tell each other outside exchanges: whether they are there, and how they ended.
#pragma once

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

}  // namespace tapehead
