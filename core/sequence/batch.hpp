// A batch: the tokens of its sequences, end to end without padding, and the labels to predict.
// Segments state which rows form a sequence, and the position of its first row.
#pragma once

#include "core/memory/pool.hpp"

namespace tapehead {

// A run of consecutive rows that belong to one sequence.
struct Segment {
  Index row = 0;       // the first row in the matrix
  Index rows = 0;      // the number of rows; may be 0
  Index position = 0;  // the position of the first row in its sequence; may be negative
  Index prefix = 0;    // queries attend to all keys below this position, whatever the pattern says
};

// The sequences of a batch. Query segment i attends to key segment i. Query segments tile their
// matrix in order; key segments may overlap, leave gaps, and share rows.
struct Segments {
  PoolVector<Segment> list;
  Index first_row = 0;  // earlier rows of the training step: addresses random draws

  Index count() const { return static_cast<Index>(list.size()); }
  const Segment& operator[](Index i) const { return list[static_cast<std::size_t>(i)]; }
};

// Segments of the given lengths, laid end to end, each from position 0.
Segments segments_of(const std::vector<Index>& lengths);

// For each segment, at most `most` rows that precede it in its sequence, laid end to end.
Segments rows_before(const Segments& segments, Index most);

// For each sequence, the rows of `before` and then the rows of `after`, laid end to end.
Segments joined(const Segments& before, const Segments& after);

Index row_count(const Segments& segments);  // one past the last row that any segment holds
Index most_rows(const Segments& segments);  // of the longest segment; 0 without segments

// The position of each row of segments that tile their matrix.
std::vector<Index> positions(const Segments& segments);

struct Tokens {
  PoolVector<TokenId> ids;
  Segments segments;            // a segment for each sequence; it may be empty
  PoolVector<TokenId> types{};  // of each token; empty: all 0
  // The text stream that each sequence continues; segments then have positions in the stream.
  // Empty: sequences are independent.
  PoolVector<Index> lanes{};

  Index rows() const { return static_cast<Index>(ids.size()); }
};

// The labels that the model should predict at rows of the input.
struct Labels {
  bool every_row = true;     // false: only the rows in `rows` have a label
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

// The input of generation. Each sequence has a context for the encoder, as in a batch, and the
// first rows of the input.
struct Prompts {
  Tokens context;
  Tokens input;  // each sequence has at least one row

  Index sequences() const { return input.segments.count(); }
};

// Throws ShapeError if the parts do not match: numbers of sequences, rows of segments and tokens,
// types and tokens, lanes and sequences, or labels and rows.
void expect_whole(const Batch& batch);

}  // namespace tapehead
