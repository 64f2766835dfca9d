// Sharing: what every rank knows after an exchange in which all take part, and errors that all
// ranks throw alike, so that none waits for another.
#pragma once

#include <cstddef>
#include <cstring>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/kernel/cpu.hpp"
#include "core/ranks/ranks.hpp"

namespace tapehead {

// Fills `all`, of which each rank has its part: that of rank r begins at begins[r] and ends at
// begins[r + 1]. There is one more begin than there are ranks.
void share_parts(Ranks& ranks, std::span<std::byte> all, std::span<const Index> begins);

// The texts of all ranks, by rank.
std::vector<std::string> share_texts(Ranks& ranks, std::string_view mine);

// The bytes of rank 0, which the others write into theirs.
void copy_from_first(Ranks& ranks, std::span<std::byte> bytes);

// The text of rank 0.
std::string text_of_first(Ranks& ranks, std::string_view mine);

// The values of all ranks, by rank.
template <class T>
  requires std::is_trivially_copyable_v<T>
std::vector<T> share_values(Ranks& ranks, const T& mine) {
  const auto count = static_cast<std::size_t>(ranks.count());
  std::vector<T> all(count);
  all[static_cast<std::size_t>(ranks.rank())] = mine;
  std::vector<Index> begins;
  for (std::size_t i = 0; i <= count; ++i) {
    begins.push_back(static_cast<Index>(i * sizeof(T)));
  }
  share_parts(ranks, std::as_writable_bytes(std::span(all)), begins);
  return all;
}

// The value of rank 0, which decides.
template <class T>
  requires std::is_trivially_copyable_v<T>
T value_of_first(Ranks& ranks, T mine) {
  copy_from_first(ranks, std::as_writable_bytes(std::span(&mine, 1)));
  return mine;
}

// Throws on every rank, if at least one has an error: that of the smallest `place`, and of the
// smallest rank among those of one place. The rank that has it throws it itself. On the others a
// NumericError is one with the same message, since it is a result. Any other error is a fault of
// its rank, so it becomes a RankError that names the rank. `error`: null if this rank has none.
void throw_first(Ranks& ranks, const std::exception_ptr& error, Index place);

// Does the work of this rank. If it throws on some rank, every rank throws the error that a process
// alone would meet first, because `place` counts how far a rank has come in what all ranks do, and
// within a place the ranks' work is in the order of the ranks.
template <class Work>
void on_all_ranks(Ranks& ranks, const Index& place, const Work& work) {
  std::exception_ptr error;
  try {
    work();
  } catch (...) {
    error = std::current_exception();
  }
  throw_first(ranks, error, place);
}

// How many worker threads a rank has unless the user says: its part of the cores of its machine.

// For this process as one of the ranks that may use the same cores of the same machine. All ranks
// must call it together.
ThreadCount default_thread_count(Ranks& ranks);

}  // namespace tapehead
