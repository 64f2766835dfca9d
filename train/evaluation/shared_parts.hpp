// Computes the parts of a job with a team of ranks. Rank i % count computes part i.
#pragma once

#include "core/ranks/ranks.hpp"

namespace tapehead {

// Writes the bytes of `value` to `bytes`, or reads them from it. A trivially copyable type is
// copied as it is in memory; strings and vectors are visited value by value. Any other class has a
// function `serialize(bytes, value)`, found by its type, that calls `bytes(...)` with its members.
template <class Bytes, class T>
void visit_bytes(Bytes& bytes, T& value) {
  if constexpr (std::is_trivially_copyable_v<T>) {
    bytes.visit(std::as_writable_bytes(std::span(&value, 1)));
  } else if constexpr (std::ranges::contiguous_range<T>) {
    std::size_t size = value.size();
    bytes(size);
    value.resize(size);
    if constexpr (std::is_trivially_copyable_v<typename T::value_type>) {
      bytes.visit(std::as_writable_bytes(std::span(value.data(), size)));
    } else {
      for (auto& one : value) {
        bytes(one);
      }
    }
  } else {
    serialize(bytes, value);
  }
}

class ByteWriter {
 public:
  void operator()(auto&... values) { (visit_bytes(*this, values), ...); }
  void visit(std::span<const std::byte> from) {
    written_.append(reinterpret_cast<const char*>(from.data()), from.size());
  }

  const std::string& written() const { return written_; }

 private:
  std::string written_;
};

// Reads what a ByteWriter wrote, in the same order. Throws RankError if there are too few bytes.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : left_(bytes) {}

  void operator()(auto&... values) { (visit_bytes(*this, values), ...); }
  void visit(std::span<std::byte> to) {
    if (to.size() > left_.size()) {
      throw RankError("another rank sent fewer bytes than its results have");
    }
    std::ranges::copy(std::as_bytes(std::span(left_.substr(0, to.size()))), to.begin());
    left_.remove_prefix(to.size());
  }

 private:
  std::string_view left_;
};

// The number of worker threads of all ranks.
inline Index threads_of(const Team& team) {
  const std::vector<Index> threads = share_values(team.ranks, team.workers.threads());
  return std::accumulate(threads.begin(), threads.end(), Index{0});
}

// Gives every rank all parts. Before the call, a rank has only the parts that it computed.
template <class T>
void share_parts_of_ranks(std::vector<T>& parts, Ranks& ranks) {
  const auto own = static_cast<std::size_t>(ranks.rank());
  const auto count = static_cast<std::size_t>(ranks.count());
  ByteWriter writer;
  for (std::size_t part = own; part < parts.size(); part += count) {
    writer(parts[part]);
  }
  const std::vector<std::string> texts = share_texts(ranks, writer.written());
  for (std::size_t rank = 0; rank < count; ++rank) {
    ByteReader reader(texts[rank]);
    for (std::size_t part = rank; rank != own && part < parts.size(); part += count) {
      reader(parts[part]);
    }
  }
}

// The results compute(0) ... compute(count - 1), on every rank. If parts fail, every rank throws
// the error of the first failed part, as throw_first() does.
template <class T, class Compute>
std::vector<T> compute_parts(Index count, const Compute& compute, const Team& team) {
  const Index step = team.ranks.count();
  const Index first = team.ranks.rank();
  std::vector<T> parts(static_cast<std::size_t>(count));
  std::vector<std::exception_ptr> errors(parts.size());
  team.workers.run((count - first + step - 1) / step, [&](Index i) {
    const Index part = first + i * step;
    const auto k = static_cast<std::size_t>(part);
    try {
      parts[k] = compute(part);
    } catch (...) {
      errors[k] = std::current_exception();
    }
  });
  const auto error = std::ranges::find_if(errors, [](const auto& one) { return one != nullptr; });
  throw_first(team.ranks, error == errors.end() ? nullptr : *error, error - errors.begin());
  if (step > 1) {
    share_parts_of_ranks(parts, team.ranks);
  }
  return parts;
}

}  // namespace tapehead
