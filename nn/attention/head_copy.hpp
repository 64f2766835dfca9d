// Weights of the heads that stay, from an attention to one with fewer heads.
#pragma once

#include <vector>

#include "core/tape/parameters.hpp"
#include "nn/attention/spec.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// By their numbers in the larger attention, in order.
struct KeptHeads {
  std::vector<Index> heads;
  std::vector<Index> key_heads;  // those of keys and values that still serve a head
};
KeptHeads kept_heads(const AttentionSpec& spec, std::vector<Index> heads);

class HeadCopy {
 public:
  HeadCopy(const ParameterStore& from, ParameterStore& to);

  // The chunk of number which[i] of the one becomes chunk i of the other; in each of `rows` rows.
  struct Chunks {
    const std::vector<Index>& which;
    Index size;
    Index rows = 1;
    Index from_first = 0;  // where chunk 0 begins
    Index to_first = 0;
  };
  void chunks(const Parameter& from, const Parameter& to, const Chunks& chunks);

  void whole(const Parameter& from, const Parameter& to);

  // All that was not copied yet, as it is, by name. Throws logic_error for a parameter of another
  // shape: its part of the attention has not said what of it stays.
  void rest();

 private:
  const ParameterStore& from_;
  ParameterStore& to_;
  std::vector<bool> copied_;  // by block of the smaller
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION
