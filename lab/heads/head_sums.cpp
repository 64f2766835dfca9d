#include "lab/heads/head_sums.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "lab/heads/head_pairs.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

std::size_t offset_number(Index query, Index key) {
  return static_cast<std::size_t>(std::clamp<Index>(key - query, -reach, reach) + reach);
}

void add_offsets(HeadSums& sums, const AttendedQuery& at) {
  std::array<bool, static_cast<std::size_t>(offsets)> there{};
  for (const Index key : at.keys) {
    sums.offset_weight[offset_number(at.query, key)] += at.weight(key);
    there[offset_number(at.query, key)] = true;
  }
  for (std::size_t i = 0; i < there.size(); ++i) {
    sums.offset_queries[i] += there[i] ? 1 : 0;
  }
  const auto largest = std::ranges::max_element(at.weights);
  sums.offset_chosen[offset_number(at.query, largest - at.weights.begin())] += 1;
}

void add_query(HeadSums& sums, const AttendedQuery& at, const std::vector<HeadFigureRow>& rows) {
  sums.queries += 1;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (const auto figure = rows[i].of_query ? rows[i].of_query(at) : std::nullopt) {
      sums.means[i] += {.queries = 1, .value = figure->value, .even = figure->even};
    }
  }
  add_offsets(sums, at);
}

void add_all(OffsetSums& to, const OffsetSums& from) {
  std::ranges::transform(to, from, to.begin(), std::plus<>());
}

void add_all(std::vector<double>& to, const std::vector<double>& from) {
  to.resize(std::max(to.size(), from.size()));
  std::ranges::transform(from, to, to.begin(), std::plus<>());
}

std::vector<double>& divergence_from(std::vector<EarlierSums>& all, AttentionSite site) {
  const auto found = std::ranges::find(all, site, &EarlierSums::site);
  if (found != all.end()) {
    return found->divergence;
  }
  all.push_back({.site = site, .divergence = {}});
  return all.back().divergence;
}

}  // namespace

MeanSum& MeanSum::operator+=(const MeanSum& other) {
  queries += other.queries;
  value += other.value;
  even += other.even;
  return *this;
}

void HeadSums::add(const AttendedSequence& sequence, std::size_t head,
                   std::span<const Scalar> weights, const std::vector<HeadFigureRow>& rows) {
  means.resize(rows.size());
  const std::size_t columns = sequence.keys.size();
  for (std::size_t i = 0; i < sequence.queries.size(); ++i) {
    const auto query = static_cast<Index>(i);
    const std::vector<Index> keys = sequence.keys_for(head, query);
    if (!keys.empty()) {
      add_query(*this, {sequence, query, keys, weights.subspan(i * columns, columns)}, rows);
    }
  }
}

HeadSums& HeadSums::operator+=(const HeadSums& other) {
  queries += other.queries;
  means.resize(std::max(means.size(), other.means.size()));
  for (std::size_t i = 0; i < other.means.size(); ++i) {
    means[i] += other.means[i];
  }
  add_all(offset_queries, other.offset_queries);
  add_all(offset_weight, other.offset_weight);
  add_all(offset_chosen, other.offset_chosen);
  return *this;
}

std::string_view words_of(AttentionKind kind) {
  constexpr std::array<std::string_view, 3> words{"encoder self", "decoder self", "decoder cross"};
  return words[static_cast<std::size_t>(kind)];
}

void AttentionSums::add(const AttendedSequence& sequence,
                        const std::vector<std::vector<Scalar>>& weights,
                        const std::vector<HeadFigureRow>& rows) {
  const std::size_t count = weights.size();
  heads.resize(count);
  divergence.resize(count * count);
  queries += static_cast<double>(sequence.queries.size());
  add_relations(relations, sequence, weights);
  for (std::size_t i = 0; i < count; ++i) {
    heads[i].add(sequence, i, weights[i], rows);
    for (std::size_t j = 0; j < i; ++j) {
      const double sum = divergence_between(weights[i], weights[j]);
      divergence[i * count + j] += sum;
      divergence[j * count + i] += sum;
    }
  }
}

void AttentionSums::add_written(const std::vector<Tensor>& written) {
  const std::size_t count = written.size();
  output_distance.resize(count * count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double sum = output_distance_between(written[i], written[j]);
      output_distance[i * count + j] += sum;
      output_distance[j * count + i] += sum;
    }
  }
}

void AttentionSums::add_earlier(AttentionSite earlier_site,
                                const std::vector<std::vector<Scalar>>& weights,
                                const std::vector<std::vector<Scalar>>& earlier_weights) {
  std::vector<double>& sums = divergence_from(earlier, earlier_site);
  sums.resize(weights.size() * earlier_weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    for (std::size_t j = 0; j < earlier_weights.size(); ++j) {
      sums[i * earlier_weights.size() + j] += divergence_between(weights[i], earlier_weights[j]);
    }
  }
}

AttentionSums& AttentionSums::operator+=(const AttentionSums& other) {
  heads.resize(std::max(heads.size(), other.heads.size()));
  queries += other.queries;
  for (std::size_t i = 0; i < other.heads.size(); ++i) {
    heads[i] += other.heads[i];
  }
  add_all(divergence, other.divergence);
  add_all(output_distance, other.output_distance);
  for (const EarlierSums& one : other.earlier) {
    add_all(divergence_from(earlier, one.site), one.divergence);
  }
  add_relations(relations, other.relations);
  return *this;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
