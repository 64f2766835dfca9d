#include "lab/heads/head_sums.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "lab/heads/entropy_term.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

std::size_t offset_number(Index query, Index key) {
  return static_cast<std::size_t>(std::clamp<Index>(key - query, -reach, reach) + reach);
}

bool is_mark(TokenId token) { return token == begin_id || token == end_id; }

// The first of the rarest keys among the first `count`; -1: only marks.
Index rarest_key(const AttendedSequence& sequence, Index count) {
  Index rarest = -1;
  for (Index j = 0; j < count; ++j) {
    const auto occurrences = [&](Index key) {
      return sequence.key_facts.occurrences_of(sequence.keys[static_cast<std::size_t>(key)]);
    };
    const bool candidate = !is_mark(sequence.keys[static_cast<std::size_t>(j)]);
    if (candidate && (rarest < 0 || occurrences(j) < occurrences(rarest))) {
      rarest = j;
    }
  }
  return rarest;
}

// The weight on the keys for which `chosen` holds, if there are any.
template <class Chosen>
void add_keys(PlaceSum& sum, std::span<const Scalar> row, Index count, const Chosen& chosen) {
  double weight = 0;
  double keys = 0;
  for (Index j = 0; j < count; ++j) {
    if (chosen(j)) {
      weight += static_cast<double>(row[static_cast<std::size_t>(j)]);
      ++keys;
    }
  }
  if (keys > 0) {
    sum.queries += 1;
    sum.weight += weight;
    sum.even += keys / static_cast<double>(count);
  }
}

void add_places(HeadSums& sums, const AttendedSequence& sequence, std::span<const Scalar> row,
                Index query) {
  const Index count = sequence.key_count(query);
  const auto last = static_cast<Index>(sequence.keys.size()) - 1;
  const Index rarest = rarest_key(sequence, count);
  const auto token = [&](Index key) { return sequence.keys[static_cast<std::size_t>(key)]; };
  const auto add = [&](KeyPlace place, const auto& chosen) {
    add_keys(sums.places[static_cast<std::size_t>(place)], row, count, chosen);
  };
  add(KeyPlace::same, [&](Index j) { return j == query; });
  add(KeyPlace::previous, [&](Index j) { return j == query - 1; });
  add(KeyPlace::next, [&](Index j) { return j == query + 1; });
  if (count > 1) {
    add(KeyPlace::first, [&](Index j) { return j == 0; });
  }
  if (!sequence.causal) {
    add(KeyPlace::last, [&](Index j) { return j == last; });
  }
  add(KeyPlace::punctuation, [&](Index j) { return sequence.key_facts.is_punctuation(token(j)); });
  add(KeyPlace::rarest, [&](Index j) { return j == rarest; });
  if (sequence.self) {
    add(KeyPlace::induction,
        [&](Index j) { return 0 < j && j <= query && token(j - 1) == token(query); });
    add(KeyPlace::duplicate, [&](Index j) { return j < query && token(j) == token(query); });
  }
}

void add_row(HeadSums& sums, const AttendedSequence& sequence, std::span<const Scalar> row,
             Index query) {
  const Index count = sequence.key_count(query);
  double entropy = 0;
  std::array<bool, static_cast<std::size_t>(offsets)> there{};
  for (Index j = 0; j < count; ++j) {
    const auto weight = static_cast<double>(row[static_cast<std::size_t>(j)]);
    entropy -= entropy_term(weight);
    sums.offset_weight[offset_number(query, j)] += weight;
    there[offset_number(query, j)] = true;
  }
  for (std::size_t i = 0; i < there.size(); ++i) {
    sums.offset_queries[i] += there[i] ? 1 : 0;
  }
  const auto largest = std::ranges::max_element(row);
  sums.queries += 1;
  sums.entropy += entropy;
  sums.even_entropy += std::log(static_cast<double>(count));
  sums.largest += static_cast<double>(*largest);
  sums.offset_chosen[offset_number(query, largest - row.begin())] += 1;
  add_places(sums, sequence, row, query);
}

template <class Numbers>
void add_all(Numbers& to, const Numbers& from) {
  std::ranges::transform(to, from, to.begin(), std::plus<>());
}

}  // namespace

void HeadSums::add(const AttendedSequence& sequence, std::span<const Scalar> weights) {
  const std::size_t keys = sequence.keys.size();
  for (std::size_t i = 0; keys > 0 && i < sequence.queries.size(); ++i) {
    add_row(*this, sequence, weights.subspan(i * keys, keys), static_cast<Index>(i));
  }
}

HeadSums& HeadSums::operator+=(const HeadSums& other) {
  queries += other.queries;
  entropy += other.entropy;
  even_entropy += other.even_entropy;
  largest += other.largest;
  for (std::size_t i = 0; i < places.size(); ++i) {
    places[i].queries += other.places[i].queries;
    places[i].weight += other.places[i].weight;
    places[i].even += other.places[i].even;
  }
  add_all(offset_queries, other.offset_queries);
  add_all(offset_weight, other.offset_weight);
  add_all(offset_chosen, other.offset_chosen);
  return *this;
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
