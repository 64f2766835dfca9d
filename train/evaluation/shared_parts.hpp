// Parts of a job that are computed on all ranks. Part i belongs to rank i % count.
#pragma once

#include <exception>
#include <span>
#include <string>
#include <vector>

#include "core/kernel/workers.hpp"
#include "core/ranks/ranks.hpp"
#include "core/ranks/sharing.hpp"
#include "train/evaluation/part_bytes.hpp"

namespace tapehead {

// The worker threads of all ranks together.
Index threads_of_all(const Workers& workers, Ranks& ranks);

// Throws, on every rank, the error of the first part that failed on any rank, as throw_first()
// does. `errors`: those of this rank's parts, by part.
void throw_first_error(std::span<const std::exception_ptr> errors, Ranks& ranks);

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

// The results compute(0) ... compute(count - 1), on every rank.
template <class T, class Compute>
std::vector<T> compute_parts(Index count, const Compute& compute, Workers& workers, Ranks& ranks) {
  const Index step = ranks.count();
  const Index first = ranks.rank();
  std::vector<T> parts(static_cast<std::size_t>(count));
  std::vector<std::exception_ptr> errors(parts.size());
  workers.run((count - first + step - 1) / step, [&](Index i) {
    const Index part = first + i * step;
    const auto k = static_cast<std::size_t>(part);
    try {
      parts[k] = compute(part);
    } catch (...) {
      errors[k] = std::current_exception();
    }
  });
  throw_first_error(errors, ranks);
  if (step > 1) {
    share_parts_of_ranks(parts, ranks);
  }
  return parts;
}

}  // namespace tapehead
