// What is needed next, asked for a few cache lines at a time while something else is worked on: a
// core waits for no more than some dozen lines at once, and stands still when it asks for more.
#pragma once

#include <utility>

#include "core/prefetch.hpp"
#include "core/scalar.hpp"
#include "core/types.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// Rows of numbers as they lie in memory.
struct StoredRows {
  const Scalar* data = nullptr;
  Index stride = 0;
  Index rows = 0;
  Index columns = 0;

  StoredRows part(Index begin, Index end) const {
    return {data + begin * stride, stride, end - begin, columns};
  }
  Index lines() const { return rows * ((columns + cache_line - 1) / cache_line); }
};

class Prefetcher {
 public:
  // Everything has been asked for after so many calls of `some`.
  Prefetcher(const StoredRows& first, const StoredRows& second, Index calls)
      : now_(first),
        then_(second),
        lines_at_once_((first.lines() + second.lines() + calls - 1) / calls) {}

  void some() {
    for (Index left = lines_at_once_; left > 0; --left) {
      if (now_.rows == 0) {
        now_ = std::exchange(then_, {});
      }
      if (now_.rows == 0) {
        return;
      }
      prefetch(now_.data + column_, 1);
      column_ += cache_line;
      if (column_ >= now_.columns) {
        column_ = 0;
        now_ = now_.part(1, now_.rows);
      }
    }
  }

 private:
  StoredRows now_;
  StoredRows then_;
  Index lines_at_once_;
  Index column_ = 0;
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION
