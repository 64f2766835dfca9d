// What decoding keeps from token to token: the projected keys and values of all rows so far, which
// need no second computation. They are constants.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/ops/attention/attention.hpp"
#include "core/sequence/segments.hpp"
#include "core/tape/tensor.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// What queries meet: the keys' and the values' columns.
struct KeysAndValues {
  HeadColumns key;
  HeadColumns value;
};

struct LayerCache {
  Tensor rows;  // of the self-attention: (rows of all slots, keys and values)
  std::optional<KeysAndValues> context;  // of the cross-attention, made once
};

// A slot holds the rows of one sequence. Each has a length of its own, so that sequences of
// different lengths go on together.
class KeyValueCache {
 public:
  // `columns`: how wide a row of each layer's self-attention is. No slot may become longer than
  // `longest` rows; memory is taken as they grow.
  KeyValueCache(const std::vector<Index>& columns, Index slots, Index longest);

  // The rows of segment i are about to join slot slots[i], at its end. Throws ShapeError where a
  // segment's position is not the slot's length, or the slot would become too long.
  void extend(std::span<const Index> slots, const Segments& segments);

  // After extend(): the rows of each segment's slot, its new ones last, as segments of keys.
  const Segments& keys() const { return keys_; }

  void copy(Index from, Index to);  // a slot, over another
  void release(Index slot);         // one that is not used any more

  Index length(Index slot) const { return slots_[static_cast<std::size_t>(slot)].length; }
  LayerCache& layer(std::size_t i) { return layers_[i]; }

 private:
  struct Slot {
    Index first = 0;  // row
    Index length = 0;
    bool used = true;
  };
  void grow(Index rows);

  std::vector<LayerCache> layers_;
  std::vector<Slot> slots_;
  Index longest_;
  Index capacity_ = 0;  // rows of each slot that is used
  Segments keys_;
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION
