// Parts of a job that are computed by the workers of all ranks. Part i belongs to rank i % count.
#pragma once

#include <exception>
#include <span>
#include <string>
#include <vector>

#include "core/kernel/workers.hpp"
#include "core/ranks/sharing.hpp"
#include "train/evaluation/part_bytes.hpp"

namespace tapehead {

// The workers of all ranks together; those of this process if it works alone.
class Team {
 public:
  // Both must outlive it.
  Team(Workers& workers, Ranks& ranks = alone()) : workers_(workers), ranks_(ranks) {}

  Workers& own() const { return workers_; }
  Index threads() const;  // of all

  // The results compute(0) ... compute(count - 1), on every rank. Throws, on every rank, the error
  // of the first part that failed on any rank, as throw_first() does.
  template <class T, class Compute>
  std::vector<T> compute_parts(Index count, const Compute& compute) const;

 private:
  void throw_first_error(std::span<const std::exception_ptr> errors) const;  // by part
  template <class T>
  void share(std::vector<T>& parts) const;

  Workers& workers_;
  Ranks& ranks_;
};

template <class T, class Compute>
std::vector<T> Team::compute_parts(Index count, const Compute& compute) const {
  const Index step = ranks_.count();
  const Index first = ranks_.rank();
  std::vector<T> parts(static_cast<std::size_t>(count));
  std::vector<std::exception_ptr> errors(parts.size());
  workers_.run((count - first + step - 1) / step, [&](Index i) {
    const Index part = first + i * step;
    const auto k = static_cast<std::size_t>(part);
    try {
      parts[k] = compute(part);
    } catch (...) {
      errors[k] = std::current_exception();
    }
  });
  throw_first_error(errors);
  if (step > 1) {
    share(parts);
  }
  return parts;
}

// Fills `parts`, of which each rank has its own, on every rank.
template <class T>
void Team::share(std::vector<T>& parts) const {
  const auto own = static_cast<std::size_t>(ranks_.rank());
  const auto count = static_cast<std::size_t>(ranks_.count());
  ByteWriter writer;
  for (std::size_t part = own; part < parts.size(); part += count) {
    writer(parts[part]);
  }
  const std::vector<std::string> texts = share_texts(ranks_, writer.written());
  for (std::size_t rank = 0; rank < count; ++rank) {
    ByteReader reader(texts[rank]);
    for (std::size_t part = rank; rank != own && part < parts.size(); part += count) {
      reader(parts[part]);
    }
  }
}

}  // namespace tapehead
