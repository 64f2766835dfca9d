// Parts of a job that are computed by a team. Part i belongs to rank i % count.
#pragma once

#include <algorithm>
#include <exception>
#include <numeric>
#include <string>
#include <vector>

#include "core/ranks/sharing.hpp"
#include "train/evaluation/part_bytes.hpp"
#include "train/step/team.hpp"

namespace tapehead {

// The worker threads of the team.
inline Index threads_of(const Team& team) {
  const std::vector<Index> threads = share_values(team.ranks, team.workers.threads());
  return std::accumulate(threads.begin(), threads.end(), Index{0});
}

// Fills `parts`, of which each rank has its own, on every rank.
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
// the error of the first one, as throw_first() does.
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
