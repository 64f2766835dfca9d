// Dropout of attention weights, drawn for some queries and keys at a time.
#pragma once

#include "core/dropout_mask.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// Where the draws of the first query and key are addressed, and how far apart the others are.
struct DropoutAddress {
  Index head;
  Index query_row;  // in the whole step
  Index position;   // of the key
  Index query_step = 1;
  Index key_step = 1;

  DropoutAddress from(Index query, Index key) const {
    return {head, query_row + query * query_step, position + key * key_step, query_step, key_step};
  }
};

class AttentionDropout {
 public:
  explicit AttentionDropout(const Dropout& dropout)
      : dropout_(dropout), factors_of_bits_(dropout) {}

  bool active() const { return dropout_.active(); }

  // factors[j columns + q] = 0 or 1 / (1 - probability), drawn at the address of query q and key j.
  // columns: whole vectors.
  void draw(const DropoutAddress& at, Index columns, Index keys, Scalar* factors) const;

 private:
  Dropout dropout_;
  KeepFactors factors_of_bits_;
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION
