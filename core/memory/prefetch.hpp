// Prefetching: loads numbers into the cache while others are processed.
#pragma once

#include "core/scalar.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

constexpr Index cache_line = 64 / sizeof(Scalar);

// Requests the cache lines of `count` numbers from `from` on. Level 3 is the first-level cache.
template <int ForWriting, int Level>
inline void prefetch_lines(const Scalar* from, Index count) {
  for (Index i = 0; i < count; i += cache_line) {
    __builtin_prefetch(from + i, ForWriting, Level);
  }
}

// Numbers that are needed soon, into the second-level cache.
inline void prefetch(const Scalar* from, Index count) { prefetch_lines<0, 2>(from, count); }

// Numbers that are about to be read, into the first-level cache.
inline void prefetch_to_read(const Scalar* from, Index count) { prefetch_lines<0, 3>(from, count); }

// Lines for numbers that are about to be written, into the first-level cache.
inline void prefetch_to_write(const Scalar* from, Index count) {
  prefetch_lines<1, 3>(from, count);
}

// The first number in the cache line of `number`.
inline const Scalar* line_of(const Scalar* number) {
  return number - reinterpret_cast<std::uintptr_t>(number) / sizeof(Scalar) % cache_line;
}

// Rows of numbers in memory.
struct StoredRows {
  const Scalar* data = nullptr;
  Index stride = 0;
  Index rows = 0;
  Index columns = 0;

  const Scalar* row(Index i) const { return data + i * stride; }
  StoredRows part(Index begin, Index end) const {
    return {row(begin), stride, end - begin, columns};
  }
  // The number of cache lines; an upper bound if rows may begin anywhere in a line.
  Index lines() const {
    const Index before = stride % cache_line == 0 ? data - line_of(data) : cache_line - 1;
    return rows * ((before + columns + cache_line - 1) / cache_line);
  }
};

// Prefetches matrices that are needed next, a few cache lines at a time, during other work. A core
// can wait for a few dozen lines at once, and stalls if it requests more.
class Prefetcher {
 public:
  using Matrices = std::array<StoredRows, 4>;  // entries without rows are ignored

  // Where the next product writes, with the same stride as the current product; null: unknown.
  const Scalar* next_result = nullptr;

  // Everything is requested after `calls` calls of `some`; calls: 1 or more.
  Prefetcher(const Matrices& matrices, Index calls) : matrices_(matrices) {
    Index lines = 0;
    for (const StoredRows& matrix : matrices) {
      lines += matrix.lines();
    }
    lines_at_once_ = (lines + calls - 1) / calls;
    start_row();
  }

  void some() {
    for (Index left = lines_at_once_; left > 0; --left) {
      const Scalar* line = next();
      if (line == nullptr) {
        return;
      }
      prefetch(line, 1);
    }
  }

  // The next line, which the caller must request; null if there are no more.
  const Scalar* next() {
    if (at_ == matrices_.size()) {
      return nullptr;
    }
    const Scalar* line = std::exchange(line_, line_ + cache_line);
    StoredRows& now = matrices_[at_];
    if (line_ >= now.data + now.columns) {
      now = now.part(1, now.rows);
      start_row();
    }
    return line;
  }

 private:
  void start_row() {
    while (at_ < matrices_.size() && matrices_[at_].rows == 0) {
      ++at_;
    }
    line_ = at_ < matrices_.size() ? line_of(matrices_[at_].data) : nullptr;
  }

  Matrices matrices_;
  std::size_t at_ = 0;
  Index lines_at_once_;
  const Scalar* line_ = nullptr;
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
