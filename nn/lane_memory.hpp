// The memory of lanes (Dai et al. 2019, section 3.2). A lane is a stream of text that a model reads
// window by window; what it remembers are the last rows before each layer.
#pragma once

#include <span>
#include <vector>

#include "core/sequence/batch.hpp"
#include "core/tape/tensor.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

class LaneMemory {
 public:
  struct Size {
    Index lanes;
    Index layers;
    Index rows;  // of each lane before each layer, at most
    Index d_model;
  };
  explicit LaneMemory(const Size& size);

  // The rows that are remembered of each sequence: the last ones of its lane. A lane that begins
  // (position 0) has none.
  Segments segments(const Tokens& tokens) const;

  // These rows before a layer, as they were at the last commit(): (R, D), tiled by segments().
  Tensor read(Index layer, const Tokens& tokens) const;

  // Keeps the last rows of what is remembered and of `x`, the sequences' own rows before the layer:
  // (N, D). Different lanes can be written at the same time.
  void write(Index layer, const Tokens& tokens, const Tensor& x);

  // From now on, read() gives what was written. Until then, a step can be repeated.
  void commit();

  // What read() gives: (lanes, layers, rows, D). A lane that has fewer rows has them at the end.
  Tensor& values() { return kept_; }
  const Tensor& values() const { return kept_; }
  // The same of a range of lanes, as written since the last commit(). Those that another process
  // has computed are written here, and marked.
  std::span<Scalar> written(Index first_lane, Index lanes);
  void mark_written(std::span<const Index> lanes);

  const Size& size() const { return size_; }
  Index numbers_of_lane() const { return size_.layers * size_.rows * size_.d_model; }

 private:
  Scalar* rows_of(Tensor& all, Index lane, Index layer) const;

  Size size_;
  Tensor kept_;
  Tensor written_;
  std::vector<char> is_written_;  // by lane
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION
