#include "core/ranks/ranks.hpp"

#include "core/shown.hpp"
#include "core/text.hpp"

namespace tapehead {

namespace {

class Alone : public Ranks {
 public:
  Index rank() const override { return 0; }
  Index count() const override { return 1; }
  std::string name(Index) const override { return "rank 0"; }
  std::string library() const override { return "none"; }
  void exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming) override {
    if (!outgoing.empty() || !incoming.empty()) {
      throw RankError("a process that works alone has nobody to exchange bytes with");
    }
  }
};

// A message, and the ranks that have it.
struct SharedMessage {
  const RankEnd* end;
  std::vector<Index> ranks;
};

std::vector<SharedMessage> messages_of(std::span<const std::optional<RankEnd>> ends,
                                       bool by_others) {
  std::vector<SharedMessage> messages;
  for (std::size_t rank = 0; rank < ends.size(); ++rank) {
    const auto& end = ends[rank];
    if (!end || end->message.empty() || end->by_others != by_others) {
      continue;
    }
    auto same = std::ranges::find_if(
        messages, [&](const SharedMessage& other) { return other.end->message == end->message; });
    if (same == messages.end()) {
      same = messages.insert(messages.end(), {&*end, {}});
    }
    same->ranks.push_back(static_cast<Index>(rank));
  }
  return messages;
}

std::string text_of(const Ranks& ranks, const SharedMessage& message) {
  if (message.end->by_others || message.ranks.front() == 0) {
    return message.end->message;
  }
  const auto names =
      message.ranks | std::views::transform([&](Index rank) { return ranks.name(rank); });
  return join(names, ", ") + ": " + message.end->message;
}

}  // namespace

Ranks& alone() {
  static Alone process;
  return process;
}

RankEnd end_of_all(const Ranks& ranks, std::span<const std::optional<RankEnd>> ends) {
  for (const bool by_others : {false, true}) {
    const std::vector<SharedMessage> messages = messages_of(ends, by_others);
    RankEnd end{.by_others = by_others};
    for (const SharedMessage& message : messages) {
      end.message += (end.message.empty() ? "" : "\nerror: ") + text_of(ranks, message);
    }
    if (!messages.empty()) {
      end.exit_code = messages.front().end->exit_code;
      return end;
    }
  }
  const auto failed =
      std::ranges::find_if(ends, [](const auto& end) { return end && end->exit_code != 0; });
  return {.exit_code = failed == ends.end() ? 0 : (*failed)->exit_code};
}

std::string error_line(const RankEnd& end) {
  return end.message.empty() ? "" : "error: " + printable(end.message) + "\n";
}

}  // namespace tapehead
