// What attention heads do, summed over as many sentences as one likes: memory does not grow with
// them. All that is told of a head comes from these sums.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor.hpp"
#include "lab/attended_sequence.hpp"
#include "lab/head_agreement.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// The places of a sentence that a head may look at.
enum class KeyPlace {
  self,         // the query's own position
  previous,     // the position before it
  next,         // the position after it
  first,        // the sentence's first key
  last,         // the sentence's last key; not where only the last query may attend to it
  punctuation,  // keys of nothing but punctuation
  rarest,       // the key that is rarest in the training data, marks of begin and end apart
  induction,    // in self-attention: keys behind an earlier occurrence of the query's own token
};
constexpr std::array<std::string_view, 8> place_names{"self", "previous",    "next",   "first",
                                                      "last", "punctuation", "rarest", "induction"};

// Weight on a place, over the queries for which there is such a place; and the weight that even
// attention to all keys would put there.
struct PlaceSum {
  double queries = 0;
  double weight = 0;
  double even = 0;
};

constexpr Index reach = 8;  // farther offsets count with the outermost
constexpr Index offsets = 2 * reach + 1;
using OffsetSums = std::array<double, static_cast<std::size_t>(offsets)>;

struct HeadSums {
  double queries = 0;
  double entropy = 0;       // Σ_queries -Σ_j w_j log w_j, nats
  double even_entropy = 0;  // Σ_queries log of the number of keys that may be attended to
  double largest = 0;       // Σ_queries max_j w_j
  std::array<PlaceSum, place_names.size()> places{};
  // Over key position - query position, -reach ... reach:
  OffsetSums offset_queries{};  // queries that have a key there
  OffsetSums offset_weight{};   // weight there
  OffsetSums offset_chosen{};   // queries whose largest weight is there

  const PlaceSum& at(KeyPlace place) const { return places[static_cast<std::size_t>(place)]; }

  // Adds the weights of one sentence: (queries, keys), row after row.
  void add(const AttendedSequence& sequence, std::span<const Scalar> weights);
  HeadSums& operator+=(const HeadSums& other);
};

// "encoder self", "decoder self" or "decoder cross" of an attention's path: heads of attentions of
// one kind have the same queries and keys.
std::string kind_of(std::string_view path);

// The heads of one attention against those of one that the model comes to earlier.
struct EarlierSums {
  std::string path;
  std::vector<double> divergence;  // (heads, earlier heads), as in AttentionSums
};

// All heads of one attention.
struct AttentionSums {
  std::string path;  // such as "decoder.layers.0.cross"
  std::vector<HeadSums> heads;
  double queries = 0;
  // (heads, heads), 0 between a head and itself: how far two heads' weights and what they write are
  // apart, summed over the queries (lab/head_pairs.hpp).
  std::vector<double> divergence;
  std::vector<double> output_distance;
  std::vector<EarlierSums> earlier;     // of the same kind, in the model's order
  std::vector<RelationSums> relations;  // that are about this attention

  // Adds the weights of one sentence by each head.
  void add(const AttendedSequence& sequence, const std::vector<std::vector<Scalar>>& weights);
  // Beside it what each head writes for the sentence's queries, as unit rows: (queries, D).
  void add_written(const std::vector<Tensor>& written);
  // And both attentions' weights of the sentence, where an attention of the same kind came before.
  void add_earlier(std::string_view earlier_path, const std::vector<std::vector<Scalar>>& weights,
                   const std::vector<std::vector<Scalar>>& earlier_weights);
  AttentionSums& operator+=(const AttentionSums& other);
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION
