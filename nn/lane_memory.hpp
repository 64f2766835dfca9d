// The memory of lanes (Dai et al. 2019, section 3.2). A lane is a stream of text that a model reads
// window by window; what it remembers are the last rows before each layer.
#pragma once

#include "core/sequence/batch.hpp"
#include "core/tape/tensor.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

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
  // (position 0) has none. Throws ShapeError for a lane that there is not.
  Segments segments(const Tokens& tokens) const;

  // These rows before a layer, as of the last commit(): (R, D), tiled by `past`, their segments().
  Tensor read(Index layer, const Tokens& tokens, const Segments& past) const;

  // Keeps the last rows of what is remembered and of `x`, the sequences' own rows before the layer:
  // (N, D). Different lanes can be written at the same time.
  void write(Index layer, const Tokens& tokens, const Segments& past, const Tensor& x);

  // From now on, read() gives what was written.
  void commit();
  // Forgets what was written, so that a step can be repeated.
  void discard();

  // What read() gives: (lanes, layers, rows, D). A lane that has fewer rows has them at the end.
  Tensor& committed() { return committed_; }
  const Tensor& committed() const { return committed_; }
  // What these lanes have written. Rows of another process are put here, and their lanes marked.
  std::span<Scalar> written(Index first_lane, Index lanes);
  void mark_written(std::span<const Index> lanes);

  const Size& size() const { return size_; }
  Index numbers_of_lane() const { return size_.layers * size_.rows * size_.d_model; }

 private:
  Size size_;
  Tensor committed_;
  Tensor written_;
  std::vector<char> is_written_;  // by lane
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
