// A batch: the tokens of its sequences, end to end without padding, and the labels to predict.
#pragma once

#include "core/memory/pool.hpp"
#include "core/sequence/segments.hpp"

namespace tapehead {

struct Tokens {
  PoolVector<TokenId> ids;
  Segments segments;            // a segment for each sequence; it may be empty
  PoolVector<TokenId> types{};  // of each token; empty: all 0
  // The stream of text that each sequence goes on with, in which segments then have their
  // positions. Empty: sequences are by themselves.
  PoolVector<Index> lanes{};

  Index rows() const { return static_cast<Index>(ids.size()); }
};

// The labels that the model should predict at rows of its input.
struct Labels {
  bool every_row = true;     // false: only those in `rows` have a label
  PoolVector<Index> rows{};  // increasing; empty where every row has a label
  PoolVector<TokenId> ids{};

  Index count() const { return static_cast<Index>(ids.size()); }
};

struct Batch {
  Tokens context;  // what an encoder reads; without an encoder, empty segments
  Tokens input;    // the rows for which the model predicts a token
  Labels labels;
  PoolVector<Index> examples;  // each sequence's number in its split

  Index sequences() const { return static_cast<Index>(examples.size()); }
};

// What a model reads before it writes, for each sequence: a context for the encoder, as in a batch,
// and the first rows of the input.
struct Prompts {
  Tokens context;
  Tokens input;  // each sequence has one row at least

  Index sequences() const { return input.segments.count(); }
};

// Throws ShapeError if the parts do not match: numbers of sequences, rows of segments and tokens,
// types and tokens, lanes and sequences, or labels and rows.
void expect_whole(const Batch& batch);

}  // namespace tapehead
