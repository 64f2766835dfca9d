// Dropout of attention weights, drawn for some queries and keys at a time.
#pragma once

#include <array>
#include <cstdint>

#include "core/ops/attention/tile.hpp"
#include "core/ops/dropout_mask.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The address of the draw for the first query and key, and the steps to the others.
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
  explicit AttentionDropout(const Dropout& dropout) : dropout_(dropout), factors_(dropout) {}

  bool active() const { return dropout_.active(); }

  // Draws for the first `columns` queries of a panel and for `keys` keys, at most a block's.
  // `columns` are whole vectors.
  void draw(const DropoutAddress& at, Index columns, Index keys);

  // The factors drawn for key j and a vector of the panel's queries from `query` on: 0 or 1 / (1 -
  // probability).
  Lanes factors(Index j, Index query) const {
    return factors_.of(kept_[static_cast<std::size_t>(j * key_words + query / keep_lanes)],
                       query % keep_lanes);
  }

 private:
  static constexpr Index key_words = (panel_queries + keep_lanes - 1) / keep_lanes;

  Dropout dropout_;
  KeepFactors factors_;
  std::array<std::uint16_t, static_cast<std::size_t>(block_keys* key_words)> kept_;
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
