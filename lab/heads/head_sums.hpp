// What an attention head does, summed over any number of sentences; memory does not grow with them.
// All figures about a single head come from these sums.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "core/scalar.hpp"
#include "core/types.hpp"
#include "lab/heads/attended_sequence.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The places in a sentence to which a head may attend.
enum class KeyPlace {
  same,         // the query's own position; of the other sentence in cross-attention
  previous,     // the position before it
  next,         // the position after it
  first,        // the sentence's first key; for all queries that may attend to several keys
  last,         // the sentence's last key; for all queries, but not in causal attention
  punctuation,  // keys that consist only of punctuation
  rarest,       // the key that is rarest in the training data, without marks
  induction,    // in self-attention: keys after an earlier occurrence of the query's token
  duplicate,    // in self-attention: earlier occurrences of the query's token
};
constexpr std::array<std::string_view, 9> place_names{"same_position", "previous",  "next",
                                                      "first",         "last",      "punctuation",
                                                      "rarest",        "induction", "duplicate"};

// Weight on a place, over the queries for which there is such a place; and the weight that an even
// spread over all keys that the query may attend to would put there.
struct PlaceSum {
  double queries = 0;
  double weight = 0;
  double even = 0;

  PlaceSum& operator+=(const PlaceSum& other);
};

constexpr Index reach = 8;  // farther offsets count as the outermost ones
constexpr Index offsets = 2 * reach + 1;
using OffsetSums = std::array<double, static_cast<std::size_t>(offsets)>;

struct HeadSums {
  double queries = 0;       // that may attend to any key
  double entropy = 0;       // Σ_queries -Σ_j w_j log w_j, nats
  double even_entropy = 0;  // Σ_queries log of the number of keys that the query may attend to
  double largest = 0;       // Σ_queries max_j w_j
  std::array<PlaceSum, place_names.size()> places{};
  // Over key position - query position, -reach ... reach:
  OffsetSums offset_queries{};  // queries that have a key there
  OffsetSums offset_weight{};   // weight there
  OffsetSums offset_chosen{};   // queries whose largest weight is there

  const PlaceSum& at(KeyPlace place) const { return places[static_cast<std::size_t>(place)]; }

  // Adds the weights that a head has in one sentence: (queries, keys), row after row.
  void add(const AttendedSequence& sequence, std::size_t head, std::span<const Scalar> weights);
  HeadSums& operator+=(const HeadSums& other);
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
