// What is kept of the rows of a pass for later ones to attend to: keys and values in decoding, and
// the memory of lanes in streams of text.
#pragma once

#include "core/ops/attention/attention.hpp"
#include "core/sequence/batch.hpp"
#include "core/tape/tensor.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The cache of decoding: the projected keys and values of all rows so far, which are not computed
// again. They are constants.

// The columns of the keys and of the values that queries attend to.
struct KeysAndValues {
  HeadColumns key;
  HeadColumns value;
};

struct LayerCache {
  Tensor rows;                           // for self-attention: (rows of all slots, keys and values)
  std::optional<KeysAndValues> context;  // for cross-attention, made once
};

// A slot holds the rows of one sequence. Each slot has its own length, so sequences of different
// lengths can be decoded together.
class KeyValueCache {
 public:
  // `columns`: the width of a row in the self-attention of each layer. No slot may become longer
  // than `longest` rows. Memory is allocated as the slots grow.
  KeyValueCache(const std::vector<Index>& columns, Index slots, Index longest);

  // Announces that the rows of segment i will be appended to slot slots[i]. Throws ShapeError if a
  // segment's position is not the slot's length, or if the slot would become too long.
  void extend(std::span<const Index> slots, const Segments& segments);

  // After extend(): the rows of each segment's slot, with the new ones at its end, as keys.
  const Segments& keys() const { return keys_; }

  void copy(Index from, Index to);  // overwrites slot `to` with slot `from`
  void clear(Index slot);           // removes the slot's rows
  // Removes rows, until the first `sinks` and the last `keep` are left. Behind sinks, the rows that
  // are left count their positions on from them.
  void forget(Index slot, Index keep, Index sinks = 0);
  void release(Index slot);  // frees a slot that is no longer used

  // The position of the row that comes next.
  Index next_position(Index slot) const {
    const Slot& of = slots_[static_cast<std::size_t>(slot)];
    return of.position + of.length;
  }
  Tensor rows(std::size_t layer, Index slot) const;  // a view
  Index length(Index slot) const { return slots_[static_cast<std::size_t>(slot)].length; }
  LayerCache& layer(std::size_t i) { return layers_[i]; }

 private:
  struct Slot {
    Index first = 0;  // row
    Index length = 0;
    Index position = 0;  // of the first row
    bool used = true;
  };
  void grow(Index rows);

  std::vector<LayerCache> layers_;
  std::vector<Slot> slots_;
  Index longest_;
  Index capacity_ = 0;  // rows of each slot
  Segments keys_;
};

// The memory of lanes (Dai et al. 2019, section 3.2). A lane is a stream of text that a model reads
// window by window; what it remembers are the last rows before each layer.

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
