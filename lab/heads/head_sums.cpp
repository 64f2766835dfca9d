#include "lab/heads/head_sums.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "lab/heads/entropy_term.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

std::size_t offset_number(Index query, Index key) {
  return static_cast<std::size_t>(std::clamp<Index>(key - query, -reach, reach) + reach);
}

// The first of the rarest of these keys; -1: only marks.
Index rarest_key(const AttendedSequence& sequence, std::span<const Index> keys) {
  const TokenFacts& facts = sequence.key_facts;
  const auto token = [&](Index key) { return sequence.keys[static_cast<std::size_t>(key)]; };
  Index rarest = -1;
  for (const Index j : keys) {
    const bool candidate = !facts.is_mark(token(j));
    if (candidate &&
        (rarest < 0 || facts.occurrences_of(token(j)) < facts.occurrences_of(token(rarest)))) {
      rarest = j;
    }
  }
  return rarest;
}

// What one query has on the keys for which `chosen` holds; no query where there are none.
template <class Chosen>
PlaceSum weight_on(std::span<const Scalar> row, std::span<const Index> keys, const Chosen& chosen) {
  PlaceSum sum;
  for (const Index j : keys) {
    if (chosen(j)) {
      sum.queries = 1;
      sum.weight += static_cast<double>(row[static_cast<std::size_t>(j)]);
      sum.even += 1;
    }
  }
  sum.even /= static_cast<double>(keys.size());
  return sum;
}

void add_places(HeadSums& sums, const AttendedSequence& sequence, std::span<const Index> keys,
                std::span<const Scalar> row, Index query) {
  const auto last = static_cast<Index>(sequence.keys.size()) - 1;
  const Index rarest = rarest_key(sequence, keys);
  const auto token = [&](Index key) { return sequence.keys[static_cast<std::size_t>(key)]; };
  const auto add = [&](KeyPlace place, const auto& chosen) {
    sums.places[static_cast<std::size_t>(place)] += weight_on(row, keys, chosen);
  };
  // Also of queries to which the pattern does not show the key.
  const auto add_end = [&](KeyPlace place, Index end) {
    PlaceSum sum = weight_on(row, keys, [end](Index j) { return j == end; });
    sum.queries = 1;
    sums.places[static_cast<std::size_t>(place)] += sum;
  };
  add(KeyPlace::same, [&](Index j) { return j == query; });
  add(KeyPlace::previous, [&](Index j) { return j == query - 1; });
  add(KeyPlace::next, [&](Index j) { return j == query + 1; });
  if (keys.size() > 1) {
    add_end(KeyPlace::first, 0);
  }
  if (!sequence.causal) {
    add_end(KeyPlace::last, last);
  }
  add(KeyPlace::punctuation, [&](Index j) { return sequence.key_facts.is_punctuation(token(j)); });
  add(KeyPlace::rarest, [&](Index j) { return j == rarest; });
  if (sequence.self) {
    add(KeyPlace::induction,
        [&](Index j) { return 0 < j && j <= query && token(j - 1) == token(query); });
    add(KeyPlace::duplicate, [&](Index j) { return j < query && token(j) == token(query); });
  }
}

void add_row(HeadSums& sums, const AttendedSequence& sequence, std::span<const Index> keys,
             std::span<const Scalar> row, Index query) {
  double entropy = 0;
  std::array<bool, static_cast<std::size_t>(offsets)> there{};
  for (const Index j : keys) {
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
  sums.even_entropy += std::log(static_cast<double>(keys.size()));
  sums.largest += static_cast<double>(*largest);
  sums.offset_chosen[offset_number(query, largest - row.begin())] += 1;
  add_places(sums, sequence, keys, row, query);
}

template <class Numbers>
void add_all(Numbers& to, const Numbers& from) {
  std::ranges::transform(to, from, to.begin(), std::plus<>());
}

}  // namespace

PlaceSum& PlaceSum::operator+=(const PlaceSum& other) {
  queries += other.queries;
  weight += other.weight;
  even += other.even;
  return *this;
}

void HeadSums::add(const AttendedSequence& sequence, std::size_t head,
                   std::span<const Scalar> weights) {
  const std::size_t columns = sequence.keys.size();
  for (std::size_t i = 0; i < sequence.queries.size(); ++i) {
    const auto query = static_cast<Index>(i);
    const std::vector<Index> keys = sequence.keys_for(head, query);
    if (!keys.empty()) {
      add_row(*this, sequence, keys, weights.subspan(i * columns, columns), query);
    }
  }
}

HeadSums& HeadSums::operator+=(const HeadSums& other) {
  queries += other.queries;
  entropy += other.entropy;
  even_entropy += other.even_entropy;
  largest += other.largest;
  for (std::size_t i = 0; i < places.size(); ++i) {
    places[i] += other.places[i];
  }
  add_all(offset_queries, other.offset_queries);
  add_all(offset_weight, other.offset_weight);
  add_all(offset_chosen, other.offset_chosen);
  return *this;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
