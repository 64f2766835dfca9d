// The beam of one source sentence: its open hypotheses, and the finished ones so far.
#pragma once

#include <vector>

#include "nn/generation/decoding_options.hpp"
#include "nn/transformer/best_tokens.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// One way to go on: which open hypothesis, with which token, and the log-probability then.
struct Continuation {
  Index parent;
  TokenId token;
  double log_probability;
};

class Beam {
 public:
  struct Open {
    std::vector<TokenId> tokens;
    double log_probability = 0;
    Index slot = 0;  // of those that the beam has in the decoder's cache
  };

  Beam(const DecodingOptions& options, Index max_length);

  bool done() const { return open_.empty(); }
  const std::vector<Open>& open() const { return open_; }

  // The continuations of all open hypotheses, whose next tokens are those of rows `first_row` and
  // on, best first: at most `beam` of them.
  std::vector<Continuation> continuations(const BestTokens& next, Index first_row) const;

  // Takes the `beam` best continuations: those that end are finished, the others are the next open
  // hypotheses. Of those that share a parent the first stays in its slot; for the others the caller
  // must copy `from` to `to`.
  struct SlotCopy {
    Index from;
    Index to;
  };
  std::vector<SlotCopy> advance(const std::vector<Continuation>& best);

  // The finished hypotheses, best first; also those cut off at the longest length where fewer have
  // finished than are wanted.
  std::vector<Hypothesis> results() const;

 private:
  void finish(const Open& parent, double log_probability, Index length);
  void close_if_settled();
  double score(double log_probability, Index length) const;

  DecodingOptions options_;
  Index max_length_;
  std::vector<Open> open_;
  std::vector<Hypothesis> finished_;
  std::vector<Index> slots_;  // all that there are: as many as the beam is wide
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION
