#include "core/ranks/sharing.hpp"

namespace tapehead {

void share_parts(Ranks& ranks, std::span<std::byte> all, std::span<const Index> begins) {
  const auto part_of = [&](Index rank) {
    const auto begin = static_cast<std::size_t>(begins[static_cast<std::size_t>(rank)]);
    return all.subspan(
        begin, static_cast<std::size_t>(begins[static_cast<std::size_t>(rank) + 1]) - begin);
  };
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  for (Index other = 0; other < ranks.count(); ++other) {
    if (other == ranks.rank()) {
      continue;
    }
    if (!part_of(ranks.rank()).empty()) {
      outgoing.push_back({.to = other, .bytes = part_of(ranks.rank())});
    }
    if (!part_of(other).empty()) {
      incoming.push_back({.from = other, .bytes = part_of(other)});
    }
  }
  ranks.exchange(outgoing, incoming);
}

std::vector<std::string> share_texts(Ranks& ranks, std::string_view mine) {
  const std::vector<std::size_t> sizes = share_values(ranks, mine.size());
  std::vector<Index> begins{0};
  for (const std::size_t size : sizes) {
    begins.push_back(begins.back() + static_cast<Index>(size));
  }
  std::string all(static_cast<std::size_t>(begins.back()), '\0');
  const auto begin_of = [&](std::size_t rank) { return static_cast<std::size_t>(begins[rank]); };
  all.replace(begin_of(static_cast<std::size_t>(ranks.rank())), mine.size(), mine);
  share_parts(ranks, std::as_writable_bytes(std::span(all)), begins);
  std::vector<std::string> texts;
  for (std::size_t rank = 0; rank < sizes.size(); ++rank) {
    texts.push_back(all.substr(begin_of(rank), sizes[rank]));
  }
  return texts;
}

void copy_from_first(Ranks& ranks, std::span<std::byte> bytes) {
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  if (bytes.empty()) {
    return;
  }
  if (!ranks.first()) {
    incoming.push_back({.from = 0, .bytes = bytes});
  }
  for (Index other = 1; ranks.first() && other < ranks.count(); ++other) {
    outgoing.push_back({.to = other, .bytes = bytes});
  }
  ranks.exchange(outgoing, incoming);
}

std::string text_of_first(Ranks& ranks, std::string_view mine) {
  std::string text(mine);
  text.resize(value_of_first(ranks, text.size()));
  copy_from_first(ranks, std::as_writable_bytes(std::span(text)));
  return text;
}

}  // namespace tapehead
