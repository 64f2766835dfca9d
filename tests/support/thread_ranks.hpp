// Ranks that are threads of the test process.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "core/ranks/ranks.hpp"

namespace tapehead {

// Messages in transit, by sender and receiver.
struct Mail {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::pair<Index, Index>, std::deque<std::vector<std::byte>>> messages{};
  std::size_t bytes = 0;  // sent so far
  bool failed = false;
};

class ThreadRanks : public Ranks {
 public:
  ThreadRanks(Mail& mail, Index rank, Index count) : mail_(mail), rank_(rank), count_(count) {}
  Index rank() const override { return rank_; }
  Index count() const override { return count_; }
  std::string name(Index rank) const override { return "rank " + std::to_string(rank); }
  std::string library() const override { return "threads"; }

  void exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming) override {
    std::unique_lock lock(mail_.mutex);
    for (const auto& [to, bytes] : outgoing) {
      mail_.messages[{rank_, to}].emplace_back(bytes.begin(), bytes.end());
      mail_.bytes += bytes.size();
    }
    mail_.changed.notify_all();
    for (const auto& [from, bytes] : incoming) {
      auto& box = mail_.messages[{from, rank_}];
      mail_.changed.wait(lock, [&] { return !box.empty() || mail_.failed; });
      if (box.empty()) {
        throw RankError("another rank failed");
      }
      if (box.front().size() != bytes.size()) {
        throw RankError("a message of " + std::to_string(box.front().size()) + " bytes, not " +
                        std::to_string(bytes.size()));
      }
      std::ranges::copy(box.front(), bytes.begin());
      box.pop_front();
    }
  }

 private:
  Mail& mail_;
  Index rank_;
  Index count_;
};

// Runs `body` as each of `count` ranks and returns the bytes sent. Rethrows the first rank's error
// that is no RankError; if all errors are RankErrors, the last one.
inline std::size_t run_ranks(Index count, const std::function<void(Ranks&)>& body) {
  Mail mail;
  std::vector<std::exception_ptr> thrown(static_cast<std::size_t>(count));
  std::vector<std::thread> threads;
  for (Index rank = 0; rank < count; ++rank) {
    threads.emplace_back([&, rank] {
      ThreadRanks ranks(mail, rank, count);
      try {
        body(ranks);
      } catch (...) {
        thrown[static_cast<std::size_t>(rank)] = std::current_exception();
        const std::lock_guard lock(mail.mutex);
        mail.failed = true;
        mail.changed.notify_all();
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  std::exception_ptr consequence;
  for (const std::exception_ptr& error : thrown) {
    try {
      if (error) {
        std::rethrow_exception(error);
      }
    } catch (const RankError&) {
      consequence = error;
    }
  }
  if (consequence) {
    std::rethrow_exception(consequence);
  }
  return mail.bytes;
}

}  // namespace tapehead
