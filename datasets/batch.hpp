// A batch: the tokens of its examples laid end to end, without padding, as training and evaluation
// take them.
#pragma once

#include "core/pool_vector.hpp"
#include "core/segments.hpp"
#include "core/types.hpp"

namespace tapehead {

struct Batch {
  PoolVector<TokenId> source;         // the source tokens, each sequence closed by the end mark
  PoolVector<TokenId> target_input;   // begin mark, then the target: what the decoder sees
  PoolVector<TokenId> target_output;  // the target, then the end mark: what it should say
  Segments source_segments;
  Segments target_segments;
  PoolVector<Index> examples;  // each sequence's number in its split

  Index tokens() const { return static_cast<Index>(target_output.size()); }
  Index sequences() const { return static_cast<Index>(examples.size()); }
};

}  // namespace tapehead
