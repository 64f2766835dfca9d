// Rows that are kept for later passes: keys and values for decoding, and the memory of lanes.
#pragma once

#include "core/ops/attention/attention.hpp"
#include "core/sequence/batch.hpp"
#include "core/tape/tensor.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct KeysAndValues {
  HeadColumns key;
  HeadColumns value;
};

struct LayerCache {
  Tensor rows;                           // for self-attention: (rows of all slots, keys and values)
  std::optional<KeysAndValues> context;  // for cross-attention, computed once
};

// Stores the projected keys and values of earlier rows, as constants, for decoding. A slot holds
// the rows of one sequence. Slots may differ in length, so any sequences can be decoded together.
class KeyValueCache {
 public:
  // `columns`: the width of a row in the self-attention of each layer. No slot may become longer
  // than `longest` rows. Memory is allocated as the slots grow.
  KeyValueCache(const std::vector<Index>& columns, Index slots, Index longest);

  // Announces that the rows of segment i will be appended to slot slots[i]. Throws ShapeError if a
  // segment's position is not the slot's length, or if the slot would become too long.
  void extend(std::span<const Index> slots, const Segments& segments);

  // After extend(): the rows of each segment's slot as key segments; the new rows are at the end.
  const Segments& keys() const { return keys_; }

  void copy(Index from, Index to);  // overwrites slot `to` with slot `from`
  void clear(Index slot);           // removes the slot's rows
  // Removes all rows but the first `sinks` and the last `keep`. If there are sinks, the last rows
  // get the positions that directly follow the sinks.
  void forget(Index slot, Index keep, Index sinks = 0);
  void release(Index slot);  // frees a slot that is no longer used

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
// window by window. The memory holds the last rows of each lane before each layer.
class LaneMemory {
 public:
  struct Size {
    Index lanes;
    Index layers;
    Index rows;  // at most, of each lane before each layer
    Index d_model;
  };
  explicit LaneMemory(const Size& size);

  // The remembered rows of each sequence: the last rows of its lane, none if the lane begins
  // (position 0). Throws ShapeError for a lane that does not exist.
  Segments segments(const Tokens& tokens) const;

  // The remembered rows before a layer, as of the last commit(): (R, D), tiled by `past`.
  Tensor read(Index layer, const Tokens& tokens, const Segments& past) const;

  // Stores the last rows of the remembered rows followed by `x`: (N, D), the sequences' own rows
  // before the layer. Several threads may write different lanes at once.
  void write(Index layer, const Tokens& tokens, const Segments& past, const Tensor& x);

  // Makes read() return the written rows.
  void commit();
  // Drops the written rows, so that a step can be repeated.
  void discard();

  // The rows for read(): (lanes, layers, rows, D). If a lane has fewer rows, they are at the end.
  Tensor& committed() { return committed_; }
  const Tensor& committed() const { return committed_; }
  // The written rows of these lanes. Rows from other processes are copied here and then marked.
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
