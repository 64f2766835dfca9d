// What a decoder keeps between the tokens of an output: keys and values that need no second
// computation.
#pragma once

#include <optional>
#include <vector>

#include "core/ops/attention.hpp"
#include "core/segments.hpp"
#include "core/tensor.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// What queries meet: the keys' and the values' columns.
struct KeysAndValues {
  HeadColumns key;
  HeadColumns value;
};

// Keys and values of one self-attention: a slot of `capacity` rows for each hypothesis, filled from
// the front.
struct SelfCache {
  Tensor rows;  // (slots * capacity, keys and values)
};

struct LayerCache {
  SelfCache self;
  std::optional<KeysAndValues> cross;  // of the source, made once
};

struct DecoderCache {
  std::vector<LayerCache> layers;
  Segments
      slots;  // for each query segment: the rows that will be filled once its new tokens are in
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION
