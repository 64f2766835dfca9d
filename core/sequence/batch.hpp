// A batch: the tokens of its sequences laid end to end, without padding, and what the model is to
// say of them.
#pragma once

#include "core/memory/pool_vector.hpp"
#include "core/sequence/segments.hpp"
#include "core/types.hpp"

namespace tapehead {

struct Tokens {
  PoolVector<TokenId> ids;
  Segments segments;  // a segment for each sequence; it may be empty

  Index rows() const { return static_cast<Index>(ids.size()); }
};

// What the model should say at rows of its input.
struct Labels {
  bool every_row = true;     // false: those in `rows` alone
  PoolVector<Index> rows{};  // increasing; empty where every row has a label
  PoolVector<TokenId> ids{};

  Index count() const { return static_cast<Index>(ids.size()); }
};

struct Batch {
  Tokens context;  // what an encoder reads beside the input; without one, empty segments
  Tokens input;    // what the model says something about, row by row
  Labels labels;
  PoolVector<Index> examples;  // each sequence's number in its split

  Index sequences() const { return static_cast<Index>(examples.size()); }
};

// Throws ShapeError where the parts do not go together: other numbers of sequences, segments of
// other rows than there are tokens, labels of rows that there are not.
void expect_whole(const Batch& batch);

}  // namespace tapehead
