// The options of decoding, a hypothesis, which is one output, and the beam of one source sentence:
// its open hypotheses, and its finished hypotheses so far.
#pragma once

#include <limits>
#include <vector>

#include "nn/transformer/best_tokens.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct DecodingOptions {
  Index beam = 1;             // 1: greedy
  double length_penalty = 1;  // a hypothesis is ranked by log-probability / length^this
  // An output has at most this many tokens more than its source, with one mark.
  Index max_extra_length = 50;
  Index max_length = std::numeric_limits<Index>::max();  // of any output, whatever the source
  // Rows that a prompt and its output may have, the last token apart; or the model's positions.
  Index context = std::numeric_limits<Index>::max();
  Index best = 1;                 // outputs wanted for each source, at most `beam`
  bool scores = true;             // false: not needed; greedy search then leaves them at 0
  std::vector<TokenId> never{1};  // are never written
  TokenId end = 2;                // -1: none, so every output has the maximum length
};

struct Hypothesis {
  std::vector<TokenId> tokens;  // without marks
  double log_probability = 0;   // of all tokens, including the end mark if there is one
  double score = 0;
  bool ended = true;  // with an end mark; false: at the greatest length
};

// One way to continue: an open hypothesis, its next token, and the log-probability with it.
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
    Index slot = 0;  // among the beam's slots in the decoder's cache
  };

  Beam(const DecodingOptions& options, Index max_length);

  bool done() const { return open_.empty(); }
  const std::vector<Open>& open() const { return open_; }

  // The best continuations of all open hypotheses, best first, at most `beam` of them. The
  // candidates for their next tokens are the rows of `next` from `first_row` on; those that are
  // never written are passed over.
  std::vector<Continuation> continuations(const BestTokens& next, Index first_row) const;

  // Takes the `beam` best continuations. Those that end are finished; the others become the open
  // hypotheses. If several have the same parent, the first one stays in its slot; for each of the
  // others the caller must copy slot `from` to slot `to`.
  struct SlotCopy {
    Index from;
    Index to;
  };
  std::vector<SlotCopy> advance(const std::vector<Continuation>& best);

  // The finished hypotheses, best first. If there are fewer than wanted, also those that were cut
  // off at the maximum length.
  std::vector<Hypothesis> results() const;

 private:
  void finish(const Open& parent, double log_probability, Index length, bool ended);
  void close_if_settled();
  double score(double log_probability, Index length) const;

  DecodingOptions options_;
  Index max_length_;
  std::vector<Open> open_;
  std::vector<Hypothesis> finished_;
  std::vector<Index> slots_;  // all slots of the beam, as many as it is wide
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
