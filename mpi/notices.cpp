#include "mpi/notices.hpp"

namespace tapehead {

namespace {

// A notice begins with these bytes; after an end, the message follows.
struct Header {
  enum class Kind : int { question, answer, end };
  Kind kind;
  int number;     // of the question, or the exit code
  int by_others;  // RankEnd::by_others
};

// So that libraries send every notice at once, whether or not the other rank is there.
constexpr std::size_t longest_message = 2000;

std::string encode(const Header& header, std::string_view message = {}) {
  std::string text(sizeof header, '\0');
  std::memcpy(text.data(), &header, sizeof header);
  return text.append(message.substr(0, longest_message));
}

Header header_of(const std::string& text) {
  Header header{};
  std::memcpy(&header, text.data(), sizeof header);
  return header;
}

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
  const Header header = header_of(notice.text);
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
  mine.message.resize(std::min(mine.message.size(), longest_message));  // as others have it
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

}  // namespace tapehead
