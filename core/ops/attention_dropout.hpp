// Dropout of attention weights, drawn for some queries and keys at a time.
#pragma once

#include "core/dropout_mask.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

class AttentionDropout {
 public:
  explicit AttentionDropout(const Dropout& dropout)
      : dropout_(dropout), factors_of_bits_(dropout) {}

  bool active() const { return dropout_.active(); }

  // factors[j columns + q] = 0 or 1 / (1 - probability), drawn at (query_row + q in the step, head,
  // position + j). columns: whole vectors.
  void draw(Index query_row, Index columns, Index head, Index position, Index keys,
            Scalar* factors) const;

 private:
  Dropout dropout_;
  KeepFactors factors_of_bits_;
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION
