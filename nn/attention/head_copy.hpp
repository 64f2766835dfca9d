// Copies the weights of the heads that are kept, from an attention to one with fewer heads.
#pragma once

#include "core/tape/parameters.hpp"
#include "nn/attention/spec.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Their numbers in the larger attention, in increasing order.
struct KeptHeads {
  std::vector<Index> heads;
  std::vector<Index> key_heads;  // the key and value heads that still serve a head
};
KeptHeads kept_heads(const AttentionSpec& spec, std::vector<Index> heads);

class HeadCopy {
 public:
  HeadCopy(const ParameterStore& from, ParameterStore& to);

  // Copies chunk number which[i] of `from` to chunk i of `to`, in each of `rows` rows; nothing if
  // `to` is not declared.
  struct Chunks {
    const std::vector<Index>& which;
    Index size;
    Index rows = 1;
    Index from_first = 0;  // where chunk 0 begins
    Index to_first = 0;
  };
  void chunks(const Parameter& from, const Parameter& to, const Chunks& chunks);

  void whole(const Parameter& from, const Parameter& to);

  // Copies all that was not copied yet, by name. Throws logic_error for a parameter that has
  // another shape in `to`: the part of the attention that owns it must copy it in its keep_heads.
  void rest();

 private:
  const ParameterStore& from_;
  ParameterStore& to_;
  std::vector<bool> copied_;  // by block of the smaller model
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
