// What is needed next, asked for a few cache lines at a time while something else is worked on: a
// core waits for no more than some dozen lines at once, and stands still when it asks for more.
#pragma once

#include <cstdint>
#include <utility>

#include "core/prefetch.hpp"
#include "core/scalar.hpp"
#include "core/types.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// The first number of the cache line that a number lies in.
inline const Scalar* line_of(const Scalar* number) {
  return number - reinterpret_cast<std::uintptr_t>(number) / sizeof(Scalar) % cache_line;
}

// Rows of numbers as they lie in memory.
struct StoredRows {
  const Scalar* data = nullptr;
  Index stride = 0;
  Index rows = 0;
  Index columns = 0;

  StoredRows part(Index begin, Index end) const {
    return {data + begin * stride, stride, end - begin, columns};
  }
  // Of the cache; where rows begin anywhere in a line, as many as there can be.
  Index lines() const {
    const Index before = stride % cache_line == 0 ? data - line_of(data) : cache_line - 1;
    return rows * ((before + columns + cache_line - 1) / cache_line);
  }
};

class Prefetcher {
 public:
  // Everything has been asked for after so many calls of `some`, at least one.
  Prefetcher(const StoredRows& first, const StoredRows& second, Index calls)
      : now_(first),
        then_(second),
        lines_at_once_((first.lines() + second.lines() + calls - 1) / calls) {
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

  // The next line, to be asked for by the caller; null when there are no more.
  const Scalar* next() {
    if (now_.rows == 0) {
      return nullptr;
    }
    const Scalar* line = std::exchange(line_, line_ + cache_line);
    if (line_ >= now_.data + now_.columns) {
      now_ = now_.part(1, now_.rows);
      start_row();
    }
    return line;
  }

 private:
  void start_row() {
    if (now_.rows == 0) {
      now_ = std::exchange(then_, {});
    }
    line_ = line_of(now_.data);
  }

  StoredRows now_;
  StoredRows then_;
  Index lines_at_once_;
  const Scalar* line_ = nullptr;
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION
