// The cache of decoding: the projected keys and values of all rows so far, which are not computed
// again. They are constants.
#pragma once

#include "core/ops/attention/attention.hpp"
#include "core/sequence/segments.hpp"
#include "core/tape/tensor.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

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

}}  // namespace tapehead::TAPEHEAD_PRECISION
